-- question: which seat declares what, and with what success?
-- grain: seat, contract
-- columns: seat, contract, games, declared_rate, win_rate ±, score_per_game
-- chart: declared_rate by seat where contract = all
-- note: `declared_rate` is the share of the counted games in which this seat declared this contract.
with
run_counts as (
    select
        run,
        declarer_seat,
        contract,
        count(*) as games,
        count(*) filter (is_won) as wins,
        sum(score)::bigint as score
    from games
    where is_counted
    group by all
),
cohort_counts as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        case run_counts.declarer_seat when 0 then 'forehand' when 1 then 'middlehand' else 'rearhand' end
            as seat,
        run_counts.contract,
        run_counts.games,
        run_counts.wins,
        run_counts.score
    from run_counts
    join run_cohorts on run_cohorts.run = run_counts.run
),
totals as (
    select
        runs,
        ruleset,
        policies,
        coalesce(seat, 'all') as seat,
        coalesce(contract, 'all') as contract,
        sum(games)::bigint as games,
        sum(wins)::bigint as wins,
        sum(score)::bigint as score
    from cohort_counts
    group by grouping sets (
        (runs, ruleset, policies, seat, contract),
        (runs, ruleset, policies, seat),
        (runs, ruleset, policies, contract),
        (runs, ruleset, policies)
    )
),
shares as (
    select
        totals.*,
        max(games) over (partition by runs, ruleset, policies) as all_games
    from totals
)
select
    runs,
    ruleset,
    policies,
    seat,
    contract,
    games,
    all_games,
    rate(games, all_games) as declared_rate,
    wilson_low(games, all_games) as declared_rate_low,
    wilson_high(games, all_games) as declared_rate_high,
    wins,
    rate(wins, games) as win_rate,
    wilson_low(wins, games) as win_rate_low,
    wilson_high(wins, games) as win_rate_high,
    rate(score, games) as score_per_game
from shares
order by
    runs,
    case seat when 'forehand' then 0 when 'middlehand' then 1 when 'rearhand' then 2 else 3 end,
    contract_order(contract);
