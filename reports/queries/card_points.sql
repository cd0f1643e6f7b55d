-- question: how many card points does the declarer make?
-- grain: contract, card_points
-- columns: contract, card_points, games, share, at_least_share
-- note: Suit games and grands that were played to an end; `at_least_share` is the share of games with so
--   many card points or more.
with
run_counts as (
    select
        run,
        contract,
        declarer_card_points as card_points,
        count(*) as games
    from games
    where is_counted and matadors is not null and declarer_card_points is not null
    group by all
),
totals as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        coalesce(run_counts.contract, 'all') as contract,
        run_counts.card_points,
        sum(run_counts.games)::bigint as games
    from run_counts
    join run_cohorts on run_cohorts.run = run_counts.run
    group by grouping sets (
        (runs, run_cohorts.ruleset, policies, run_counts.contract, run_counts.card_points),
        (runs, run_cohorts.ruleset, policies, run_counts.card_points)
    )
),
shares as (
    select
        totals.*,
        (sum(games) over (partition by runs, ruleset, policies, contract))::bigint as all_games,
        (
            sum(games) over (
                partition by runs, ruleset, policies, contract
                order by card_points desc
            )
        )::bigint as at_least
    from totals
)
select
    runs,
    ruleset,
    policies,
    contract,
    card_points,
    games,
    all_games,
    rate(games, all_games) as share,
    wilson_low(games, all_games) as share_low,
    wilson_high(games, all_games) as share_high,
    at_least,
    rate(at_least, all_games) as at_least_share,
    wilson_low(at_least, all_games) as at_least_share_low,
    wilson_high(at_least, all_games) as at_least_share_high
from shares
order by
    runs,
    contract_order(contract),
    card_points;
