"""A cache of texts that many browsers request at the same time: a run's pictures for a class."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

_MOST = 48
"""Texts of up to some 200 KB each."""
_kept: OrderedDict[Hashable, str] = OrderedDict()
_making = threading.Lock()


def cached(key: Hashable, make: Callable[[], str]) -> str:
    """The text of a key, made for the first request; the others wait for it.

    The key has to change when the text does: entries never expire, they are only pushed out.
    """
    with _making:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
        made = _kept[key] = make()
        if len(_kept) > _MOST:
            _kept.popitem(last=False)
        return made
