-- List entries: one row per deal of a series and player of its table, the sitting dealer among them:
-- what the deal writes into his column. `place` is his turn to deal in the series, from 1; `seat` is
-- null for the one who sits out. Series are left out whose table is not known.
create or replace view list_entries as
with
deals_of_series as (
    select
        run,
        coalesce(server || ':', '') || series_id as series_id,
        hand_number,
        row_number() over (
            partition by run, server, series_id
            order by hand_number
        ) as deal,
        table_size,
        [forehand_player, middlehand_player, rearhand_player] as trio,
        dealer_player,
        declarer_seat,
        contract,
        is_won,
        [forehand_score, middlehand_score, rearhand_score] as scores,
        [forehand_seeger_fabian, middlehand_seeger_fabian, rearhand_seeger_fabian] as seeger_fabians,
        dealer_seeger_fabian
    from games
    where series_id is not null
        and status not in ('aborted', 'partial_view')
),
named as (
    select
        run,
        series_id,
        any_value(table_size) as table_size,
        list_sort(list_distinct(flatten(list(trio)))) as names
    from deals_of_series
    group by all
    having min(table_size) = max(table_size)
        and count(*) = count(table_size)
),
known as (
    select *
    from named
    where len(names) = table_size
),
dealt as (
    select
        deals_of_series.*,
        -- at a table of four he is the one of the four who does not play
        case deals_of_series.table_size
            when 3 then trio[3]
            else list_filter(known.names, lambda name: not list_contains(trio, name))[1]
        end as dealer
    from deals_of_series
    join known
        on known.run = deals_of_series.run
        and known.series_id = deals_of_series.series_id
),
tables as (
    select
        run,
        series_id,
        -- who deals first, then the others to his left
        case any_value(table_size)
            when 3 then list_prepend(arg_min(dealer, deal), arg_min(trio, deal)[1:2])
            else list_prepend(arg_min(dealer, deal), arg_min(trio, deal))
        end as players
    from dealt
    group by all
),
places as (
    select
        run,
        series_id,
        players,
        unnest(range(1, len(players) + 1)) as place
    from tables
),
seated as (
    select
        dealt.*,
        places.place,
        places.players[places.place] as player,
        list_position(dealt.trio, places.players[places.place]) as chair
    from dealt
    join places
        on places.run = dealt.run
        and places.series_id = dealt.series_id
)
select
    run,
    series_id,
    hand_number,
    deal::integer as deal,
    table_size,
    dealer,
    place::tinyint as place,
    player,
    (chair - 1)::tinyint as seat,
    declarer_seat,
    coalesce(declarer_seat = chair - 1, false) as is_declarer,
    contract,
    is_won,
    case when chair is null then 0 else scores[chair] end as score,
    case when chair is null then dealer_seeger_fabian else seeger_fabians[chair] end as seeger_fabian
from seated;
