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
        matadors <> matadors_of(contract, declarer_mask | skat_mask)
        or hand_matadors is distinct from matadors_of(contract, declarer_mask)
    )
order by
    run,
    hand_number;
