-- question: the tricks of a game played to its tenth trick and the cards laid away hold 120 card points
-- grain: run, hand_number
with
trick_points as (
    select
        run,
        hand_number,
        sum(card_points) as card_points
    from tricks
    group by all
)
select
    games.run,
    games.hand_number
from games
join trick_points
    on trick_points.run = games.run
    and trick_points.hand_number = games.hand_number
where games.end_reason = 'ten_tricks'
    and games.play_count = 30
    and trick_points.card_points + mask_points(coalesce(games.discard_mask, games.skat_mask)) <> 120
order by
    games.run,
    games.hand_number;
