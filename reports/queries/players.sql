-- question: how does each player do, as declarer and as defender?
-- grain: player
-- columns: player, games, declared_rate, win_rate ±, defended, defence_rate, score_per_deal,
--   seeger_fabian_per_deal
-- param least_games = 1: games a player must have to be listed
-- note: Per deal, passed-in deals included, and at a table of four those in which he dealt and sat out.
--   `seeger_fabian_declaring`, `seeger_fabian_defending`, `seeger_fabian_sitting_out` and
--   `seeger_fabian_ramsch` add up to `seeger_fabian_per_deal`; `defence_rate` is the share of defended games
--   that the declarer lost.
-- note: A name that is missing, empty or the word NULL is three different players.
with
seat_games as (
    select
        run,
        unnest([0, 1, 2]) as seat,
        unnest([forehand_player, middlehand_player, rearhand_player]) as player,
        unnest([forehand_score, middlehand_score, rearhand_score]) as score,
        unnest([forehand_seeger_fabian, middlehand_seeger_fabian, rearhand_seeger_fabian])
            as seeger_fabian,
        declarer_seat,
        is_won,
        is_counted
    from games
    where is_counted
        or (contract = 'ramsch' and status not in ('aborted', 'partial_view'))
        or (end_reason = 'passed_in' and status <> 'aborted')
    union all
    -- at a table of four the dealer sits out, and is given what the others win
    select
        run,
        null as seat,
        dealer_player as player,
        0 as score,
        dealer_seeger_fabian as seeger_fabian,
        declarer_seat,
        is_won,
        is_counted
    from games
    where table_size = 4
        and dealer_player is not null
        and (
            is_counted
            or (contract = 'ramsch' and status not in ('aborted', 'partial_view'))
            or (end_reason = 'passed_in' and status <> 'aborted')
        )
),
run_counts as (
    select
        run,
        player,
        count(*) as deals,
        count(seat) as games,
        count(*) filter (is_counted and seat = declarer_seat) as declared,
        count(*) filter (is_counted and seat = declarer_seat and is_won) as wins,
        count(*) filter (is_counted and seat <> declarer_seat) as defended,
        count(*) filter (is_counted and seat <> declarer_seat and not is_won) as defences,
        sum(score)::bigint as score,
        coalesce(sum(seeger_fabian) filter (seat = declarer_seat), 0)::bigint as declaring,
        coalesce(sum(seeger_fabian) filter (seat <> declarer_seat), 0)::bigint as defending,
        coalesce(sum(seeger_fabian) filter (seat is null), 0)::bigint as sitting,
        coalesce(sum(seeger_fabian) filter (seat is not null and declarer_seat is null), 0)::bigint
            as ramsch
    from seat_games
    group by all
),
totals as (
    select
        run_cohorts.runs,
        run_cohorts.ruleset,
        run_cohorts.policies,
        run_counts.player,
        sum(deals)::bigint as deals,
        sum(games)::bigint as games,
        sum(declared)::bigint as declared,
        sum(wins)::bigint as wins,
        sum(defended)::bigint as defended,
        sum(defences)::bigint as defences,
        sum(score)::bigint as score,
        sum(declaring)::bigint as declaring,
        sum(defending)::bigint as defending,
        sum(sitting)::bigint as sitting,
        sum(ramsch)::bigint as ramsch
    from run_counts
    join run_cohorts on run_cohorts.run = run_counts.run
    group by all
)
select
    runs,
    ruleset,
    policies,
    player,
    games,
    declared,
    rate(declared, games) as declared_rate,
    wilson_low(declared, games) as declared_rate_low,
    wilson_high(declared, games) as declared_rate_high,
    wins,
    rate(wins, declared) as win_rate,
    wilson_low(wins, declared) as win_rate_low,
    wilson_high(wins, declared) as win_rate_high,
    defended,
    defences,
    rate(defences, defended) as defence_rate,
    wilson_low(defences, defended) as defence_rate_low,
    wilson_high(defences, defended) as defence_rate_high,
    deals - games as sat_out,
    rate(score, deals) as score_per_deal,
    rate(declaring + defending + sitting + ramsch, deals) as seeger_fabian_per_deal,
    rate(declaring, deals) as seeger_fabian_declaring,
    rate(defending, deals) as seeger_fabian_defending,
    rate(sitting, deals) as seeger_fabian_sitting_out,
    rate(ramsch, deals) as seeger_fabian_ramsch
from totals
where games >= $least_games
order by
    runs,
    seeger_fabian_per_deal desc,
    player;
