"""The end of a block that closes an executor, as a wait for its tasks.

`try (var pool = Executors.newCachedThreadPool()) { pool.submit(…); }` becomes
`try (…) { pool.submit(…); pool.awaitTermination(); }`: since Java 19, `close()` waits until all
tasks have ended, and throws none of their errors (ExecutorService javadoc). Line numbers do not
change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import Text, spliced

_MOST = 40
_NEW = r"(?:Executors\s*\.|new\s+(?:ForkJoinPool|ThreadPoolExecutor)\b|ForkJoinPool\s*[.(])"
_RESOURCE = re.compile(
    r"\btry\s*\(\s*(?:(?:final\s+)?(?:va[lr]|\w*(?:Executor|ForkJoinPool)\w*)\s+)?(?P<name>\w+)"
    rf"\s*(?P<new>=\s*{_NEW}[^{{}}]{{0,200}})?\)\s*(?P<block>\{{)"
    rf"|\b{_NEW}[^{{}};\n]{{0,120}}\)\s*\.\s*use\s*(?P<use>\{{)\s*(?P<parameter>\w+)\s*->"
)
_DECLARATION = r"\b\w*(?:Executor|ForkJoinPool)\w*\s+{0}\b|\b{0}\s*(?::\s*\w+\s*)?=\s*{1}"


def with_waits_for_closed_executors(code: str) -> str:
    """Returns the program with a wait at the end of each block that closes an executor."""
    text = Text.of(code)
    return spliced(code, sorted(_waits(text)))


def _waits(text: Text) -> Iterator[tuple[int, int, str]]:
    for match in islice(_RESOURCE.finditer(text.plain), _MOST):
        name = match["name"] or match["parameter"]
        is_declared = match["new"] or match["parameter"]
        if is_declared or re.search(_DECLARATION.format(name, _NEW), text.plain):
            end = text.block_of(match.start("block" if match["block"] else "use"))[1]
            yield end, end, f"; {name}.awaitTermination(); "
