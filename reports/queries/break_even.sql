-- question: how often must a game of this value be won, and how often was it?
-- grain: simple_value
-- columns: simple_value, games, wins, win_rate ±, plain_exact, seeger_exact, lead_exact, score_per_game
-- note: `simple_value` is what the game is worth if it is just won: with what was announced, without
--   schneider or schwarz beyond that. Games that were overbid before play are left out.
-- note: From `plain` on the score of the declarer rises in the mean, from `seeger` on his
--   list by Seeger-Fabian, from `lead` on his lead over each opponent at a table of three, who gets 40
--   for a game he loses.
with
valued as (
    select
        run,
        is_won,
        score,
        case
            when contract = 'null' then game_value
            else game_value // multiplier
                * (
                    abs(matadors)
                    + 1
                    + is_hand::integer
                    + 2 * is_schneider_announced::integer
                    + 2 * is_schwarz_announced::integer
                    + is_ouvert::integer
                )
        end as simple_value
    from games
    where is_counted and not is_overbid_before_play and game_value is not null
),
run_counts as (
    select
        run,
        simple_value,
        count(*) as games,
        count(*) filter (is_won) as wins,
        sum(score)::bigint as score
    from valued
    group by all
),
totals as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        run_counts.simple_value,
        sum(run_counts.games)::bigint as games,
        sum(run_counts.wins)::bigint as wins,
        sum(run_counts.score)::bigint as score
    from run_counts
    join run_cohorts on run_cohorts.run = run_counts.run
    group by all
)
select
    runs,
    ruleset,
    policies,
    simple_value::varchar as simple_value,
    games,
    wins,
    rate(wins, games) as win_rate,
    wilson_low(wins, games) as win_rate_low,
    wilson_high(wins, games) as win_rate_high,
    2 / 3 as plain_exact,
    (2 * simple_value + 50) / (3 * simple_value + 100) as seeger_exact,
    (2 * simple_value + 90) / (3 * simple_value + 140) as lead_exact,
    rate(score, games) as score_per_game
from totals
order by
    runs,
    ruleset,
    policies,
    totals.simple_value;
