"""Hypothesis strategies for cards, deals, contracts, auctions and games, in one place."""

from hypothesis import strategies as st

from skatsim.auction import Auction
from skatsim.cards import CARD_STYLES, Deal, mask_cards, mask_of
from skatsim.contracts import CONTRACT_NAMES, Contract, declaration_fault
from skatsim.game import Game

cards = st.integers(0, 31)
masks = st.integers(0, 2**32 - 1)
seats = st.integers(0, 2)
styles = st.sampled_from(CARD_STYLES)
deals = st.permutations(range(32)).map(Deal.from_cards)

raw_contracts = st.builds(
    Contract,
    name=st.sampled_from(CONTRACT_NAMES),
    is_hand=st.booleans(),
    is_schneider_announced=st.booleans(),
    is_schwarz_announced=st.booleans(),
    is_ouvert=st.booleans(),
)

contracts = raw_contracts.map(Contract.closed).filter(
    lambda contract: declaration_fault(contract, 0) == 0
)
"""Contracts that can be declared, closed under implication."""


@st.composite
def auctions(draw: st.DrawFn, *, is_finished: bool = True) -> Auction:
    """Auctions of small steps and some jumps."""
    auction = Auction()
    while not auction.is_over:
        if not is_finished and draw(st.integers(0, 9)) == 0:
            break
        legal = auction.legal_calls()
        *others, passing = legal
        step = draw(st.integers(0, 9))
        if step < 5 or not others:
            auction = auction.with_call(passing)
        else:
            auction = auction.with_call(
                others[0 if step < 9 else draw(st.integers(0, 99)) % len(others)]
            )
    return auction


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Games played to their end."""
    game = Game(deal=draw(deals))
    for call in draw(auctions()).calls:
        game = game.with_call(call)
    if game.declarer is None:
        return game
    is_taken = draw(st.booleans())
    game = game.with_pick_up(is_taken)
    contract = draw(
        contracts.filter(
            lambda c: (
                c.is_hand != is_taken
                and declaration_fault(c, game.bid_value, is_skat_taken=is_taken) == 0
            )
        )
    )
    discard = None
    if is_taken:
        twelve = mask_cards(game.hand_masks[game.declarer])
        pair = draw(st.lists(st.sampled_from(twelve), min_size=2, max_size=2, unique=True))
        discard = mask_of(pair)
    game = game.with_declaration(contract, discard)
    while not game.is_over:
        game = game.with_card(draw(st.sampled_from(mask_cards(game.legal_cards()))))
    return game
