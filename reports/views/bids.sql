-- Bids: one row per call of the auction; numbers from 1. Middlehand says and forehand answers until
-- one of them passes; then rearhand says and the other answers; what comes after a second pass is
-- forehand alone. bid_value is the value said or held, null for a pass.
create or replace view bids as
with
auctions as (
    select
        run,
        hand_number,
        list_transform(
            range(1, octet_length(calls) // 2 + 1),
            lambda k: call_at(calls, k)
        ) as calls
    from read_parquet(getvariable('parts'))
    where octet_length(calls) > 0
),
first_passes as (
    select
        run,
        hand_number,
        calls,
        coalesce(list_position(calls, 0), len(calls)) as first_pass
    from auctions
),
passes as (
    select
        run,
        hand_number,
        calls,
        first_pass,
        coalesce(first_pass + list_position(calls[first_pass + 1:], 0), len(calls)) as second_pass
    from first_passes
),
numbered as (
    select
        run,
        hand_number,
        calls,
        first_pass,
        second_pass,
        unnest(range(1, len(calls) + 1)) as call_number
    from passes
)
select
    run,
    hand_number,
    call_number::smallint as call_number,
    case
        when call_number <= first_pass then call_number % 2
        when call_number > second_pass then 0
        when (call_number - first_pass) % 2 = 1 then 2
        else 1 - first_pass % 2
    end::tinyint as seat,
    case calls[call_number]
        when 0 then 'pass'
        when 1 then 'hold'
        when 2 then 'play'
        else 'bid'
    end as call,
    case calls[call_number]
        when 0 then null
        when 1 then calls[call_number - 1]
        when 2 then 18
        else calls[call_number]
    end::smallint as bid_value
from numbered;
