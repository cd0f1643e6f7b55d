-- question: who stands where after each series, and after all?
-- grain: series_id, player
-- columns: series_id, rank, player, deals, won, lost, score, own_games, others_lost, total
-- param tie_rule = skwo of skwo, shared: `skwo`: more games won, then fewer lost, decide a tie; `shared`: a
--   tie stays a tie
-- param scoring = seeger_fabian of seeger_fabian, own_games, plain: `own_games`: 50 for each own game
-- param each = true of true, false: false leaves out the single series
-- note: `score` is the plain list, `own_games` 50 for each game won less those lost, `others_lost` 40 or 30 for
--   each game another player lost; `total` is their sum, as far as the scoring counts them. Where `{tie_rule}`
--   leaves a tie, lots are drawn; the rank is shared here.
with
sums as (
    select
        run,
        series_id,
        player,
        count(*) as deals,
        min(hand_number) as first_hand,
        count(*) filter (is_declarer and is_won) as won,
        count(*) filter (is_declarer and not is_won) as lost,
        sum(score) as score,
        coalesce(sum(seeger_fabian - score) filter (is_declarer), 0) as own_games,
        coalesce(sum(seeger_fabian - score) filter (not is_declarer), 0) as others_lost
    from list_entries
    group by all
),
grouped as (
    select
        run,
        coalesce(series_id, 'all') as series_id,
        series_id is null as is_all,
        player,
        sum(deals)::bigint as deals,
        min(first_hand) as first_hand,
        sum(won)::bigint as won,
        sum(lost)::bigint as lost,
        sum(score)::bigint as score,
        sum(own_games)::bigint as own_games,
        sum(others_lost)::bigint as others_lost
    from sums
    group by grouping sets ((run, series_id, player), (run, player))
),
totals as (
    select
        *,
        score
        + case when $scoring in ('own_games', 'seeger_fabian') then own_games else 0 end
        + case when $scoring = 'seeger_fabian' then others_lost else 0 end as total,
        case when $tie_rule = 'skwo' then won else 0 end as first_tie,
        case when $tie_rule = 'skwo' then lost else 0 end as second_tie
    from grouped
    where is_all or $each
),
ranked as (
    select
        *,
        rank() over (
            partition by run, is_all, series_id
            order by total desc, first_tie desc, second_tie
        ) as rank,
        min(first_hand) over (partition by run, is_all, series_id) as series_start
    from totals
)
select
    ranked.run as runs,
    run_cohorts.ruleset,
    run_cohorts.policies,
    ranked.series_id,
    ranked.rank::integer as rank,
    ranked.player,
    ranked.deals,
    ranked.won,
    ranked.lost,
    ranked.score,
    ranked.own_games,
    ranked.others_lost,
    ranked.total
from ranked
join run_cohorts on run_cohorts.run = ranked.run
order by
    ranked.run,
    is_all desc,
    series_start,
    rank,
    player;
