-- question: each of the 32 cards of a fully known deal is in one hand or in the skat
-- grain: run, hand_number
select
    run,
    hand_number
from games
where status not in ('partial_view', 'result_only')
    and (
        bit_count(forehand_mask) <> 10
        or bit_count(middlehand_mask) <> 10
        or bit_count(rearhand_mask) <> 10
        or bit_count(skat_mask) <> 2
        or bit_count(forehand_mask | middlehand_mask | rearhand_mask | skat_mask) <> 32
    )
order by
    run,
    hand_number;
