-- Tricks: one row per trick that was begun; cards in the order played. Winner and card points are
-- null where the trick was not completed.
create or replace view tricks as
with
numbers as (
    select (range + 1)::tinyint as trick_number
    from range(10)
),
cards as (
    select
        games.run,
        games.hand_number,
        numbers.trick_number,
        case
            when numbers.trick_number = 1 then 0
            else winner_at(games.trick_winners, numbers.trick_number - 1)
        end::tinyint as leader_seat,
        winner_at(games.trick_winners, numbers.trick_number) as winner_seat,
        card_at(games.played, 3 * numbers.trick_number - 2) as first_card,
        card_at(games.played, 3 * numbers.trick_number - 1) as second_card,
        card_at(games.played, 3 * numbers.trick_number) as third_card
    from read_parquet(getvariable('parts')) as games
    cross join numbers
    where games.play_count > 3 * (numbers.trick_number - 1)
)
select
    run,
    hand_number,
    trick_number,
    leader_seat,
    winner_seat,
    case
        when winner_seat is not null
            then card_points_of(first_card) + card_points_of(second_card) + card_points_of(third_card)
    end as card_points,
    first_card,
    second_card,
    third_card
from cards;
