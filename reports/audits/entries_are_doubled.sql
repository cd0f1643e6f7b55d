-- question: an entry is doubled once for each Kontra, Re and knock, times the factor of its Bock rounds
-- grain: run, hand_number
select
    run,
    hand_number,
    entry_factor
from games
where entry_factor <> bock_factor * 2 ** (kontra_count + knock_count)
order by
    run,
    hand_number;
