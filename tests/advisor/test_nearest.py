"""The known name that is nearest to an unknown one, and the time of the search."""

from __future__ import annotations

import random
import string
import time
from difflib import get_close_matches

import pytest

from advisor.catalog import Component, Family
from advisor.catalog.nearest import nearest
from advisor.intake.clients.known_settings import known_keys
from advisor.intake.reading import Product

KEYS = known_keys(Product(Family.JAVA, "4.3", "4.3"), Component.BROKER)


def _misspelled(key: str, generator: random.Random) -> str:
    """The key with one to four letters replaced."""
    letters = list(key)
    for position in generator.sample(
        range(len(letters)), min(len(letters), generator.randint(1, 4))
    ):
        letters[position] = generator.choice(string.ascii_lowercase)
    return "".join(letters)


@pytest.mark.wide
def test_the_nearest_name_is_that_of_difflib() -> None:
    generator = random.Random(7)
    for key in generator.sample(sorted(KEYS), 60):
        misspelling = _misspelled(key, generator)
        close_matches = get_close_matches(misspelling, sorted(KEYS), n=1)
        assert nearest(misspelling, KEYS) == (close_matches[0] if close_matches else None), (
            misspelling
        )


def test_a_name_without_common_letters_has_no_nearest_name() -> None:
    for name in ("", "#", "qqqq", "zzzzzzzzzzzz"):
        assert nearest(name, KEYS) is None, name


def test_many_unknown_names_take_less_than_a_second() -> None:
    generator = random.Random(3)
    misspellings = [_misspelled(key, generator) for key in sorted(KEYS) for _ in range(2)][:500]
    began = time.process_time()
    for misspelling in misspellings:
        nearest(misspelling, KEYS)
    assert time.process_time() - began < 0.8
