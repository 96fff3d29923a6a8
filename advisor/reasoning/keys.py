"""Sets of settings as the bits of one number.

An answer unites what its parts have read thousands of times, and numbers do that faster than sets.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count

from advisor.catalog import Component

Key = tuple[Component, str]
"""A setting, by its component and its name."""

Keys = int
"""A set of settings: the sum of their bits."""


class _Bits(dict[Key, Keys]):
    """The bit of each setting, chosen when it is first asked for. There are some hundred.

    Threads share it: `next` and `setdefault` are one step each, so no bit is given twice.
    """

    _numbers = count()

    def __missing__(self, key: Key) -> Keys:
        return self.setdefault(key, 1 << next(self._numbers))


BIT = _Bits()


@lru_cache(maxsize=4096)
def spelled_out(keys: Keys) -> frozenset[Key]:
    """The settings that a number stands for."""
    return frozenset(key for key, bit in tuple(BIT.items()) if bit & keys)
