-- question: what becomes of a bid, by the value that won the auction?
-- grain: bid_value
-- columns: bid_value, games, share, wins, win_rate ±, overbid_rate, score_per_game
-- chart: win_rate by bid_value
-- note: Rates count all games but aborted, passed-in and partly known ones.
with
run_counts as (
    select
        run,
        bid_value,
        count(*) as games,
        count(*) filter (is_won) as wins,
        count(*) filter (is_overbid) as overbid,
        sum(score)::bigint as score
    from games
    where is_counted and bid_value is not null
    group by all
),
totals as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        coalesce(run_counts.bid_value::varchar, 'all') as bid_value,
        sum(games)::bigint as games,
        sum(wins)::bigint as wins,
        sum(overbid)::bigint as overbid,
        sum(score)::bigint as score
    from run_counts
    join run_cohorts on run_cohorts.run = run_counts.run
    group by grouping sets (
        (runs, run_cohorts.ruleset, policies, run_counts.bid_value),
        (runs, run_cohorts.ruleset, policies)
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
    bid_value,
    games,
    all_games,
    rate(games, all_games) as share,
    wilson_low(games, all_games) as share_low,
    wilson_high(games, all_games) as share_high,
    wins,
    rate(wins, games) as win_rate,
    wilson_low(wins, games) as win_rate_low,
    wilson_high(wins, games) as win_rate_high,
    overbid,
    rate(overbid, games) as overbid_rate,
    wilson_low(overbid, games) as overbid_rate_low,
    wilson_high(overbid, games) as overbid_rate_high,
    rate(score, games) as score_per_game
from shares
order by
    runs,
    try_cast(bid_value as integer);
