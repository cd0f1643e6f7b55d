-- question: what does the skat do to the value of the ten cards?
-- grain: part, contract, matadors
-- columns: contract, matadors, hands, lowered_rate ±, lowered_exact, raised_rate ±, raised_exact,
--   jack_rate, jack_exact, mean_jacks, mean_trumps, switched_rate
-- chart: lowered_rate by matadors where part = dealt and contract = clubs
-- param dealt_sample = 1000000: deals that the part `dealt` rests on
-- note: `dealt`: every seat of every deal against each trump contract, whoever declared what; on the
--   first {dealt_sample} deals, or all. `*_exact` counts all C(32,10) * C(22,2) pairs of hand and skat.
-- note: `declared`: the games that were played; selected by the auction, so there is no exact figure.
--   Jacks and trumps are those of the skat as dealt, in hand games too.
-- note: The value is raised or lowered where hand and skat together have more or fewer matadors than
--   the ten cards. `switched`: of the games after pick-up in a suit (the
--   first {dealt_sample} of each run), those in which another suit was longer in the ten cards; what was
--   meant to be played is not on record.
with
dealt as (
    select
        contract,
        hand_matadors,
        sign(abs(both_matadors) - abs(hand_matadors)) as change,
        skat_jacks,
        deals,
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
        any_value(deals) as deals,
        count(distinct contract) as contract_count,
        sum(hands)::bigint as hands,
        coalesce(sum(hands) filter (change > 0), 0)::bigint as raised,
        coalesce(sum(hands) filter (change = 0), 0)::bigint as kept,
        coalesce(sum(hands) filter (change < 0), 0)::bigint as lowered,
        coalesce(sum(hands) filter (skat_jacks > 0), 0)::bigint as with_jack
    from dealt
    group by grouping sets ((contract, hand_matadors), (contract), (hand_matadors), ())
),
like_games as (
    -- games that count alike are counted first: what is in the skat is then soon looked up
    select
        run,
        contract,
        hand_matadors,
        matadors,
        skat_mask,
        count(*) as hands
    from games
    where is_counted
    group by all
),
declared_counts as (
    select
        run,
        contract,
        hand_matadors,
        sign(abs(matadors) - abs(hand_matadors)) as change,
        bit_count(skat_mask & 2155905152::uinteger) as skat_jacks,
        sum(hands)::bigint as hands,
        sum(hands * bit_count(skat_mask & trump_mask(contract)))::bigint as trumps
    from like_games
    where contract <> 'null'
    group by all
),
declared_cohorts as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        declared_counts.contract,
        declared_counts.hand_matadors,
        declared_counts.change,
        declared_counts.skat_jacks,
        declared_counts.hands,
        declared_counts.trumps
    from declared_counts
    join run_cohorts on run_cohorts.run = declared_counts.run
),
declared_totals as (
    select
        runs,
        ruleset,
        policies,
        coalesce(contract, 'all') as contract,
        coalesce(hand_matadors::varchar, 'all') as matadors,
        sum(hands)::bigint as hands,
        coalesce(sum(hands) filter (change > 0), 0)::bigint as raised,
        coalesce(sum(hands) filter (change = 0), 0)::bigint as kept,
        coalesce(sum(hands) filter (change < 0), 0)::bigint as lowered,
        sum(hands * skat_jacks)::bigint as jacks,
        sum(trumps)::bigint as trumps,
        coalesce(sum(hands) filter (skat_jacks > 0), 0)::bigint as with_jack
    from declared_cohorts
    group by grouping sets (
        (runs, ruleset, policies, contract, hand_matadors),
        (runs, ruleset, policies, contract),
        (runs, ruleset, policies, hand_matadors),
        (runs, ruleset, policies)
    )
),
pick_up_games as (
    select
        run,
        contract,
        hand_matadors,
        bit_count((declarer_mask >> suit_shift(contract)) & 127) < greatest(
            bit_count(declarer_mask & 127::uinteger),
            bit_count(declarer_mask & 32512::uinteger),
            bit_count(declarer_mask & 8323072::uinteger),
            bit_count(declarer_mask & 2130706432::uinteger)
        ) as is_switched
    from games
    where is_counted
        and contract not in ('null', 'grand')
        and not is_hand
        and hand_number < $dealt_sample
),
pick_up_groups as (
    select
        run,
        contract,
        hand_matadors,
        count(*) as switchable,
        count(*) filter (is_switched) as switched
    from pick_up_games
    group by all
),
pick_up_totals as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        coalesce(pick_up_groups.contract, 'all') as contract,
        coalesce(pick_up_groups.hand_matadors::varchar, 'all') as matadors,
        sum(pick_up_groups.switchable)::bigint as switchable,
        sum(pick_up_groups.switched)::bigint as switched
    from pick_up_groups
    join run_cohorts on run_cohorts.run = pick_up_groups.run
    group by grouping sets (
        (runs, ruleset, policies, pick_up_groups.contract, hand_matadors),
        (runs, ruleset, policies, pick_up_groups.contract),
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
        dealt_totals.deals,
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
        declared_totals.runs,
        declared_totals.ruleset,
        declared_totals.policies,
        declared_totals.contract,
        declared_totals.matadors,
        null,
        declared_totals.hands,
        1.0,
        declared_totals.raised,
        declared_totals.kept,
        declared_totals.lowered,
        declared_totals.jacks,
        declared_totals.trumps,
        declared_totals.with_jack,
        pick_up_totals.switchable,
        pick_up_totals.switched,
        null,
        null,
        null,
        null
    from declared_totals
    left join pick_up_totals
        on pick_up_totals.runs = declared_totals.runs
        and pick_up_totals.ruleset = declared_totals.ruleset
        and pick_up_totals.policies = declared_totals.policies
        and pick_up_totals.contract = declared_totals.contract
        and pick_up_totals.matadors = declared_totals.matadors
)
select
    part,
    runs,
    ruleset,
    policies,
    contract,
    matadors,
    deals,
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
