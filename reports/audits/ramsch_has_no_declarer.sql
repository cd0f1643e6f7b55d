-- question: a Ramsch has no declarer, and enters for the seats instead: losses, or one Durchmarsch
-- grain: run, hand_number
with
ramsch as (
    select
        *,
        (forehand_score > 0)::integer + (middlehand_score > 0)::integer + (rearhand_score > 0)::integer as gains,
        (forehand_score < 0)::integer + (middlehand_score < 0)::integer + (rearhand_score < 0)::integer as losses
    from games
    where contract = 'ramsch'
)
select
    run,
    hand_number
from ramsch
where declarer_seat is not null
    or bid_value is not null
    or is_won is not null
    or score <> 0
    or gains > 1
    or (gains = 1 and losses > 0)
order by
    run,
    hand_number;
