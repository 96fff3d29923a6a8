"""What code of Kafka's Java clients does with the records that it polls and sends, as far as its
text says so.

Only what is sure is given, as in `python_reads`. `commitSync()` and `commitAsync()` without offsets
commit behind all that the last `poll()` returned, and so does `close()` with automatic commits
(KafkaConsumer javadoc).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.java_text import Text

BEFORE, SKIP, CLOSE, ASYNCHRONOUS = "before-processing", "skip", "close", "asynchronous"
"""What a program may do, by the values of the facts about it."""

_MOST = 100
_TYPED = r"\s*(?::\s*[\w<>?, ]{1,60})?=\s*"
"""From the name of a variable to its value; Kotlin and Scala may write its type between them."""
_CONSUMER = re.compile(
    rf"\b(\w+){_TYPED}(?:new\s+)?KafkaConsumer\b"
    r"|\b(\w+)\s*\.\s*subscribe\s*\("
)
_POLL = re.compile(rf"\b(?P<records>\w+){_TYPED}(?:this\.)?(?P<consumer>\w+)\.poll\s*\(")
_COMMIT = r"\b{}\s*\.\s*commit(?:Sync|Async)\s*\(\s*(?:\)|Duration|\(|new\s+OffsetCommitCallback)"
_USE = r"\b{}\b(?!\s*\.\s*(?:count|isEmpty|size)\b)"
_EACH = (
    r"\bfor\s*\([^:;()]{{0,120}}?\b(\w+)\s*(?::|\bin\b)\s*{0}\b"
    r"|\b{0}\s*\.\s*forEach\s*[({{]\s*\(?(\w+)"
)
_HAND = re.compile(
    r"\.\s*(?:submit|execute|runAsync|supplyAsync)\s*\(|\bnew\s+Thread\s*\("
    r"|\bThread\s*\.\s*startVirtualThread\s*\("
)
_WAITS = re.compile(
    r"\b(?:get|join|invokeAll|awaitTermination|allOf|await|acquire|pause|whenComplete|then\w+)\s*\("
)
_CATCH = re.compile(
    r"\bcatch\s*\(\s*(?:final\s+)?(?:[\w.]+\s*(?:\|\s*|:\s*))*"
    r"(?:Exception|Throwable|RuntimeException)\b[^){]{0,60}\)\s*\{"
)
_FINALLY = re.compile(r"\bfinally\s*\{")
_TRIES = re.compile(r"\b(?:while|do)\b|\bfor\s*\([^:)]*;")
_LOOPS = re.compile(r"\b(?:while|for|do)\b")
_HARMLESS = re.compile(
    r"\s*(?:continue|(?:[\w.]+\.)?(?:log|logger|LOG|LOGGER)\.\w+\s*\([^;]*"
    r"|System\.(?:out|err)\.\w+\s*\([^;]*|\w+\.printStackTrace\(\s*\)|println\s*\([^;]*)?\s*"
)


def reads(text: Text) -> dict[str, int]:
    """What the program does with records, and where it says so."""
    places: dict[str, int] = {}
    names = {name for match in _CONSUMER.finditer(text.plain) for name in match.groups() if name}
    for match in islice(_POLL.finditer(text.plain), _MOST):
        if match["consumer"] in names:
            for what, at in _Poll(text, match).says():
                places.setdefault(what, at)
    return places


class _Poll:
    """One `poll()`, and the block that it stands in."""

    def __init__(self, text: Text, match: re.Match[str]) -> None:
        self._text, self._at = text, match.start()
        self._block = text.block(match.start())
        self._behind = match.end()
        self._commits = re.compile(_COMMIT.format(match["consumer"]))
        self._closes = re.compile(rf"\b{match['consumer']}\s*\.\s*close\s*\(")
        self._consumer = match["consumer"]
        each = re.finditer(_EACH.format(match["records"]), self._text.plain[self._behind :])
        names = {name for loop in each for name in loop.groups() if name}
        self._names = {match["records"], *names}
        self._uses = re.compile("|".join(_USE.format(name) for name in sorted(self._names)))

    def says(self) -> Iterator[tuple[str, int]]:
        """What the code does with its records, and where."""
        plain, end = self._text.plain, self._block[1]
        use = self._uses.search(plain, self._behind, end)
        commit = self._commits.search(plain, self._behind, end)
        early = commit and use and commit.start() < use.start()
        if commit and early and self._text.block(commit.start()) == self._block:
            yield BEFORE, commit.start()
        if handed := self._handed(end):
            yield ASYNCHRONOUS, handed
            if later := self._commits.search(plain, handed, end):
                yield BEFORE, later.start()
        yield from ((SKIP, at) for at in self._passed_over())
        yield from self._at_the_end()

    def _handed(self, end: int) -> int:
        """Where others are given a record, and nothing in the block waits; 0 if nowhere."""
        plain = self._text.plain
        if _WAITS.search(plain, self._behind, end):
            return 0
        for match in _HAND.finditer(plain, self._behind, end):
            if self._uses.search(plain, match.end(), self._text.closed(match.end())):
                return match.start()
        return 0

    def _passed_over(self) -> Iterator[int]:
        """Handlers of any error that write of it and go on with the next record."""
        for match in islice(_CATCH.finditer(self._text.plain), _MOST):
            block = self._text.block_of(match.end() - 1)
            body = self._text.plain[block[0] + 1 : block[1]]
            attempt = self._text.attempt(match.start())
            if attempt and self._goes_on(attempt) and _only_writes(body):
                yield match.start()

    def _goes_on(self, attempt: tuple[int, int]) -> bool:
        """Whether the next record is processed behind this attempt, whatever became of this one."""
        if not self._uses.search(self._text.plain, max(attempt[0], self._behind), attempt[1]):
            return False
        around = self._text.around(attempt[0])
        if attempt == self._block:
            return bool(around) and bool(_LOOPS.search(around[-1][2]))
        inside = [head for start, end, head in around if start > self._block[0]]
        within = self._block[0] < attempt[0] < self._block[1]
        return within and not any(map(_TRIES.search, inside))

    def _at_the_end(self) -> Iterator[tuple[str, int]]:
        """What `finally` and `try (…)` do after an error."""
        plain = self._text.plain
        for match in islice(_FINALLY.finditer(plain), _MOST):
            block, attempt = self._text.block_of(match.end() - 1), self._text.attempt(match.start())
            if not attempt or not self._uses.search(plain, *attempt):
                continue
            if commit := self._commits.search(plain, *block):
                yield SKIP, commit.start()
            elif (close := self._closes.search(plain, *block)) and not self._guarded(attempt):
                yield CLOSE, close.start()
        for start, end, head in self._text.around(self._at):
            held = re.search(rf"\btry\s*\([^{{]*\b{self._consumer}\b[^{{]*$", head)
            if held and not self._guarded((start, end)):
                yield CLOSE, start

    def _guarded(self, attempt: tuple[int, int]) -> bool:
        """Whether another handler inside may take what processing throws."""
        return bool(_CATCH.search(self._text.plain, *attempt))


def _only_writes(body: str) -> bool:
    parts: Sequence[str] = re.split(r"[;{}]", body)
    return all(_HARMLESS.fullmatch(part) for part in parts)
