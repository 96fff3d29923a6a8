"""Commits of all polled records between the processing of the first record and of the others.

`save(it.next()); c.commitSync(); while (it.hasNext()) { save(it.next()); }` commits records that
are not processed yet (KafkaConsumer javadoc, commitSync). So does a commit between
`save(all.get(0))` and a loop over the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.partial_polls import ITERATOR
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 40
_NEXT_CALL = r"\b{0}\s*\.\s*next\b"
_REST_OF_ITERATOR = (
    r"\b{0}\s*\.\s*(?:next|hasNext|forEachRemaining|foreach|forEach|asScala)\b"
    r"|(?:\bin|<-|:)\s*{0}\b"
)
_FIRST_RECORD = (
    r"\b{0}\s*\.\s*(?:get\s*\(\s*0\s*\)|(?:getFirst|first|head)\b|iterator\s*(?:\(\s*\))?\s*\.\s*next\b"
    r"|(?:take|subList)\s*\(\s*(?:0\s*,\s*)?\d+\s*\))"
)
_OTHER_RECORDS = (
    r"\b{0}\s*\.\s*(?:subList|drop|skip|stream|forEach|foreach|asScala|tail|get|iterator)\b"
    r"|(?:\bin|<-|:)\s*{0}\b"
)
_LOOP = r"\bwhile\s*\(\s*{0}\s*\.\s*hasNext\b[^{{}}]*$"


def early_commits(
    text: Text, batch_names: Collection[str], commits: re.Pattern[str], span: Block
) -> Iterator[int]:
    """Commits in a span that come after the first record and before the others.

    `batch_names` are names of all polled records, and `commits` matches a commit of all of them.
    """
    names = rf"(?:{'|'.join(sorted(batch_names)) or '(?!)'})"
    iterators = set(re.findall(ITERATOR.format(names), text.plain[max(0, span[0]) : span[1]]))
    for name in sorted(iterators):
        yield from _commits_between(
            text, commits, span, (_NEXT_CALL.format(name), _REST_OF_ITERATOR.format(name))
        )
        yield from _commits_in_loop(text, commits, span, name)
    yield from _commits_between(
        text, commits, span, (_FIRST_RECORD.format(names), _OTHER_RECORDS.format(names))
    )


def _commits_between(
    text: Text, commits: re.Pattern[str], span: Block, patterns: tuple[str, str]
) -> Iterator[int]:
    first, others = map(re.compile, patterns)
    for read in islice(first.finditer(text.plain, *span), 1):
        block = text.block(read.start())
        commit = commits.search(text.plain, read.end(), block[1])
        if commit is None or text.block(commit.start()) != block:
            continue
        if _is_iterator_loop(text, block):
            continue
        if others.search(text.plain, commit.end(), block[1]):
            yield commit.start()


def _is_iterator_loop(text: Text, block: Block) -> bool:
    head = next((head for start, _, head in text.around(block[0] + 1) if start == block[0]), "")
    return "hasNext" in head


def _commits_in_loop(text: Text, commits: re.Pattern[str], span: Block, name: str) -> Iterator[int]:
    """Commits after each record in a loop over an iterator."""
    for read in islice(re.compile(_NEXT_CALL.format(name)).finditer(text.plain, *span), _MOST):
        around = text.around(read.start())
        block = text.block(read.start())
        commit = commits.search(text.plain, read.end(), block[1])
        if commit is None or text.block(commit.start()) != block or not around:
            continue
        if re.search(_LOOP.format(name), around[-1][2]):
            yield commit.start()
