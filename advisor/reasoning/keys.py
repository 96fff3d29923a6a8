"""Sets of settings as bit sets.

An answer unites the settings that its parts read thousands of times, which is faster with integers
than with sets.
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
    """The bit of each setting, assigned at the first access. There are some hundred.

    It is shared between threads: `next` and `setdefault` are atomic, so no bit is assigned twice.
    """

    _numbers = count()

    def __missing__(self, key: Key) -> Keys:
        return self.setdefault(key, 1 << next(self._numbers))


BIT = _Bits()


@lru_cache(maxsize=4096)
def spelled_out(keys: Keys) -> frozenset[Key]:
    """Returns the settings in a bit set."""
    return frozenset(key for key, bit in tuple(BIT.items()) if bit & keys)
