-- Dealt values: how often which matadors of ten cards meet which of hand and skat, counted over every
-- seat of the first `dealt_sample` deals and each trump contract. A macro, because a view takes no
-- parameter.
create or replace macro dealt_values(dealt_sample) as table
with
sample as (
    select
        forehand_mask,
        middlehand_mask,
        rearhand_mask,
        skat_mask,
        jack_row(forehand_mask) as forehand_jacks,
        jack_row(middlehand_mask) as middlehand_jacks,
        jack_row(rearhand_mask) as rearhand_jacks,
        jack_row(skat_mask) as skat_jacks
    from deals
    limit dealt_sample
),
hands as (
    select forehand_mask as hand_mask, forehand_jacks as jacks, skat_mask, skat_jacks from sample
    union all
    select middlehand_mask, middlehand_jacks, skat_mask, skat_jacks from sample
    union all
    select rearhand_mask, rearhand_jacks, skat_mask, skat_jacks from sample
),
-- matadors hang on the jacks alone, unless the run of jacks reaches the suit
jack_counts as (
    select jacks, skat_jacks, count(*) as hands
    from hands
    group by all
),
suit_hands as (
    select hand_mask, jacks, skat_mask, skat_jacks
    from hands
    where jacks = 0 or jacks | skat_jacks = 15
),
suits as (
    select unnest(['clubs', 'spades', 'hearts', 'diamonds']) as contract
),
suit_counts as (
    select
        suits.contract,
        128::usmallint * suit_hands.jacks
        + ((suit_hands.hand_mask >> suit_shift(suits.contract)) & 127)::usmallint as hand_row,
        128::usmallint * suit_hands.skat_jacks
        + ((suit_hands.skat_mask >> suit_shift(suits.contract)) & 127)::usmallint as skat_row,
        count(*) as hands
    from suit_hands
    cross join suits
    group by all
),
dealt_rows as (
    select
        contract,
        hand_row,
        hand_row | skat_row as both_row,
        bit_count(skat_row >> 7) as skat_jacks,
        hands
    from suit_counts
    union all
    select suits.contract, 128 * jacks, 128 * (jacks | skat_jacks), bit_count(skat_jacks), hands
    from jack_counts
    cross join suits
    where not (jacks = 0 or jacks | skat_jacks = 15)
    union all
    select 'grand', grand_row(jacks), grand_row(jacks | skat_jacks), bit_count(skat_jacks), hands
    from jack_counts
)
select
    contract,
    row_matadors(hand_row) as hand_matadors,
    row_matadors(both_row) as both_matadors,
    skat_jacks::tinyint as skat_jacks,
    (select count(*) from sample) as deals,
    sum(hands)::bigint as hands
from dealt_rows
group by all;
