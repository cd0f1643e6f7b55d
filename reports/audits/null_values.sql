-- question: a null game that holds its bid is worth 23, 35, 46 or 59, and is won without a trick
-- grain: run, hand_number
select
    run,
    hand_number,
    game_value
from games
where contract = 'null'
    and is_counted
    and ruleset = 'isko'
    and (
        game_value <> case
            when is_hand and is_ouvert then 59
            when is_ouvert then 46
            when is_hand then 35
            else 23
        end
        or (is_won and declarer_trick_count > 0)
    )
order by
    run,
    hand_number;
