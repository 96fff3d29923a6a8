"""A page as tests read it."""

from __future__ import annotations

import re
from typing import Any

_TERM = re.compile(r'<a class="term" href="/concepts/[^"]*">([^<]*)</a>')


def html_of(response: Any) -> str:
    """An answer's HTML without the links that its words of concepts have."""
    return _TERM.sub(r"\1", response.content.decode())
