-- question: what did each player give away against best play on open cards, and in which phase?
-- grain: player, phase
-- columns: player, phase, games, decisions, mistake_rate ±, changed_game_rate ±,
--   card_points_per_game, score_per_game
-- param least_games = 1: reviewed games a player must have to be listed
-- note: All cards lay open for this. The players did not see them: what gave something away may have
--   been the right thing to do.
-- note: Only games reviewed by 'skatsim review --run NAME' count; discard and contract only with
--   --with-discards and --with-contracts.
-- note: A decision changed the winner when its side won with best play before it and lost after it:
--   61 card points, 90 or all tricks where announced; only the contract counts overbidding.
-- note: Card points leave null games out. The score is what another contract would have brought more.
with
seat_players as (
    select
        run,
        hand_number,
        unnest([0, 1, 2]) as seat,
        unnest([forehand_player, middlehand_player, rearhand_player]) as player
    from games
),
game_sums as (
    select
        run,
        hand_number,
        seat,
        phase,
        count(*) as decisions,
        count(*) filter (
            is_changed or card_points_given_away > 0 or score_given_away > 0
        ) as mistakes,
        count(*) filter (is_changed) as changed,
        sum(card_points_given_away)::bigint as card_points,
        sum(score_given_away)::bigint as score
    from reviews
    group by all
),
run_counts as (
    select
        game_sums.run,
        seat_players.player,
        game_sums.phase,
        count(*) as games,
        sum(game_sums.decisions)::bigint as decisions,
        sum(game_sums.mistakes)::bigint as mistakes,
        sum(game_sums.changed)::bigint as changed,
        count(*) filter (game_sums.changed > 0) as changed_games,
        count(game_sums.card_points) as point_games,
        sum(game_sums.card_points)::bigint as card_points,
        sum(game_sums.card_points * game_sums.card_points)::bigint as card_point_squares,
        count(game_sums.score) as score_games,
        sum(game_sums.score)::bigint as score,
        sum(game_sums.score * game_sums.score)::bigint as score_squares
    from game_sums
    join seat_players
        on seat_players.run = game_sums.run
        and seat_players.hand_number = game_sums.hand_number
        and seat_players.seat = game_sums.seat
    group by all
),
totals as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        run_counts.player,
        run_counts.phase,
        grouping(run_counts.player) = 1 as is_total,
        sum(games)::bigint as games,
        sum(decisions)::bigint as decisions,
        sum(mistakes)::bigint as mistakes,
        sum(changed)::bigint as changed,
        sum(changed_games)::bigint as changed_games,
        sum(point_games)::bigint as point_games,
        sum(card_points)::bigint as card_points,
        sum(card_point_squares)::bigint as card_point_squares,
        sum(score_games)::bigint as score_games,
        sum(score)::bigint as score,
        sum(score_squares)::bigint as score_squares
    from run_counts
    join run_cohorts on run_cohorts.run = run_counts.run
    group by grouping sets (
        (run_cohorts.runs, run_cohorts.ruleset, run_cohorts.policies, player, phase),
        (run_cohorts.runs, run_cohorts.ruleset, run_cohorts.policies, phase)
    )
)
select
    runs,
    ruleset,
    policies,
    case when is_total then 'all' else player end as player,
    phase,
    games,
    decisions,
    mistakes,
    rate(mistakes, decisions) as mistake_rate,
    wilson_low(mistakes, decisions) as mistake_rate_low,
    wilson_high(mistakes, decisions) as mistake_rate_high,
    changed,
    rate(changed, decisions) as changed_rate,
    wilson_low(changed, decisions) as changed_rate_low,
    wilson_high(changed, decisions) as changed_rate_high,
    changed_games,
    rate(changed_games, games) as changed_game_rate,
    wilson_low(changed_games, games) as changed_game_rate_low,
    wilson_high(changed_games, games) as changed_game_rate_high,
    point_games,
    card_points as card_points_given_away,
    rate(card_points, point_games) as card_points_per_game,
    round(
        card_points / point_games - mean_margin(point_games, card_points, card_point_squares), 9
    ) as card_points_per_game_low,
    round(
        card_points / point_games + mean_margin(point_games, card_points, card_point_squares), 9
    ) as card_points_per_game_high,
    score as score_given_away,
    rate(score, score_games) as score_per_game,
    round(score / score_games - mean_margin(score_games, score, score_squares), 9)
        as score_per_game_low,
    round(score / score_games + mean_margin(score_games, score, score_squares), 9)
        as score_per_game_high
from totals
where is_total or games >= $least_games
order by
    runs,
    is_total,
    player,
    case phase
        when 'contract' then 1
        when 'discard' then 2
        when 'declarer play' then 3
        else 4
    end;
