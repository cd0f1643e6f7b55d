"""Properties of cards, contracts, auctions and games."""

from hypothesis import given, settings
from hypothesis import strategies as st

from skatsim.auction import BID_VALUES, Auction
from skatsim.cards import (
    ALL_MASK,
    CardStyle,
    Deal,
    card_text,
    cards_text,
    find_notation,
    mask_cards,
    mask_of,
    mask_points,
    mask_text,
    parse_card,
    parse_cards,
    parse_iss_card,
    parse_mask,
)
from skatsim.contracts import Contract, iss_code, parse_contract
from skatsim.game import Game
from skatsim.play import legal_cards, trick_winner
from skatsim.scoring import count_matadors, value_rows
from tests import strategies


@given(strategies.cards, strategies.styles, st.booleans())
def test_card_names_round_trip(card: int, style: CardStyle, has_symbols: bool) -> None:
    text = card_text(card, style, has_symbols=has_symbols)
    assert parse_card(text, style) == card
    assert parse_card(text.lower(), style) == card


@given(strategies.cards)
def test_server_names_are_english_names(card: int) -> None:
    assert parse_iss_card(card_text(card)) == card


@given(strategies.masks, strategies.styles, st.sampled_from([None, *range(6)]))
def test_masks_round_trip(mask: int, style: CardStyle, contract: int | None) -> None:
    assert mask_of(mask_cards(mask, contract=contract)) == mask
    text = mask_text(mask, style, contract=contract, separator=", ")
    assert parse_mask(text, style) == mask


@given(strategies.deals, strategies.styles)
def test_whole_deals_are_read_in_any_notation(deal: Deal, style: CardStyle) -> None:
    texts = [mask_text(mask, style) for mask in (*deal.hand_masks, deal.skat_mask)]
    assert find_notation(*texts) == style
    assert Deal.from_text(*texts) == deal


@given(strategies.deals)
def test_a_deal_places_32_cards_once(deal: Deal) -> None:
    masks = [*deal.hand_masks, deal.skat_mask]
    assert sum(masks) == ALL_MASK
    assert [mask.bit_count() for mask in masks] == [10, 10, 10, 2]
    assert sum(mask_points(mask) for mask in masks) == 120


@given(strategies.contracts)
def test_contracts_round_trip(contract: Contract) -> None:
    assert parse_contract(str(contract)) == contract
    assert parse_contract(iss_code(contract)) == contract
    assert parse_contract(iss_code(contract).lower()) == contract
    assert Contract.from_number(contract.number, contract.announcements) == contract


@given(strategies.raw_contracts)
def test_closing_adds_and_settles(contract: Contract) -> None:
    closed = contract.closed()
    assert closed.closed() == closed
    assert contract.announcements & ~closed.announcements == 0


@given(strategies.auctions(is_finished=False))
def test_auctions_round_trip(auction: Auction) -> None:
    assert Auction.from_text(str(auction)) == auction
    assert Auction.from_codes(call.code for call in auction.calls) == auction
    assert auction.bid_value in (0, *BID_VALUES)
    assert (auction.seat is None) == auction.is_over == (auction.legal_calls() == ())
    if auction.declarer is not None:
        assert auction.limits[auction.declarer] == auction.bid_value == max(auction.limits)


@given(strategies.contracts, strategies.masks, strategies.cards)
def test_legal_cards_follow_or_are_free(contract: Contract, hand: int, lead: int) -> None:
    legal = legal_cards(contract, hand, lead=lead)
    assert legal & ~hand == 0
    assert (legal == 0) == (hand == 0)
    assert legal_cards(contract, hand) == hand
    assert legal_cards(contract, legal, lead=lead) == legal


@given(strategies.contracts, st.lists(strategies.cards, min_size=3, max_size=3, unique=True))
def test_a_card_that_wins_last_wins_second(contract: Contract, trick: list[int]) -> None:
    winner = trick_winner(contract, trick)
    first, second, third = trick
    if winner == 2:
        assert trick_winner(contract, [first, third, second]) == 1
    else:
        assert trick_winner(contract, [first, second]) == winner


@given(strategies.deals, strategies.contracts)
def test_matadors_are_never_none(deal: Deal, contract: Contract) -> None:
    found = count_matadors(deal.forehand_mask | deal.skat_mask, contract)
    if contract.is_null:
        assert found is None
    else:
        most = 4 if contract.name == "grand" else 11
        assert found is not None
        assert 1 <= abs(found) <= most


@settings(max_examples=20)
@given(strategies.deals)
def test_value_rows_count_every_skat(deal: Deal) -> None:
    for row in value_rows(deal.forehand_mask):
        assert sum(count for _, count in row.value_counts) == 231
        assert row.overbid_rate(row.least_value) == 0
        assert row.overbid_rate(row.greatest_value + 1) == 1
        assert row.lowered_rate == row.overbid_rate(row.value_held)
        exact = {
            other.contract: other.value_held
            for other in value_rows(deal.forehand_mask, deal.skat_mask)
            if other.is_hand == row.is_hand
        }
        assert exact[row.contract] in dict(row.value_counts)


@settings(max_examples=60)
@given(strategies.games())
def test_games_replay_to_themselves(game: Game) -> None:
    assert Game(deal=game.deal, events=game.events) == game
    record, calls = game.to_record()
    again = Game.from_record(record, calls)
    assert (again.deal, again.events, again.score) == (game.deal, game.events, game.score)
    record_again, calls_again = again.to_record()
    assert record_again == record
    assert list(calls_again) == list(calls)


@settings(max_examples=60)
@given(strategies.games())
def test_card_points_of_a_whole_game_add_to_120(game: Game) -> None:
    if game.end_reason != "ten_tricks":
        return
    assert game.declarer_card_points + game.defender_card_points == 120
    assert sum(trick.card_points for trick in game.tricks) <= 120
    assert mask_of(game.played) | (game.discard_mask or game.deal.skat_mask) == ALL_MASK
    assert game.hand_masks == (0, 0, 0)
    assert len(game.tricks) == 10


@given(st.lists(strategies.cards, unique=True), strategies.styles)
def test_the_order_of_cards_is_kept(cards: list[int], style: CardStyle) -> None:
    assert parse_cards(cards_text(cards, style, separator="."), style) == tuple(cards)
