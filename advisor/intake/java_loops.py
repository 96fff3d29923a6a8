"""What code of Kafka's Java clients does with the records that it polls and sends, as far as its
text says so.

Only what is sure is given, as in `python_reads`. `commitSync()` and `commitAsync()` without offsets
commit behind all that the last `poll()` returned, and so does `close()` with automatic commits
(KafkaConsumer javadoc).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake import java_handlers
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
_POLL = re.compile(
    rf"\b(?P<records>\w+){_TYPED}(?:this\.)?(?P<consumer>\w+)\.poll\s*\("
    r"|\bfor\s*\([^:;()]{0,120}?\b(?P<record>\w+)\s*(?::|\bin\b|<-)\s*(?:this\.)?"
    r"(?P<polled>\w+)\.poll\s*\("
)
"""Into a variable, or record by record."""
_COMMIT = r"\b{}\s*\.\s*commit(?:Sync|Async)\s*\(\s*(?:\)|Duration|\(|new\s+OffsetCommitCallback)"
_USE = r"\b{}\b(?!\s*\.\s*(?:count|isEmpty|size)\b)"
_EACH = (
    r"\bfor\s*\([^:;()]{{0,120}}?\b(\w+)\s*(?::|\bin\b|<-)\s*{0}\b"
    r"|\b{0}(?:\s*\.\s*asScala)?\s*\.\s*for[Ee]ach\s*[({{]\s*\(?(\w+)"
)
_HAND = re.compile(
    r"\.\s*(?:submit|execute|runAsync|supplyAsync)\s*\(|\bnew\s+Thread\s*\("
    r"|\bThread\s*\.\s*startVirtualThread\s*\(|\b(?:launch|async|thread|Future)\b\s*(?:\([^(){]*\)\s*)?[({]"
)
_WAITS = re.compile(
    r"\b(?:get|join|invokeAll|awaitTermination|allOf|await|acquire|pause|whenComplete|then\w+"
    r"|awaitAll|joinAll|ready|result|sequence)\s*\(|\b(?:coroutineScope|supervisorScope|runBlocking)\b"
)
_FINALLY = re.compile(r"\bfinally\s*\{")
_TRIES = re.compile(r"\b(?:while|do|repeat)\b|\bfor\s*\([^:)]*;")
_LOOPS = re.compile(r"\b(?:while|for|do)\b")

_TYPES = frozenset({"final", "throws", "Exception", "String", "int", "long", "void", "Unit"})


def reads(text: Text) -> dict[str, int]:
    """What the program does with records, and where it says so."""
    places: dict[str, int] = {}
    names = {name for match in _CONSUMER.finditer(text.plain) for name in match.groups() if name}
    for match in islice(_POLL.finditer(text.plain), _MOST):
        if (match["consumer"] or match["polled"]) in names:
            for what, at in _Poll(text, match).says():
                places.setdefault(what, at)
    return places


class _Poll:
    """One `poll()`, and the block that it stands in."""

    def __init__(self, text: Text, match: re.Match[str]) -> None:
        self._text, self._at = text, match.start()
        self._block = text.block(match.start())
        self._behind = match.end()
        self._consumer = match["consumer"] or match["polled"]
        self._commits = re.compile(_COMMIT.format(self._consumer))
        self._closes = re.compile(rf"\b{self._consumer}\s*\.\s*close\s*\(")
        records = match["records"] or match["record"]
        each = [*re.finditer(_EACH.format(records), self._text.plain[self._behind :])]
        names = {name for loop in each for name in loop.groups() if name}
        self._names = {records, *names}
        self._one_by_one = [self._body(self._behind + loop.start(), loop[0]) for loop in each]
        if match["record"]:
            self._one_by_one.append(self._body(match.start(), match[0]))
        self._uses = re.compile("|".join(_USE.format(name) for name in sorted(self._names)))

    def _body(self, at: int, loop: str) -> tuple[int, int]:
        """What a loop over records does with each; `at` is where the loop begins."""
        begin = at + re.search(r"[({]", loop).start()  # type: ignore[union-attr]
        if self._text.plain[begin] == "{":
            return self._text.block_of(begin)
        end = self._text.closed(begin + 1)
        if "for" not in re.split(r"\W+", loop):
            return begin, end
        behind = self._text.plain[end:]
        return self._text.block_of(end + len(behind) - len(behind.lstrip()))

    def says(self) -> Iterator[tuple[str, int]]:
        """What the code does with its records, and where."""
        for body in self._one_by_one:
            if inside := self._commits.search(self._text.plain, *body):
                yield BEFORE, inside.start()
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
        for handler in java_handlers.silent(self._text):
            if self._goes_on(handler.attempt):
                yield handler.at
        called = self._text.reached(self._block)[1:] if self._loops() else []
        for handler in java_handlers.silent(self._text, in_function=True):
            if any(self._in_method(body, handler.attempt) for body in called):
                yield handler.at

    def _loops(self) -> bool:
        around = self._text.around(self._behind)
        return bool(around) and bool(_LOOPS.search(around[-1][2]))

    def _in_method(self, body: tuple[int, int], attempt: tuple[int, int]) -> bool:
        """Whether an attempt in a method that the loop calls is made once, and of a record."""
        around = self._text.around(attempt[0])
        inside = [head for start, _, head in around if start > body[0]]
        within = body[0] < attempt[0] < body[1] and not any(map(_TRIES.search, inside))
        head = next((head for start, _, head in around if start == body[0]), "")
        taken = re.findall(r"\w+", head.rpartition("(")[2])
        tried = set(re.findall(r"\w+", self._text.plain[slice(*attempt)]))
        return within and not tried.isdisjoint({*taken} - _TYPES)

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
        return bool(java_handlers.CATCH.search(self._text.plain, *attempt))
