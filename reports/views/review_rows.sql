-- Review rows: one row per reviewed game, as `skatsim review --run` keeps them beside a run.
-- Without any the session makes an empty table of this name.
create or replace view review_rows as
select
    run,
    hand_number,
    declarer_seat,
    contract,
    play_count,
    trick_winners,
    card_values,
    won_bits,
    best_discard_mask,
    best_discard_value,
    is_best_discard_won,
    contract_score,
    is_contract_won,
    best_contract,
    best_contract_score,
    is_best_contract_won
from read_parquet(getvariable('review_parts'));
