"""Work that JVM code begins for a record and never finishes: what is buffered in an object that
nothing flushes or executes.

Sources: java.io (writers buffer until `flush`); java.sql.Statement (`addBatch`, `executeBatch`);
Jedis (`pipelined`, `sync`); Redisson (RBatch, `execute`); HBase's BufferedMutator and InfluxDB's
WriteApi (sent when there is enough, or on `flush`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text

_MOST = 60
_WRITERS = re.compile(
    r"\b(\w+)\s*(?::\s*\w+\s*)?=\s*(?:new\s+(?:BufferedWriter|PrintWriter|FileWriter"
    r"|OutputStreamWriter|BufferedOutputStream|PrintStream)\s*\((?![^;{}]{0,200},\s*true\s*\))"
    r"|[^;{}\n]{0,120}\.\s*(?:bufferedWriter|printWriter|newBufferedWriter)\s*\()"
)
_WRITES = r"\b{0}\s*\.\s*(?:write|print|println|printf|append|newLine)\s*\("
_WRITTEN = r"\b{0}\s*\.\s*(?:flush|close)\b|[(,]\s*{0}\s*[,)]|\b{0}\s*\.\s*use\b"
_PIPELINES = re.compile(r"\b(\w+)\s*=\s*\w+\s*\.\s*(?:pipelined|createBatch)\s*\(")
_SENT = (
    r"\b{0}\s*\.\s*(?:sync\w*|close|exec(?:ute(?:Async\s*\(\s*\)\s*\.\s*\w+)?)?)\b"
    r"|[(,]\s*{0}\s*[,)]|\b{0}\s*\.\s*use\b"
)
_BATCHES = re.compile(r"\b(\w+)\s*\.\s*addBatch\s*\(")
_EXECUTED = r"\breturn\s+{0}\b|\b{0}\s*\.\s*execute\w*\s*\(|[(,]\s*{0}\s*[,)]"
_BUILDERS = re.compile(r"\b(\w+)\s*=\s*new\s+String(?:Builder|Buffer|Joiner)\b")
_TAKEN = (
    r"(?<!\bnew )\b{0}\b(?!\s*(?:\.\s*(?:append|add|length|setLength|isEmpty|delete)\b|=(?!=)))"
)
_MUTATORS = re.compile(
    r"\b(\w+)\s*=\s*[^;{}\n]{0,120}\.\s*(?:getBufferedMutator|makeWriteApi|getWriteApi)\s*\("
)
_KINDS = (
    (_MUTATORS, r"\b{0}\s*\.\s*(?:mutate|write\w*)\s*\(", _WRITTEN),
    (_BUILDERS, r"\b{0}\s*\.\s*(?:append|add)\s*\(", _TAKEN),
    (_WRITERS, _WRITES, _WRITTEN),
    (_PIPELINES, r"\b{0}\s*\.\s*\w+\s*\(", _SENT),
    (_BATCHES, r"\b{0}\s*\.\s*addBatch\s*\(", _EXECUTED),
)
"""What is made, how it puts something by, and what sends or writes that."""
_TRY = re.compile(r"\btry\s*\([^{}]*$")
_PLACE = re.compile(r"\b\w+\s*\.\s*(?:offset|topic|partition|timestamp)\b")
"""What is written of a record beside the work with it."""


@lru_cache(maxsize=1)
def _names(plain: str) -> list[dict[str, int]]:
    """The names of what is made in a program, of each kind, and where."""
    return [{match[1]: match.start() for match in islice(made.finditer(plain), _MOST)}
            for made, _, _ in _KINDS]  # fmt: skip


def is_buffered(text: Text, opened: int) -> bool:
    """Whether a chain of calls, of which the last has its bracket at a place, begins with what
    sends all that it was given together."""
    names = _names(text.plain)[[made for made, _, _ in _KINDS].index(_PIPELINES)]
    root = re.compile(r"\w+").match(text.plain, text.chain(opened)) if names else None
    return root is not None and root[0] in names


def unflushed_buffers(
    text: Text, body: Block, uses: re.Pattern[str], reached: list[Block]
) -> Iterator[int]:
    """Where a block puts a record by, and nothing of what is `reached` sends or writes it; `uses`
    are uses of a record."""
    plain, begin = text.plain, max(0, body[0])
    for (made, put, ends), names in zip(_KINDS, _names(plain), strict=True):
        for name, at in names.items():
            held = made is _WRITERS and any(start < at < end for start, end in reached)
            held = held or bool(_TRY.search(plain[max(0, at - 200) : at]))
            finish = re.compile(ends.format(name))
            if held or any(finish.search(plain, max(0, start), end) for start, end in reached):
                continue
            for match in re.compile(put.format(name)).finditer(plain, begin, body[1]):
                given = _PLACE.sub("", plain[match.end() : text.statement(match.start())[1]])
                if made is _BATCHES or uses.search(given):
                    yield match.start()
                    break
