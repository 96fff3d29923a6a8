"""The known name that an unknown one probably means, and what asking for it costs."""

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


def _slip(key: str, chance: random.Random) -> str:
    """The key with one to four letters that are others."""
    letters = list(key)
    for at in chance.sample(range(len(letters)), min(len(letters), chance.randint(1, 4))):
        letters[at] = chance.choice(string.ascii_lowercase)
    return "".join(letters)


@pytest.mark.wide
def test_a_slip_has_the_name_that_difflib_calls_the_nearest() -> None:
    chance = random.Random(7)
    for key in chance.sample(sorted(KEYS), 60):
        slip = _slip(key, chance)
        near = get_close_matches(slip, sorted(KEYS), n=1)
        assert nearest(slip, KEYS) == (near[0] if near else None), slip


def test_nothing_is_near_what_has_nothing_in_common() -> None:
    for name in ("", "#", "qqqq", "zzzzzzzzzzzz"):
        assert nearest(name, KEYS) is None, name


def test_as_many_unknown_names_as_a_file_may_have_cost_a_part_of_a_second() -> None:
    chance = random.Random(3)
    slips = [_slip(key, chance) for key in sorted(KEYS) for _ in range(2)][:500]
    began = time.process_time()
    for slip in slips:
        nearest(slip, KEYS)
    assert time.process_time() - began < 0.8
