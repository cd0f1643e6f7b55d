-- Games: one row per game; the only view that reads whole parts of the archive.
-- Every column is named. Parts of an older schema lack columns, which are null then: where there
-- are such parts (is_mixed), an empty table of the whole schema comes first.
create or replace view games as
select
    -- of one run the name is a constant, by which grouping costs nothing
    case when getvariable('only_run') is null then run else getvariable('only_run') end as run,
    hand_number,
    source,
    server,
    server_id,
    series_id,
    ruleset,
    status,
    end_reason,
    award,
    played_at,
    table_size,
    dealer_seat,
    forehand_player,
    middlehand_player,
    rearhand_player,
    -- who deals: rearhand at a table of three, the one who sits out at a table of four
    coalesce(dealer_player, case dealer_seat when 2 then rearhand_player end) as dealer_player,
    forehand_mask,
    middlehand_mask,
    rearhand_mask,
    skat_mask,
    discard_mask,
    calls,
    bid_value,
    declarer_seat,
    case declarer_seat
        when 0 then forehand_player
        when 1 then middlehand_player
        when 2 then rearhand_player
    end as declarer_player,
    case declarer_seat
        when 0 then forehand_mask
        when 1 then middlehand_mask
        when 2 then rearhand_mask
    end as declarer_mask,
    contract,
    case when declarer_seat is not null then (flags & 1) <> 0 end as is_skat_taken,
    case when game_value is not null then (flags & 2) <> 0 end as is_hand,
    case when game_value is not null then (flags & 4) <> 0 end as is_schneider_announced,
    case when game_value is not null then (flags & 8) <> 0 end as is_schwarz_announced,
    case when game_value is not null then (flags & 16) <> 0 end as is_ouvert,
    played,
    play_count,
    trick_winners,
    matadors,
    -- parts before schema 4 lack it
    case
        when not getvariable('is_mixed') or hand_matadors is not null then hand_matadors
        when matadors is not null then matadors_of(contract, declarer_mask)
    end as hand_matadors,
    multiplier,
    game_value,
    declarer_card_points,
    declarer_trick_count,
    charged_value,
    case when matadors is not null then (flags & 32) <> 0 end as is_schneider,
    case when matadors is not null then (flags & 64) <> 0 end as is_schwarz,
    case when game_value is not null then (flags & 128) <> 0 end as is_overbid_before_play,
    case when game_value is not null then (flags & 256) <> 0 end as is_overbid,
    case when game_value is not null then (flags & 512) <> 0 end as is_won,
    -- the games that rates count; parts before schema 4 do not mark them
    case
        when getvariable('is_mixed') then game_value is not null
            and status not in ('aborted', 'passed', 'partial_view', 'result_only')
        else (flags & 1024) <> 0
    end as is_counted,
    case when getvariable('is_mixed') and is_counted then flags | 1024 else flags end as flags,
    entry_factor,
    coalesce(bock_factor, 1)::smallint as bock_factor,
    coalesce(kontra_count, 0)::tinyint as kontra_count,
    kontra_seat,
    coalesce(house_flags & 1, 0) > 0 as is_spitze,
    coalesce(house_flags & 4, 0) > 0 as is_revolution,
    coalesce(house_flags & 8, 0) > 0 as is_given_up_refused,
    coalesce(house_flags & 16, 0) > 0 as is_given_up_accepted,
    coalesce(house_flags & 32, 0) > 0 as is_ramsch_round,
    coalesce(bit_count(knocks), 0)::tinyint as knock_count,
    coalesce(unseen_pushes, 0)::tinyint as unseen_pushes,
    forehand_push_mask,
    middlehand_push_mask,
    rearhand_push_mask,
    resort_mask,
    score,
    coalesce(forehand_entry, case when declarer_seat = 0 then score else 0 end) as forehand_score,
    coalesce(middlehand_entry, case when declarer_seat = 1 then score else 0 end) as middlehand_score,
    coalesce(rearhand_entry, case when declarer_seat = 2 then score else 0 end) as rearhand_score,
    case
        when status = 'aborted' then null
        when is_won is null then coalesce(forehand_entry, 0)
        when declarer_seat = 0 then score + case when is_won then 50 else -50 end
        when is_won then 0
        when table_size = 4 then 30
        else 40
    end as forehand_seeger_fabian,
    case
        when status = 'aborted' then null
        when is_won is null then coalesce(middlehand_entry, 0)
        when declarer_seat = 1 then score + case when is_won then 50 else -50 end
        when is_won then 0
        when table_size = 4 then 30
        else 40
    end as middlehand_seeger_fabian,
    case
        when status = 'aborted' then null
        when is_won is null then coalesce(rearhand_entry, 0)
        when declarer_seat = 2 then score + case when is_won then 50 else -50 end
        when is_won then 0
        when table_size = 4 then 30
        else 40
    end as rearhand_seeger_fabian,
    case
        when table_size is distinct from 4 or status = 'aborted' then null
        when is_won is null or is_won then 0
        else 30
    end as dealer_seeger_fabian,
    recorded_score,
    recorded_card_points,
    source_text,
    fault
from read_parquet(getvariable('game_parts'), union_by_name = getvariable('is_mixed'));
