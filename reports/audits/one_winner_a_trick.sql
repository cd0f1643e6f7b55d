-- question: a completed trick is won by one of its three cards, and the next is led by its winner
-- grain: run, hand_number, trick_number
select
    run,
    hand_number,
    trick_number
from tricks
where (winner_seat is not null and third_card is null and first_card is not null and second_card is not null)
    or leader_seat is null
order by
    run,
    hand_number,
    trick_number;
