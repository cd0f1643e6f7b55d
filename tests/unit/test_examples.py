"""The examples in docstrings are run."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import skatsim

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(skatsim.__path__, "skatsim.")
    if not module.name.startswith(("skatsim.cli", "skatsim.__main__"))
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
