-- Macros of the views, the reports and the user's own questions.
-- A card is 8 * suit + rank, suits D H S C = 0..3, ranks 7 8 9 Q K T A J = 0..7; a mask has bit
-- `id` set. Masks are unsigned integers of 32 bits; their constants stand in decimal, because a
-- hexadecimal literal reads as 0.

-- 'CJ' for 31; null for no card
create or replace macro card_text(id) as
    case
        when id between 0 and 31
            then 'DHSC'[(id // 8 + 1)::integer] || '789QKTAJ'[(id % 8 + 1)::integer]
    end;

-- the cards of a mask, highest suit and rank first: 'CJ SA HT'
create or replace macro mask_text(mask) as
    array_to_string(
        list_transform(
            list_filter(range(31, -1, -1), lambda id: (mask::bigint >> id::integer) & 1 = 1),
            lambda id: card_text(id)
        ),
        ' '
    );

-- card points: aces 11, tens 10, kings 4, queens 3, jacks 2
create or replace macro mask_points(mask) as
    11 * bit_count(mask & 1077952576::uinteger)
    + 10 * bit_count(mask & 538976288::uinteger)
    + 4 * bit_count(mask & 269488144::uinteger)
    + 3 * bit_count(mask & 134744072::uinteger)
    + 2 * bit_count(mask & 2155905152::uinteger);

-- card points of one card
create or replace macro card_points_of(id) as
    case id % 8 when 6 then 11 when 5 then 10 when 4 then 4 when 3 then 3 when 7 then 2 else 0 end;

-- the card of play k, 1 to 30; null where it was not played or is not known
create or replace macro card_at(played, k) as
    nullif(nullif(array_slice(played, k, k)::bit::utinyint, 255), 254);

-- the value of call k, from 1: 0 pass, 1 hold, 2 play, else the value bid
create or replace macro call_at(calls, k) as
    array_slice(calls, 2 * k - 1, 2 * k - 1)::bit::utinyint::smallint
    + 256::smallint * array_slice(calls, 2 * k, 2 * k)::bit::utinyint::smallint;

-- the winner of trick t, 1 to 10; null where it was not completed
create or replace macro winner_at(trick_winners, t) as
    nullif((trick_winners >> (2 * t - 2)::uinteger) & 3, 3)::tinyint;

-- the four jacks of a mask as a number 0..15: clubs 8, spades 4, hearts 2, diamonds 1
create or replace macro jack_row(mask) as
    (((((mask >> 7) & 16843009)::bigint * 16909320) >> 24) & 15)::usmallint;

-- the lowest bit of a suit
create or replace macro suit_shift(contract) as
    case contract when 'clubs' then 24 when 'spades' then 16 when 'hearts' then 8 else 0 end
    ::uinteger;

-- the trumps of a contract: the jacks, and in a suit game its suit
create or replace macro trump_mask(contract) as
    case contract
        when 'clubs' then 4286611584
        when 'spades' then 2164228224
        when 'hearts' then 2155937664
        when 'diamonds' then 2155905279
        when 'null' then 0
        else 2155905152
    end::uinteger;

-- the trumps of a suit game as a number 0..2047, the club jack in the highest bit
create or replace macro suit_row(mask, shift) as
    (128::usmallint * jack_row(mask) + ((mask >> shift) & 127)::usmallint)::usmallint;

-- the trumps of a grand as such a number, in which a run of jacks ends at the fourth
create or replace macro grand_row(jacks) as
    (128 * jacks + case when jacks = 0 then 127 else 0 end)::usmallint;

-- signed matadors of such a number: with n, n; without n, -n
create or replace macro row_matadors(row_number) as
    case
        when row_number >= 1024 then
            case
                when row_number < 1536 then 1
                when row_number < 1792 then 2
                when row_number < 1920 then 3
                when row_number < 1984 then 4
                when row_number < 2016 then 5
                when row_number < 2032 then 6
                when row_number < 2040 then 7
                when row_number < 2044 then 8
                when row_number < 2046 then 9
                when row_number < 2047 then 10
                else 11
            end
        when row_number >= 512 then -1
        when row_number >= 256 then -2
        when row_number >= 128 then -3
        when row_number >= 64 then -4
        when row_number >= 32 then -5
        when row_number >= 16 then -6
        when row_number >= 8 then -7
        when row_number >= 4 then -8
        when row_number >= 2 then -9
        when row_number >= 1 then -10
        else -11
    end::tinyint;

-- signed matadors of cards in a suit game or grand
create or replace macro matadors_of(contract, mask) as
    case
        when contract = 'grand' then row_matadors(grand_row(jack_row(mask)))
        else row_matadors(suit_row(mask, suit_shift(contract)))
    end;

create or replace macro base_value(contract) as
    case contract
        when 'clubs' then 12
        when 'spades' then 11
        when 'hearts' then 10
        when 'diamonds' then 9
        when 'grand' then 24
    end;

-- the order in which reports list contracts
create or replace macro contract_order(contract) as
    case contract
        when 'clubs' then 1
        when 'spades' then 2
        when 'hearts' then 3
        when 'diamonds' then 4
        when 'grand' then 5
        when 'null' then 6
        when 'ramsch' then 7
        else 8
    end;

-- a share k of n, null without n; divided last and rounded, so that it is the same in every run
create or replace macro rate(k, n) as
    case when n > 0 then round(k / n, 9) end;

-- 95 % interval of a share k of n (Wilson)
create or replace macro wilson_low(k, n) as
    case when n > 0 and k is not null then
        greatest(
            round(
                (k + 1.920729410347062 - 1.959963984540054 * sqrt(k * ((n - k) / n) + 0.960364705173531))
                / (n + 3.841458820694124),
                9
            ),
            0.0
        ) + 0.0
    end;

create or replace macro wilson_high(k, n) as
    case when n > 0 and k is not null then
        least(
            round(
                (k + 1.920729410347062 + 1.959963984540054 * sqrt(k * ((n - k) / n) + 0.960364705173531))
                / (n + 3.841458820694124),
                9
            ),
            1.0
        )
    end;

-- half the 95 % interval of a mean from the count, the sum and the sum of squares
create or replace macro mean_margin(n, total, squares) as
    case when n > 1 then
        1.959963984540054 * sqrt(greatest(squares / n - (total / n) * (total / n), 0.0) / (n - 1))
    end;
