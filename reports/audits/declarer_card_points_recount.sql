-- question: the declarer's card points are those of the tricks won and of the cards laid away
-- grain: run, hand_number
with
declarer_tricks as (
    select
        games.run,
        games.hand_number,
        games.declarer_card_points,
        games.declarer_trick_count,
        mask_points(coalesce(games.discard_mask, games.skat_mask)) as laid_away,
        coalesce(sum(tricks.card_points) filter (tricks.winner_seat = games.declarer_seat), 0) as card_points,
        count(*) filter (tricks.winner_seat = games.declarer_seat) as trick_count
    from games
    join tricks
        on tricks.run = games.run
        and tricks.hand_number = games.hand_number
    where games.is_won is not null and games.end_reason = 'ten_tricks' and games.play_count = 30
    group by all
)
select
    run,
    hand_number,
    declarer_card_points,
    declarer_trick_count
from declarer_tricks
where declarer_card_points <> card_points + laid_away
    or declarer_trick_count <> trick_count
order by
    run,
    hand_number;
