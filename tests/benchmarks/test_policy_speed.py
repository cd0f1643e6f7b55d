"""What policies cost that are plugged in, as ratios measured in one run: see `skatsim bench`."""

import pytest

from skatsim.policies.examples import UniformBatch, UniformPlain
from skatsim.study import speed


def median_ratio(ours, peer, rounds: int = 3) -> float:
    rates, peers = speed._rounds(ours, peer, rounds)
    return sorted(own / other for own, other in zip(rates, peers, strict=True))[rounds // 2]


@pytest.mark.slow
def test_plain_python_is_faster_than_random_games_of_openspiel_from_python() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    assert median_ratio(speed._games(UniformPlain, 5000), speed._python_peer_games(250)) >= 2.5


@pytest.mark.slow
def test_arrays_are_a_tenth_as_fast_as_compiled_code_or_faster() -> None:
    """Compiled `uniform` plays 1.8 million hands a second where arrays play 250,000."""
    batch = speed._games(UniformBatch, 65_536)
    assert median_ratio(batch, speed._games("uniform", 65_536)) >= 0.1
