-- question: which games are declared, and how often are they won?
-- grain: contract, hand, announcement
-- columns: contract, hand, announcement, games, share, win_rate ±, mean_card_points,
--   schneider_rate, schwarz_rate, score_per_game
-- chart: win_rate by contract where hand = all and announcement = all
-- note: Rates count all games but aborted, passed-in and partly known ones; intervals are 95 %
--   (Wilson; for the mean score its normal interval).
-- note: Schneider and schwarz count either side, in suit games and grand.
with
like_games as (
    -- games that count alike are counted first: sums over them are then soon made
    select
        run,
        contract,
        -- 2 hand, 4 and 8 schneider and schwarz announced, 16 ouvert, 32 schneider, 64 schwarz,
        -- 1024 is_counted: one key is sooner grouped by than a filter is passed
        flags & 1150 as marks,
        score::integer as score,
        count(*) as games,
        sum(declarer_card_points)::bigint as card_points
    from games
    group by all
),
run_counts as (
    select
        run,
        contract,
        (marks & 2) <> 0 as is_hand,
        case
            when marks & 16 <> 0 then 'ouvert'
            when marks & 8 <> 0 then 'schwarz'
            when marks & 4 <> 0 then 'schneider'
            else 'none'
        end as announcement,
        sum(games)::bigint as games,
        coalesce(sum(games) filter (score > 0), 0)::bigint as wins,
        sum(card_points)::bigint as card_points,
        coalesce(sum(games) filter (contract <> 'null' and marks & 32 <> 0), 0)::bigint as schneider,
        coalesce(sum(games) filter (contract <> 'null' and marks & 64 <> 0), 0)::bigint as schwarz,
        sum(games * score)::bigint as score,
        sum(games * score * score)::bigint as squares
    from like_games
    where marks & 1024 <> 0
    group by all
),
cohort_counts as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        run_counts.contract,
        case when run_counts.is_hand then 'yes' else 'no' end as hand,
        run_counts.announcement,
        run_counts.contract <> 'null' as has_trumps,
        run_counts.games,
        run_counts.wins,
        run_counts.card_points,
        run_counts.schneider,
        run_counts.schwarz,
        run_counts.score,
        run_counts.squares
    from run_counts
    join run_cohorts on run_cohorts.run = run_counts.run
),
totals as (
    select
        runs,
        ruleset,
        policies,
        coalesce(contract, 'all') as contract,
        coalesce(hand, 'all') as hand,
        coalesce(announcement, 'all') as announcement,
        sum(games)::bigint as games,
        sum(wins)::bigint as wins,
        coalesce(sum(games) filter (has_trumps), 0)::bigint as trump_games,
        sum(card_points) filter (has_trumps)::bigint as card_points,
        coalesce(sum(schneider), 0)::bigint as schneider,
        coalesce(sum(schwarz), 0)::bigint as schwarz,
        sum(score)::bigint as score,
        sum(squares)::bigint as squares
    from cohort_counts
    group by grouping sets (
        (runs, ruleset, policies, contract, hand, announcement),
        (runs, ruleset, policies, contract),
        (runs, ruleset, policies, hand),
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
    contract,
    hand,
    announcement,
    games,
    all_games,
    rate(games, all_games) as share,
    wilson_low(games, all_games) as share_low,
    wilson_high(games, all_games) as share_high,
    wins,
    rate(wins, games) as win_rate,
    wilson_low(wins, games) as win_rate_low,
    wilson_high(wins, games) as win_rate_high,
    trump_games,
    rate(card_points, trump_games) as mean_card_points,
    case when trump_games > 0 then schneider end as schneider,
    rate(schneider, trump_games) as schneider_rate,
    wilson_low(schneider, trump_games) as schneider_rate_low,
    wilson_high(schneider, trump_games) as schneider_rate_high,
    case when trump_games > 0 then schwarz end as schwarz,
    rate(schwarz, trump_games) as schwarz_rate,
    wilson_low(schwarz, trump_games) as schwarz_rate_low,
    wilson_high(schwarz, trump_games) as schwarz_rate_high,
    rate(score, games) as score_per_game,
    round(score / games - mean_margin(games, score, squares), 9) as score_per_game_low,
    round(score / games + mean_margin(games, score, squares), 9) as score_per_game_high
from shares
order by
    runs,
    contract_order(contract),
    hand = 'all',
    hand,
    case announcement
        when 'none' then 0
        when 'schneider' then 1
        when 'schwarz' then 2
        when 'ouvert' then 3
        else 4
    end;
