-- question: how often does the skat push the value below the bid?
-- grain: part, contract, matadors, bid_margin
-- columns: contract, matadors, bid_margin, hands, overbid_before_rate, rescued_rate, overbid_rate ±,
--   overbid_exact, score_lost_per_game
-- chart: overbid_rate by matadors where part = dealt and contract = clubs and bid_margin = 0
-- param dealt_sample = 1000000: deals that the part `dealt` rests on
-- note: `dealt`: every seat of every deal against each trump contract, bid up to the value of its ten
--   cards less `bid_margin` matadors; on the first {dealt_sample} deals, or all. `overbid_exact` counts all
--   C(32,10) * C(22,2) pairs of hand and skat.
-- note: `declared`: the suit games and grands that were played; `bid_margin` is how many times the
--   base value fits between the bid and the value of the ten cards, hand counted, other announcements
--   not; below 0 the bid was too high from the start. Selected by the auction, so there is no exact
--   figure.
-- note: `rescued`: overbid before play, but won, because schneider or schwarz raised the value to the
--   bid. `score_lost`: what the games overbid at the end cost their declarers.
with
dealt as (
    select
        contract,
        hand_matadors,
        abs(both_matadors) as both_count,
        any_value(deals) as deals,
        sum(hands)::bigint as hands
    from dealt_values($dealt_sample)
    group by all
),
contracts as (
    select unnest(['clubs', 'spades', 'hearts', 'diamonds', 'grand']) as contract
),
margins as (
    select range::tinyint as bid_margin
    from range(11)
),
-- a bid at `bid_margin` matadors below the hand is overbid when fewer are left
dealt_totals as (
    select
        coalesce(dealt.contract, 'all') as contract,
        coalesce(dealt.hand_matadors::varchar, 'all') as matadors,
        margins.bid_margin,
        any_value(dealt.deals) as deals,
        count(distinct dealt.contract) as contract_count,
        sum(dealt.hands)::bigint as hands,
        coalesce(
            sum(dealt.hands) filter (dealt.both_count < abs(dealt.hand_matadors) - margins.bid_margin), 0
        )::bigint as overbid
    from dealt
    join margins on margins.bid_margin < abs(dealt.hand_matadors)
    group by grouping sets (
        (dealt.contract, dealt.hand_matadors, margins.bid_margin),
        (dealt.contract, margins.bid_margin),
        (dealt.hand_matadors, margins.bid_margin),
        (margins.bid_margin)
    )
),
exact_totals as (
    select
        coalesce(contracts.contract, 'all') as contract,
        coalesce(skat_pairs.hand_matadors::varchar, 'all') as matadors,
        margins.bid_margin,
        sum(skat_pairs.pairs)::bigint as pairs,
        coalesce(
            sum(skat_pairs.pairs) filter (
                abs(skat_pairs.both_matadors) < abs(skat_pairs.hand_matadors) - margins.bid_margin
            ),
            0
        )::bigint as overbid
    from skat_pairs
    join contracts on (contracts.contract = 'grand') = (skat_pairs.kind = 'grand')
    join margins on margins.bid_margin < abs(skat_pairs.hand_matadors)
    group by grouping sets (
        (contracts.contract, skat_pairs.hand_matadors, margins.bid_margin),
        (contracts.contract, margins.bid_margin),
        (skat_pairs.hand_matadors, margins.bid_margin),
        (margins.bid_margin)
    )
),
like_games as (
    select
        run,
        contract,
        hand_matadors,
        bid_value,
        -- 2 hand, 128 overbid before play, 256 overbid, 512 won, 1024 is_counted: one key is
        -- sooner grouped by than a filter is passed
        flags & 1922 as marks,
        count(*) as hands,
        sum(score) as score
    from games
    group by all
),
declared_counts as (
    select
        run,
        contract,
        hand_matadors,
        (marks & 2) <> 0 as is_hand,
        bid_value,
        hands,
        case when marks & 128 <> 0 then hands else 0 end as overbid_before,
        case when marks & 640 = 640 then hands else 0 end as rescued,
        case when marks & 256 <> 0 then hands else 0 end as overbid,
        case when marks & 256 <> 0 then -score else 0 end as score_lost
    from like_games
    where marks & 1024 <> 0 and contract <> 'null'
),
declared_margins as (
    select
        run,
        contract,
        hand_matadors,
        floor((base_value(contract) * (abs(hand_matadors) + 1 + is_hand::integer) - bid_value) / base_value(contract))
        ::smallint as bid_margin,
        hands,
        overbid_before,
        rescued,
        overbid,
        score_lost
    from declared_counts
),
declared_totals as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        coalesce(declared_margins.contract, 'all') as contract,
        coalesce(declared_margins.hand_matadors::varchar, 'all') as matadors,
        coalesce(declared_margins.bid_margin::varchar, 'all') as bid_margin,
        sum(hands)::bigint as hands,
        sum(overbid_before)::bigint as overbid_before,
        sum(rescued)::bigint as rescued,
        sum(overbid)::bigint as overbid,
        sum(score_lost)::bigint as score_lost
    from declared_margins
    join run_cohorts on run_cohorts.run = declared_margins.run
    group by grouping sets (
        (runs, ruleset, policies, declared_margins.contract, hand_matadors, declared_margins.bid_margin),
        (runs, ruleset, policies, declared_margins.contract, hand_matadors),
        (runs, ruleset, policies, declared_margins.contract, declared_margins.bid_margin),
        (runs, ruleset, policies, declared_margins.contract),
        (runs, ruleset, policies, declared_margins.bid_margin),
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
        dealt_totals.bid_margin::varchar as bid_margin,
        dealt_totals.deals,
        dealt_totals.hands,
        -- the hands of a deal and its contracts hang together: added up, deals are counted
        case when dealt_totals.contract = 'all' then dealt_totals.contract_count else 1 end
        * case when dealt_totals.matadors = 'all' then 3 else 1 end as cluster,
        null::bigint as overbid_before,
        null::bigint as rescued,
        dealt_totals.overbid,
        rate(exact_totals.overbid, exact_totals.pairs) as overbid_exact,
        null::bigint as score_lost
    from dealt_totals
    join exact_totals
        on exact_totals.contract = dealt_totals.contract
        and exact_totals.matadors = dealt_totals.matadors
        and exact_totals.bid_margin = dealt_totals.bid_margin
    union all
    select
        'declared',
        runs,
        ruleset,
        policies,
        contract,
        matadors,
        bid_margin,
        null,
        hands,
        1.0,
        overbid_before,
        rescued,
        overbid,
        null,
        score_lost
    from declared_totals
)
select
    part,
    runs,
    ruleset,
    policies,
    contract,
    matadors,
    bid_margin,
    deals,
    hands,
    overbid_before,
    rate(overbid_before, hands) as overbid_before_rate,
    wilson_low(overbid_before, hands) as overbid_before_rate_low,
    wilson_high(overbid_before, hands) as overbid_before_rate_high,
    rescued,
    rate(rescued, overbid_before) as rescued_rate,
    wilson_low(rescued, overbid_before) as rescued_rate_low,
    wilson_high(rescued, overbid_before) as rescued_rate_high,
    overbid,
    rate(overbid, hands) as overbid_rate,
    wilson_low(overbid / cluster, hands / cluster) as overbid_rate_low,
    wilson_high(overbid / cluster, hands / cluster) as overbid_rate_high,
    overbid_exact,
    score_lost,
    rate(score_lost, hands) as score_lost_per_game
from parts
order by
    part,
    runs,
    contract_order(contract),
    matadors = 'all',
    try_cast(matadors as integer) < 0,
    abs(try_cast(matadors as integer)),
    bid_margin = 'all',
    try_cast(bid_margin as integer);
