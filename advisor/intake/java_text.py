"""The text of a program in Java's manner, and its braces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

Block = tuple[int, int]
"""Where a pair of braces opens and closes."""
_REACH = 4_000


@dataclass(frozen=True)
class Text:
    """A program without comments and letters of strings; `heads` are its pairs of braces, with
    what stands before them."""

    plain: str
    heads: list[tuple[int, int, str]]

    @cached_property
    def _by_start(self) -> dict[int, tuple[int, int, str]]:
        return {head[0]: head for head in self.heads}

    @cached_property
    def _by_end(self) -> dict[int, tuple[int, int, str]]:
        return {head[1]: head for head in self.heads}

    def around(self, at: int) -> list[tuple[int, int, str]]:
        """The braces around a place, from the outermost."""
        return sorted(head for head in self.heads if head[0] < at < head[1])

    def block(self, at: int) -> Block:
        """The innermost braces around a place; all of the text where there are none."""
        around = self.around(at)
        return around[-1][:2] if around else (-1, len(self.plain))

    def block_of(self, start: int) -> Block:
        """The braces that open at a place."""
        return self._by_start.get(start, (start, start, ""))[:2]

    def attempt(self, at: int) -> Block | None:
        """The block of `try` that a `catch` or `finally` at a place belongs to."""
        for _ in range(10):
            before = self.plain[max(0, at - _REACH) : at].rstrip()
            head = self._by_end.get(max(0, at - _REACH) + len(before) - 1)
            if head is None:
                return None
            if re.search(r"\btry\b(?:\s*\([\s\S]*\))?\s*$", head[2]):
                return head[:2]
            word = re.search(r"\bcatch\b[^{]*$", self.plain[: head[0]][-200:])
            if word is None:
                return None
            at = max(0, head[0] - 200) + word.start()
        return None

    def closed(self, at: int) -> int:
        """Behind the bracket that closes a call which was opened just before a place."""
        depth = 0
        for here in range(at, min(len(self.plain), at + _REACH)):
            depth += (self.plain[here] in "([{") - (self.plain[here] in ")]}")
            if depth < 0:
                return here + 1
        return at
