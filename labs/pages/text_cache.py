"""A cache for text that many browsers request at the same time, such as the run of a class."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

_MOST = 48
"""The number of texts, of up to about 200 KB each."""
_texts: OrderedDict[Hashable, str] = OrderedDict()
_lock = threading.Lock()


def cached(key: Hashable, make: Callable[[], str]) -> str:
    """Returns the text of a key. The first request makes it, and the others wait.

    The key has to change with the text: entries never expire, and only the oldest are evicted.
    """
    with _lock:
        if key in _texts:
            _texts.move_to_end(key)
            return _texts[key]
        text = _texts[key] = make()
        if len(_texts) > _MOST:
            _texts.popitem(last=False)
        return text
