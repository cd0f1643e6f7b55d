-- question: game value, charged value and score follow from matadors, levels, bid and result
-- grain: run, hand_number
with
valued as (
    select
        run,
        hand_number,
        contract,
        bid_value,
        multiplier,
        game_value,
        charged_value,
        entry_factor,
        is_overbid,
        is_won,
        score,
        base_value(contract) * multiplier as expected_value,
        base_value(contract) * ((bid_value + base_value(contract) - 1) // base_value(contract)) as least_value
    from games
    where matadors is not null
        and ruleset = 'isko'
        and status not in ('aborted', 'result_only')
)
select
    run,
    hand_number,
    score
from valued
where game_value <> expected_value
    or is_overbid <> (expected_value < bid_value)
    or charged_value <> greatest(expected_value, least_value * is_overbid::integer)
    or score <> entry_factor * charged_value * case when is_won then 1 else -2 end
order by
    run,
    hand_number;
