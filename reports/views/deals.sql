-- Deals: one row per deal with all 32 cards known, each seed once however many runs played it.
create or replace view deals as
select
    run,
    hand_number,
    forehand_mask,
    middlehand_mask,
    rearhand_mask,
    skat_mask
from read_parquet(getvariable('deal_parts'))
where status not in ('partial_view', 'result_only');
