-- question: a hand number stands once in its run
-- grain: run, hand_number
select
    run,
    hand_number,
    count(*) as games
from games
group by all
having count(*) > 1
order by
    run,
    hand_number;
