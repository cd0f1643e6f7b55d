-- question: how far can the records be trusted?
-- grain: run, status
-- columns: run, source, status, games, share
-- note: `simulated` and `verified`: every card known and replayed. `inferred_end`: the end was worked out.
--   `result_mismatch`: the record states another result than the rules give. What could not be read at
--   all is in the run's rejects.jsonl.
with
counts as (
    select
        run,
        source,
        status,
        count(*) as games,
        count(*) filter (end_reason not in ('ten_tricks', 'decided_early', 'passed_in')) as ended_early,
        count(*) filter (recorded_score is not null) as with_recorded_score,
        count(*) filter (recorded_score <> score) as score_differs
    from games
    group by all
),
totals as (
    select
        coalesce(run, 'all') as run,
        coalesce(source, 'all') as source,
        coalesce(status, 'all') as status,
        sum(games)::bigint as games,
        sum(ended_early)::bigint as ended_early,
        sum(with_recorded_score)::bigint as with_recorded_score,
        sum(score_differs)::bigint as score_differs
    from counts
    group by grouping sets ((run, source, status), (run, source), ())
),
shares as (
    select
        totals.*,
        case
            when run = 'all' then games
            else max(games) over (partition by run)
        end as all_games
    from totals
)
select
    run,
    source,
    status,
    games,
    all_games,
    rate(games, all_games) as share,
    wilson_low(games, all_games) as share_low,
    wilson_high(games, all_games) as share_high,
    ended_early,
    with_recorded_score,
    score_differs
from shares
order by
    run = 'all',
    run,
    status = 'all',
    status;
