-- Skat pairs: all C(32,10) * C(22,2) = 14 902 327 440 pairs of ten cards and a skat, counted by the
-- trumps in them: every set of trumps in the hand, and every pair, one or none of the others in the
-- skat, times the ways to fill up with plain cards. Exact: whole numbers, nothing sampled. A table,
-- because it reads no game and is the same for all.
create or replace table skat_pairs as
with recursive
factorials as (
    select 0 as n, 1::hugeint as product
    union all
    select n + 1, product * (n + 1) from factorials where n < 28
),
choices as (
    select
        upper.n,
        lower.n as k,
        (upper.product // (lower.product * rest.product))::bigint as ways
    from factorials as upper
    join factorials as lower on lower.n <= upper.n
    join factorials as rest on rest.n = upper.n - lower.n
),
kinds as (
    select 'suit' as kind, 11 as trump_count
    union all
    select 'grand' as kind, 4 as trump_count
),
hand_sets as (
    select kinds.kind, kinds.trump_count, sets.range as hand_set, bit_count(sets.range) as hand_trumps
    from kinds
    join range(2048) as sets on sets.range < (1 << kinds.trump_count)
    where bit_count(sets.range) <= 10
),
skat_sets as (
    select kinds.kind, sets.range as skat_set, bit_count(sets.range) as skat_trumps
    from kinds
    join range(2048) as sets on sets.range < (1 << kinds.trump_count)
    where bit_count(sets.range) <= 2
),
pairs as (
    select
        hand_sets.kind,
        hand_sets.hand_set,
        hand_sets.hand_set | skat_sets.skat_set as both_set,
        skat_sets.skat_trumps,
        case hand_sets.kind
            when 'grand' then skat_sets.skat_trumps
            else bit_count(skat_sets.skat_set >> 7)
        end as skat_jacks,
        hand_fill.ways * skat_fill.ways as pairs
    from hand_sets
    join skat_sets
        on skat_sets.kind = hand_sets.kind
        and skat_sets.skat_set & hand_sets.hand_set = 0
    join choices as hand_fill
        on hand_fill.n = 32 - hand_sets.trump_count
        and hand_fill.k = 10 - hand_sets.hand_trumps
    join choices as skat_fill
        on skat_fill.n = 22 - hand_sets.trump_count + hand_sets.hand_trumps
        and skat_fill.k = 2 - skat_sets.skat_trumps
)
select
    kind,
    row_matadors(case kind when 'grand' then grand_row(hand_set) else hand_set end) as hand_matadors,
    row_matadors(case kind when 'grand' then grand_row(both_set) else both_set end) as both_matadors,
    skat_trumps::tinyint as skat_trumps,
    skat_jacks::tinyint as skat_jacks,
    sum(pairs)::bigint as pairs
from pairs
group by all;
