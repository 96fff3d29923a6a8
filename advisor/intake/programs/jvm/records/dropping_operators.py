"""Operators of flows and reactive streams that drop records, or cancel their processing, while
later ones arrive: `rs.asFlow().conflate()`, `collectLatest`, `onBackpressureDrop`, `switchMap`.

Sources: kotlinx.coroutines, Flow (conflate, debounce, sample, collectLatest; BufferOverflow);
Reactor, Flux (onBackpressureDrop, sample, switchMap); RxJava (debounce, throttle operators).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text

_MOST = 40
_OPERATOR = re.compile(
    r"\.\s*(?:conflate|sample|debounce|throttle(?:First|Last|Latest)|(?:collect|map|transform|flatMap)Latest"
    r"|switchMap\w*|onBackpressure(?:Drop|Latest)|distinctUntilChanged)\s*(?P<opened>[({])"
    r"|\.\s*buffer\s*(?P<buffer>\()(?=[^(){}]{0,120}\bDROP_(?:OLDEST|LATEST))"
)


def dropping_operators(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the operators in a span that drop records; `uses` matches the names of a record."""
    for match in islice(_OPERATOR.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        begin = text.chain(match.start("opened" if match["opened"] else "buffer"))
        if begin >= span[0] and uses.search(text.plain, begin, match.start()):
            yield match.start()
