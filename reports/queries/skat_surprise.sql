-- question: what does the skat do to the value of the ten cards?
-- grain: part, contract, matadors
-- columns: contract, matadors, hands, lowered_rate ±, lowered_exact, raised_rate ±, raised_exact,
--   jack_rate, jack_exact, mean_jacks, mean_trumps, switched_rate
-- chart: lowered_rate by matadors where part = dealt and contract = clubs
-- param dealt_sample = 1000000: deals that the part `dealt` rests on
-- note: `dealt`: every seat of every deal against each trump contract, whoever declared what; on the
--   first {dealt_sample} deals. `*_exact` counts all C(32,10) * C(22,2) pairs of hand and skat.
-- note: `declared`: the games that were played; selected by the auction, so there is no exact figure.
--   Jacks and trumps are those of the skat as dealt, in hand games too.
-- note: The value is raised or lowered where hand and skat together have more or fewer matadors than
--   the ten cards. `switched`: of the games after pick-up in a suit, those in which another suit was
--   longer in the ten cards; what was meant to be played is not on record.
with
dealt as (
    select
        contract,
        hand_matadors,
        sign(abs(both_matadors) - abs(hand_matadors)) as change,
        skat_jacks,
        hands
    from dealt_values($dealt_sample)
),
contracts as (
    select unnest(['clubs', 'spades', 'hearts', 'diamonds', 'grand']) as contract
),
exact_pairs as (
    select
        contracts.contract,
        skat_pairs.hand_matadors,
        sign(abs(skat_pairs.both_matadors) - abs(skat_pairs.hand_matadors)) as change,
        skat_pairs.skat_jacks,
        skat_pairs.pairs
    from skat_pairs
    join contracts on (contracts.contract = 'grand') = (skat_pairs.kind = 'grand')
),
exact_totals as (
    select
        coalesce(contract, 'all') as contract,
        coalesce(hand_matadors::varchar, 'all') as matadors,
        sum(pairs)::bigint as pairs,
        coalesce(sum(pairs) filter (change > 0), 0)::bigint as raised,
        coalesce(sum(pairs) filter (change = 0), 0)::bigint as kept,
        coalesce(sum(pairs) filter (change < 0), 0)::bigint as lowered,
        coalesce(sum(pairs) filter (skat_jacks > 0), 0)::bigint as with_jack
    from exact_pairs
    group by grouping sets ((contract, hand_matadors), (contract), (hand_matadors), ())
),
dealt_totals as (
    select
        coalesce(contract, 'all') as contract,
        coalesce(hand_matadors::varchar, 'all') as matadors,
        count(distinct contract) as contract_count,
        sum(hands)::bigint as hands,
        coalesce(sum(hands) filter (change > 0), 0)::bigint as raised,
        coalesce(sum(hands) filter (change = 0), 0)::bigint as kept,
        coalesce(sum(hands) filter (change < 0), 0)::bigint as lowered,
        coalesce(sum(hands) filter (skat_jacks > 0), 0)::bigint as with_jack
    from dealt
    group by grouping sets ((contract, hand_matadors), (contract), (hand_matadors), ())
),
declared_games as (
    select
        run,
        contract,
        matadors,
        declarer_mask,
        skat_mask,
        is_skat_taken and contract <> 'grand' as can_switch,
        suit_shift(contract) as shift,
        jack_row(declarer_mask) as jacks,
        jack_row(skat_mask) as skat_jacks
    from games
    where is_counted and matadors is not null
),
declared_rows as (
    select
        run,
        contract,
        matadors,
        case
            when contract = 'grand' then grand_row(jacks)
            else 128::usmallint * jacks + ((declarer_mask >> shift) & 127)::usmallint
        end as hand_row,
        bit_count(skat_jacks) as jacks,
        bit_count(skat_jacks)
        + case when contract = 'grand' then 0 else bit_count((skat_mask >> shift) & 127) end as trumps,
        can_switch,
        can_switch and bit_count((declarer_mask >> shift) & 127) < greatest(
            bit_count(declarer_mask & 127),
            bit_count(declarer_mask & 32512),
            bit_count(declarer_mask & 8323072),
            bit_count(declarer_mask & 2130706432)
        ) as is_switched
    from declared_games
),
declared_counts as (
    select
        run,
        contract,
        matadors,
        row_matadors(hand_row) as hand_matadors,
        count(*) as hands,
        sum(jacks)::bigint as jacks,
        sum(trumps)::bigint as trumps,
        count(*) filter (jacks > 0) as with_jack,
        count(*) filter (can_switch) as switchable,
        count(*) filter (is_switched) as switched
    from declared_rows
    group by all
),
declared_totals as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        coalesce(declared_counts.contract, 'all') as contract,
        coalesce(declared_counts.hand_matadors::varchar, 'all') as matadors,
        sum(hands)::bigint as hands,
        coalesce(sum(hands) filter (abs(matadors) > abs(hand_matadors)), 0)::bigint as raised,
        coalesce(sum(hands) filter (abs(matadors) = abs(hand_matadors)), 0)::bigint as kept,
        coalesce(sum(hands) filter (abs(matadors) < abs(hand_matadors)), 0)::bigint as lowered,
        sum(jacks)::bigint as jacks,
        sum(trumps)::bigint as trumps,
        sum(with_jack)::bigint as with_jack,
        sum(switchable)::bigint as switchable,
        sum(switched)::bigint as switched
    from declared_counts
    join run_cohorts on run_cohorts.run = declared_counts.run
    group by grouping sets (
        (runs, ruleset, policies, declared_counts.contract, hand_matadors),
        (runs, ruleset, policies, declared_counts.contract),
        (runs, ruleset, policies, hand_matadors),
        (runs, ruleset, policies)
    )
),
parts as (
    select
        'dealt' as part,
        null::varchar as runs,
        null::varchar as ruleset,
        null::varchar as policies,
        dealt_totals.contract,
        dealt_totals.matadors,
        dealt_totals.hands,
        -- the hands of a deal and its contracts hang together: added up, deals are counted
        case when dealt_totals.contract = 'all' then dealt_totals.contract_count else 1 end
        * case when dealt_totals.matadors = 'all' then 3 else 1 end as cluster,
        dealt_totals.raised,
        dealt_totals.kept,
        dealt_totals.lowered,
        null::bigint as jacks,
        null::bigint as trumps,
        dealt_totals.with_jack,
        null::bigint as switchable,
        null::bigint as switched,
        rate(exact_totals.raised, exact_totals.pairs) as raised_exact,
        rate(exact_totals.kept, exact_totals.pairs) as kept_exact,
        rate(exact_totals.lowered, exact_totals.pairs) as lowered_exact,
        rate(exact_totals.with_jack, exact_totals.pairs) as jack_exact
    from dealt_totals
    join exact_totals
        on exact_totals.contract = dealt_totals.contract
        and exact_totals.matadors = dealt_totals.matadors
    union all
    select
        'declared',
        runs,
        ruleset,
        policies,
        contract,
        matadors,
        hands,
        1.0,
        raised,
        kept,
        lowered,
        jacks,
        trumps,
        with_jack,
        nullif(switchable, 0),
        case when switchable > 0 then switched end,
        null,
        null,
        null,
        null
    from declared_totals
)
select
    part,
    runs,
    ruleset,
    policies,
    contract,
    matadors,
    hands,
    lowered,
    rate(lowered, hands) as lowered_rate,
    wilson_low(lowered / cluster, hands / cluster) as lowered_rate_low,
    wilson_high(lowered / cluster, hands / cluster) as lowered_rate_high,
    lowered_exact,
    kept,
    rate(kept, hands) as kept_rate,
    wilson_low(kept / cluster, hands / cluster) as kept_rate_low,
    wilson_high(kept / cluster, hands / cluster) as kept_rate_high,
    kept_exact,
    raised,
    rate(raised, hands) as raised_rate,
    wilson_low(raised / cluster, hands / cluster) as raised_rate_low,
    wilson_high(raised / cluster, hands / cluster) as raised_rate_high,
    raised_exact,
    with_jack,
    rate(with_jack, hands) as jack_rate,
    wilson_low(with_jack / cluster, hands / cluster) as jack_rate_low,
    wilson_high(with_jack / cluster, hands / cluster) as jack_rate_high,
    jack_exact,
    rate(jacks, hands) as mean_jacks,
    rate(trumps, hands) as mean_trumps,
    switchable,
    switched,
    rate(switched, switchable) as switched_rate,
    wilson_low(switched, switchable) as switched_rate_low,
    wilson_high(switched, switchable) as switched_rate_high
from parts
order by
    part,
    runs,
    contract_order(contract),
    matadors = 'all',
    try_cast(matadors as integer) < 0,
    abs(try_cast(matadors as integer));
