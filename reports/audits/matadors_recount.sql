-- question: the matadors are those of the declarer's hand, with the skat and without it
-- grain: run, hand_number
select
    run,
    hand_number,
    matadors,
    hand_matadors
from games
where matadors is not null
    and status not in ('partial_view', 'result_only')
    and ruleset = 'isko'
    and (
        matadors <> case
            when contract = 'grand' then row_matadors(grand_row(jack_row(declarer_mask | skat_mask)))
            else row_matadors(suit_row(declarer_mask | skat_mask, suit_shift(contract)))
        end
        or hand_matadors is distinct from case
            when contract = 'grand' then row_matadors(grand_row(jack_row(declarer_mask)))
            else row_matadors(suit_row(declarer_mask, suit_shift(contract)))
        end
    )
order by
    run,
    hand_number;
