"""Sets of settings as numbers say the same as the sets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import or_

from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Component
from advisor.reasoning.keys import BIT, spelled_out

_KEYS = st.tuples(st.sampled_from(Component), st.sampled_from(["acks", "retries", "linger.ms"]))


@given(st.frozensets(_KEYS), st.frozensets(_KEYS))
def test_what_two_sets_have_in_common_is_there_again(one, other):
    first, second = (reduce(or_, (BIT[key] for key in keys), 0) for keys in (one, other))
    assert spelled_out(first & second) == one & other
    assert spelled_out(first | second) == one | other


def test_no_two_settings_get_the_same_bit_where_threads_ask_at_once() -> None:
    names = [f"asked.for.at.once.{n}" for n in range(400)]
    with ThreadPoolExecutor(8) as threads:
        results = [
            dict(zip(names, row, strict=True))
            for row in threads.map(
                lambda _: [BIT[Component.TOPIC, name] for name in names], range(8)
            )
        ]
    assert all(each == results[0] for each in results)
    assert len({*results[0].values()}) == len(names)
