"""Work that JVM code begins for a record and never finishes: writes to a buffer that nothing
flushes or executes.

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
_WRITER = re.compile(
    r"\b(\w+)\s*(?::\s*\w+\s*)?=\s*(?:new\s+(?:BufferedWriter|PrintWriter|FileWriter"
    r"|OutputStreamWriter|BufferedOutputStream|PrintStream)\s*\((?![^;{}]{0,200},\s*true\s*\))"
    r"|[^;{}\n]{0,120}\.\s*(?:bufferedWriter|printWriter|newBufferedWriter)\s*\()"
)
_WRITE_CALL = r"\b{0}\s*\.\s*(?:write|print|println|printf|append|newLine)\s*\("
_FLUSH = r"\b{0}\s*\.\s*(?:flush|close)\b|[(,]\s*{0}\s*[,)]|\b{0}\s*\.\s*use\b"
_PIPELINE = re.compile(r"\b(\w+)\s*=\s*\w+\s*\.\s*(?:pipelined|createBatch)\s*\(")
_PIPELINE_SYNC = (
    r"\b{0}\s*\.\s*(?:sync\w*|close|exec(?:ute(?:Async\s*\(\s*\)\s*\.\s*\w+)?)?)\b"
    r"|[(,]\s*{0}\s*[,)]|\b{0}\s*\.\s*use\b"
)
_BATCH = re.compile(r"\b(\w+)\s*\.\s*addBatch\s*\(")
_BATCH_EXECUTION = r"\breturn\s+{0}\b|\b{0}\s*\.\s*execute\w*\s*\(|[(,]\s*{0}\s*[,)]"
_BUILDER = re.compile(r"\b(\w+)\s*=\s*new\s+String(?:Builder|Buffer|Joiner)\b")
_BUILDER_USE = (
    r"(?<!\bnew )\b{0}\b(?!\s*(?:\.\s*(?:append|add|length|setLength|isEmpty|delete)\b|=(?!=)))"
)
_MUTATOR = re.compile(
    r"\b(\w+)\s*=\s*[^;{}\n]{0,120}\.\s*(?:getBufferedMutator|makeWriteApi|getWriteApi)\s*\("
)
_BUFFERS = (
    (_MUTATOR, r"\b{0}\s*\.\s*(?:mutate|write\w*)\s*\(", _FLUSH),
    (_BUILDER, r"\b{0}\s*\.\s*(?:append|add)\s*\(", _BUILDER_USE),
    (_WRITER, _WRITE_CALL, _FLUSH),
    (_PIPELINE, r"\b{0}\s*\.\s*\w+\s*\(", _PIPELINE_SYNC),
    (_BATCH, r"\b{0}\s*\.\s*addBatch\s*\(", _BATCH_EXECUTION),
)
"""Constructors of buffers, the calls that write to one, and the calls that flush it."""
_TRY_WITH_RESOURCES = re.compile(r"\btry\s*\([^{}]*$")
_COORDINATE = re.compile(r"\b\w+\s*\.\s*(?:offset|topic|partition|timestamp)\b")
"""A coordinate of a record: writing it does not process the record."""


@lru_cache(maxsize=1)
def _buffer_names(plain: str) -> list[dict[str, int]]:
    """The names of buffers in a program, by kind, and the offsets of their constructors."""
    return [{match[1]: match.start() for match in islice(constructor.finditer(plain), _MOST)}
            for constructor, _, _ in _BUFFERS]  # fmt: skip


def is_buffered(text: Text, opening: int) -> bool:
    """Whether a chain of calls starts at a pipeline, which sends all its commands together;
    `opening` is the offset of the bracket of the last call."""
    names = _buffer_names(text.plain)[
        [constructor for constructor, _, _ in _BUFFERS].index(_PIPELINE)
    ]
    root = re.compile(r"\w+").match(text.plain, text.chain(opening)) if names else None
    return root is not None and root[0] in names


def unflushed_buffers(
    text: Text, body: Block, uses: re.Pattern[str], reached: list[Block]
) -> Iterator[int]:
    """Places where a block buffers a record that no code in the `reached` blocks flushes; `uses`
    matches a use of a record."""
    plain, begin = text.plain, max(0, body[0])
    for (constructor, write, flush), names in zip(_BUFFERS, _buffer_names(plain), strict=True):
        for name, at in names.items():
            is_closed = constructor is _WRITER and any(start < at < end for start, end in reached)
            is_closed = is_closed or bool(_TRY_WITH_RESOURCES.search(plain[max(0, at - 200) : at]))
            flushes = re.compile(flush.format(name))
            if is_closed or any(
                flushes.search(plain, max(0, start), end) for start, end in reached
            ):
                continue
            for match in re.compile(write.format(name)).finditer(plain, begin, body[1]):
                arguments = _COORDINATE.sub(
                    "", plain[match.end() : text.statement(match.start())[1]]
                )
                if constructor is _BATCH or uses.search(arguments):
                    yield match.start()
                    break
