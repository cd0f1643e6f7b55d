-- question: what does the list of a series look like, as a tournament writes it?
-- grain: series_id, line
-- columns: series_id, line, declarer, contract, value, entry_factor, score, total_1, total_2,
--   total_3, total_4
-- param series = all: one series by its id
-- param most = 5: series shown of each run, the first ones
-- note: `total_1` ... `total_4` are the running totals of `player_1` ... `player_4`, who deal in this order; `value`
--   is the value of the game, `score` what is entered for it, times `entry_factor`: Kontra, Bock and the like. A
--   Ramsch shows what its loser enters.
-- note: The foot: `won` and `lost` own games; `own` 50 for each won, -50 for each lost; `others` 40 at a table
--   of three, 30 at a table of four, for each game another player lost; `total` is the sum of the last
--   running total and these two.
with
chosen as (
    select run, series_id
    from (
        select
            run,
            series_id,
            row_number() over (partition by run order by min(hand_number)) as number
        from list_entries
        where $series::varchar = 'all' or series_id = $series::varchar
        group by run, series_id
    )
    where number <= $most
),
entries as (
    select
        list_entries.*,
        sum(list_entries.score) over (
            partition by list_entries.run, list_entries.series_id, list_entries.place
            order by list_entries.deal
        ) as total
    from list_entries
    join chosen
        on chosen.run = list_entries.run
        and chosen.series_id = list_entries.series_id
),
deal_lines as (
    select
        run,
        series_id,
        deal,
        any_value(hand_number) as hand_number,
        any_value(dealer) as dealer,
        max(player) filter (is_declarer) as declarer,
        max(player) filter (place = 1) as player_1,
        max(player) filter (place = 2) as player_2,
        max(player) filter (place = 3) as player_3,
        max(player) filter (place = 4) as player_4,
        max(total) filter (place = 1)::bigint as total_1,
        max(total) filter (place = 2)::bigint as total_2,
        max(total) filter (place = 3)::bigint as total_3,
        max(total) filter (place = 4)::bigint as total_4
    from entries
    group by all
),
sums as (
    select
        run,
        series_id,
        place,
        any_value(player) as player,
        count(*) filter (is_declarer and is_won) as won,
        count(*) filter (is_declarer and not is_won) as lost,
        sum(seeger_fabian - score) filter (is_declarer) as own_games,
        sum(seeger_fabian - score) filter (not is_declarer) as others_lost,
        sum(seeger_fabian) as total
    from entries
    group by all
),
foot_values as (
    select
        run,
        series_id,
        place,
        player,
        unnest(['won', 'lost', 'own', 'others', 'total']) as line,
        unnest([1, 2, 3, 4, 5]) as foot,
        unnest([won, lost, coalesce(own_games, 0), coalesce(others_lost, 0), total])::bigint as figure
    from sums
),
foot_lines as (
    select
        run,
        series_id,
        line,
        foot,
        max(player) filter (place = 1) as player_1,
        max(player) filter (place = 2) as player_2,
        max(player) filter (place = 3) as player_3,
        max(player) filter (place = 4) as player_4,
        max(figure) filter (place = 1) as total_1,
        max(figure) filter (place = 2) as total_2,
        max(figure) filter (place = 3) as total_3,
        max(figure) filter (place = 4) as total_4
    from foot_values
    group by all
),
firsts as (
    select run, series_id, min(hand_number) as first_hand
    from deal_lines
    group by all
),
lines as (
    select
        deal_lines.run,
        deal_lines.series_id,
        deal_lines.deal::varchar as line,
        deal_lines.deal as place,
        deal_lines.hand_number,
        deal_lines.dealer,
        deal_lines.declarer,
        games.contract,
        games.is_hand,
        games.is_ouvert,
        games.bid_value,
        games.matadors,
        games.declarer_card_points as card_points,
        games.game_value as value,
        games.entry_factor,
        games.is_won,
        case
            when games.declarer_seat is not null then games.score
            when games.contract <> 'ramsch' then null
            when greatest(games.forehand_score, games.middlehand_score, games.rearhand_score) > 0
                then greatest(games.forehand_score, games.middlehand_score, games.rearhand_score)
            else least(games.forehand_score, games.middlehand_score, games.rearhand_score)
        end as score,
        deal_lines.player_1,
        deal_lines.player_2,
        deal_lines.player_3,
        deal_lines.player_4,
        deal_lines.total_1,
        deal_lines.total_2,
        deal_lines.total_3,
        deal_lines.total_4
    from deal_lines
    join games
        on games.run = deal_lines.run
        and games.hand_number = deal_lines.hand_number
    union all by name
    select
        run,
        series_id,
        line,
        1000000 + foot as place,
        player_1,
        player_2,
        player_3,
        player_4,
        total_1,
        total_2,
        total_3,
        total_4
    from foot_lines
)
select
    lines.run as runs,
    run_cohorts.ruleset,
    run_cohorts.policies,
    lines.series_id,
    lines.line,
    lines.hand_number,
    lines.dealer,
    lines.declarer,
    lines.contract,
    lines.is_hand,
    lines.is_ouvert,
    lines.bid_value,
    lines.matadors,
    lines.card_points,
    lines.value,
    lines.entry_factor,
    lines.is_won,
    lines.score,
    lines.player_1,
    lines.player_2,
    lines.player_3,
    lines.player_4,
    lines.total_1,
    lines.total_2,
    lines.total_3,
    lines.total_4
from lines
join firsts
    on firsts.run = lines.run
    and firsts.series_id = lines.series_id
join run_cohorts on run_cohorts.run = lines.run
order by
    lines.run,
    firsts.first_hand,
    lines.place;
