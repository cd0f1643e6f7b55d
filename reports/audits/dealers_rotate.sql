-- question: in a series the deal goes round: each player deals in his turn
-- grain: run, series_id, deal
with
deals as (
    select distinct
        run,
        series_id,
        deal,
        table_size,
        dealer
    from list_entries
),
turns as (
    select distinct
        run,
        series_id,
        player,
        place
    from list_entries
)
select
    deals.run,
    deals.series_id,
    deals.deal,
    deals.dealer
from deals
left join turns
    on turns.run = deals.run
    and turns.series_id = deals.series_id
    and turns.player = deals.dealer
where turns.place is distinct from (deals.deal - 1) % deals.table_size + 1
order by
    deals.run,
    deals.series_id,
    deals.deal;
