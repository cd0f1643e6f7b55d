-- question: how often is each contract played, beside people at tables and online?
-- grain: contract
-- columns: contract, games, share ±, human_share, win_rate ±, human_won
-- chart: share by contract
-- note: Shares are of the games played; `passed_in` is of all deals. Aborted and partly known games
--   are left out.
-- note: Human figures: 17,967,106 tournament games played online (Skatblog, Skat in Zahlen 2). They are
--   there to compare, not a target.
with
run_counts as (
    select
        run,
        case when is_counted then contract else 'passed_in' end as contract,
        is_counted,
        count(*) as games,
        count(*) filter (is_won) as wins
    from games
    where is_counted or (end_reason = 'passed_in' and status <> 'aborted')
    group by all
),
cohort_counts as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        run_counts.contract,
        run_counts.is_counted,
        sum(run_counts.games)::bigint as games,
        sum(run_counts.wins)::bigint as wins
    from run_counts
    join run_cohorts on run_cohorts.run = run_counts.run
    group by all
),
totals as (
    select runs, ruleset, policies, contract, is_counted, games, wins
    from cohort_counts
    union all
    select runs, ruleset, policies, 'all', true, sum(games)::bigint, sum(wins)::bigint
    from cohort_counts
    where is_counted
    group by all
),
shares as (
    select
        totals.runs,
        totals.ruleset,
        totals.policies,
        totals.contract,
        totals.is_counted,
        totals.games,
        totals.wins,
        sum(totals.games) filter (totals.contract = 'all' or (totals.contract = 'passed_in' and not totals.is_counted))
            over cohort as deals,
        coalesce(sum(totals.games) filter (totals.contract = 'all') over cohort, 0) as played
    from totals
    window cohort as (partition by totals.runs, totals.ruleset, totals.policies)
),
counted as (
    select
        runs,
        ruleset,
        policies,
        contract,
        is_counted,
        games,
        wins,
        (case when is_counted then played else deals end)::bigint as all_games
    from shares
),
humans as (
    select unnest(['clubs', 'spades', 'hearts', 'diamonds', 'grand', 'null', 'all', 'passed_in']) as contract,
        unnest([0.211, 0.162, 0.134, 0.107, 0.322, 0.064, 1.0, 0.049]::double[]) as human_share,
        unnest([0.775, 0.779, 0.777, 0.775, 0.914, 0.707, 0.8164, null]::double[]) as human_won
)
select
    counted.runs,
    counted.ruleset,
    counted.policies,
    counted.contract,
    counted.games,
    counted.all_games,
    rate(counted.games, counted.all_games) as share,
    wilson_low(counted.games, counted.all_games) as share_low,
    wilson_high(counted.games, counted.all_games) as share_high,
    humans.human_share,
    case when counted.is_counted then counted.wins end as wins,
    case when counted.is_counted then rate(counted.wins, counted.games) end as win_rate,
    case when counted.is_counted then wilson_low(counted.wins, counted.games) end as win_rate_low,
    case when counted.is_counted then wilson_high(counted.wins, counted.games) end as win_rate_high,
    humans.human_won
from counted
left join humans on humans.contract = counted.contract
order by
    counted.runs,
    counted.contract = 'passed_in',
    contract_order(counted.contract);
