"""What many browsers ask for at once is made once: the pictures of one run for a whole class."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

_MOST = 48
"""Texts of up to some 200 KB each."""
_kept: OrderedDict[Hashable, str] = OrderedDict()
_making = threading.Lock()


def once(key: Hashable, make: Callable[[], str]) -> str:
    """The text of a key, made by who asks first; the others wait for it.

    A key has to change with what the text says: nothing kept here expires, it is only pushed out.
    """
    with _making:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
        made = _kept[key] = make()
        if len(_kept) > _MOST:
            _kept.popitem(last=False)
        return made
