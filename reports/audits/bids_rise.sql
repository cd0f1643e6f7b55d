-- question: the values bid in an auction rise, and the last is the bid value of the game
-- grain: run, hand_number
with
said as (
    select
        run,
        hand_number,
        call_number,
        bid_value,
        lag(bid_value) over (partition by run, hand_number order by call_number) as before
    from bids
    where call = 'bid'
),
last_values as (
    select
        run,
        hand_number,
        max(bid_value) as bid_value
    from bids
    group by all
)
select
    run,
    hand_number
from said
where bid_value <= before
union
select
    games.run,
    games.hand_number
from games
join last_values
    on last_values.run = games.run
    and last_values.hand_number = games.hand_number
where games.bid_value <> last_values.bid_value
order by
    run,
    hand_number;
