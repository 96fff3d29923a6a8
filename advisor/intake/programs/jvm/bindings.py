"""Names of JVM code that a function or a loop binds anew, so that they hold something else there:
`rs.groupBy { … }.forEach { (p, list) -> … }` after `val p = Properties()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

_REACH, _MOST = 400, 5
_NAMES = r"[\w\s,:<>?.]{0,120}"
_PARAMETERS = re.compile(rf"\s*\(?(?P<names>{_NAMES})\)?\s*(?:->|=>)")
"""The parameters of a function at the start of its block, in Kotlin and Scala."""
_ARROW = re.compile(r"->|=>")
_BEFORE_ARROW = re.compile(rf"(?:\((?P<names>{_NAMES})\)|(?P<name>\w+))\s*$")
_LOOP = re.compile(rf"\b(?:for|catch)\s*\((?P<names>{_NAMES}?)(?:\bin\b|<-|:|\)\s*$)")
_BINDS = re.compile(r"\s*(?:,[\w\s,]{0,120})?\)?\s*(?:->|=>|\bin\b|<-)")


def is_bound(
    plain: str, heads: Iterable[tuple[int, int, str]], name: str, span: tuple[int, int]
) -> bool:
    """Whether a name is the parameter of a function or the variable of a loop in this span, or in a
    block around it; `heads` are the start, the end and the head of each block."""
    at, end = span
    if _BINDS.match(plain, end, end + _REACH):
        return True
    around = ((start, head) for start, stop, head in heads if start < at < stop)
    if any(name in _bound_names(plain, start, head) for start, head in around):
        return True
    begin = max(plain.rfind(char, max(0, at - _REACH), at) for char in ";{}")
    return name in _parameters_before(plain[max(0, begin + 1, at - _REACH) : at])


def _bound_names(plain: str, start: int, head: str) -> set[str]:
    """The names that a block binds, by its parameters or its head."""
    words = set[str]()
    if parameters := _PARAMETERS.match(plain, start + 1, start + _REACH):
        words.update(re.findall(r"\w+", parameters["names"]))
    if loop := _LOOP.search(head):
        words.update(re.findall(r"\w+", loop["names"]))
    if head.rstrip().endswith(("->", "=>")):
        words.update(_parameters_before(head))
    return words


def _parameters_before(code: str) -> Iterator[str]:
    """Yields the parameters of the functions in some code."""
    for arrow in islice(_ARROW.finditer(code), _MOST):
        match = _BEFORE_ARROW.search(code, max(0, arrow.start() - 130), arrow.start())
        if match:
            yield from re.findall(r"\w+", match["names"] or match["name"])
