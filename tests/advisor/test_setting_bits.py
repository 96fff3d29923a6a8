"""Sets of settings encoded as integers equal the sets."""

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
def test_bit_operations_equal_set_operations(one, other):
    first, second = (reduce(or_, (BIT[key] for key in keys), 0) for keys in (one, other))
    assert spelled_out(first & second) == one & other
    assert spelled_out(first | second) == one | other


def test_concurrent_threads_give_each_setting_its_own_bit() -> None:
    names = [f"asked.for.at.once.{n}" for n in range(400)]
    with ThreadPoolExecutor(8) as threads:
        results = [
            dict(zip(names, row, strict=True))
            for row in threads.map(
                lambda _: [BIT[Component.TOPIC, name] for name in names], range(8)
            )
        ]
    assert all(bits == results[0] for bits in results)
    assert len({*results[0].values()}) == len(names)
