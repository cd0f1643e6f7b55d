-- Reviews: one row per decision of reviewed games with its value on open cards: the contract, the
-- discard, every card. Values are the declarer's card points in all under best play of both
-- sides, null in null games; what a decision gave away is 0 or more, for the side that took it.

-- byte k, from 0, of four words of eight bytes
create or replace macro byte_at(word_1, word_2, word_3, word_4, k) as
    (
        (
            case k // 8
                when 0 then word_1
                when 1 then word_2
                when 2 then word_3
                else word_4
            end >> (56 - 8 * (k % 8))::ubigint
        ) & 255
    )::smallint;

create or replace view reviews as
with
games_unpacked as (
    select
        run,
        hand_number,
        declarer_seat,
        contract,
        play_count,
        trick_winners,
        won_bits,
        array_slice(card_values, 1, 8)::bit::ubigint as word_1,
        array_slice(card_values, 9, 16)::bit::ubigint as word_2,
        array_slice(card_values, 17, 24)::bit::ubigint as word_3,
        array_slice(card_values, 25, 31)::bit::ubigint << 8 as word_4
    from review_rows
),
positions as (
    select
        range as position,
        range // 3 as trick
    from range(30)
),
card_values_read as (
    select
        games_unpacked.run,
        games_unpacked.hand_number,
        games_unpacked.declarer_seat,
        games_unpacked.contract,
        positions.position,
        positions.trick,
        case
            when positions.trick = 0 then positions.position
            else ((games_unpacked.trick_winners >> (2 * positions.trick - 2)::uinteger) & 3)
                + positions.position
        end % 3 as seat,
        nullif(byte_at(word_1, word_2, word_3, word_4, positions.position), 255) as value_before,
        nullif(byte_at(word_1, word_2, word_3, word_4, positions.position + 1), 255)
            as value_after,
        (games_unpacked.won_bits >> positions.position::uinteger) & 1 = 1 as is_won_before,
        (games_unpacked.won_bits >> (positions.position + 1)::uinteger) & 1 = 1 as is_won_after
    from games_unpacked
    cross join positions
    where positions.position < games_unpacked.play_count
)
select
    run,
    hand_number,
    case when seat = declarer_seat then 'declarer play' else 'defender play' end as phase,
    (position + 1)::tinyint as play_number,
    (trick + 1)::tinyint as trick_number,
    seat::tinyint as seat,
    declarer_seat,
    contract,
    value_before as card_points_before,
    value_after as card_points_after,
    abs(value_before - value_after)::smallint as card_points_given_away,
    is_won_before,
    is_won_after,
    is_won_before <> is_won_after as is_changed,
    null::integer as score_given_away
from card_values_read
union all
select
    run,
    hand_number,
    'discard' as phase,
    null as play_number,
    null as trick_number,
    declarer_seat as seat,
    declarer_seat,
    contract,
    best_discard_value as card_points_before,
    case
        when best_discard_value is not null
            then array_slice(card_values, 1, 1)::bit::utinyint::smallint
    end as card_points_after,
    (best_discard_value - array_slice(card_values, 1, 1)::bit::utinyint)::smallint
        as card_points_given_away,
    is_best_discard_won as is_won_before,
    won_bits & 1 = 1 as is_won_after,
    is_best_discard_won and won_bits & 1 = 0 as is_changed,
    null as score_given_away
from review_rows
where best_discard_mask is not null
union all
select
    run,
    hand_number,
    'contract' as phase,
    null as play_number,
    null as trick_number,
    declarer_seat as seat,
    declarer_seat,
    contract,
    null as card_points_before,
    null as card_points_after,
    null as card_points_given_away,
    is_best_contract_won as is_won_before,
    is_contract_won as is_won_after,
    is_best_contract_won and not is_contract_won as is_changed,
    best_contract_score - contract_score as score_given_away
from review_rows
where contract_score is not null;
