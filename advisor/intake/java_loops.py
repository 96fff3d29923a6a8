"""What code of Kafka's Java clients does with the records that it polls and sends, as far as its
text says so.

Only what is sure is given, as in `python_reads`. `commitSync()` and `commitAsync()` without offsets
commit behind all that the last `poll()` returned, and so does `close()` with automatic commits
(KafkaConsumer javadoc).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake import java_handlers, java_sends
from advisor.intake.java_commits import USE, Records
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
_EACH = (
    r"\bfor\s*\([^:;()]{{0,120}}?\b(\w+)\s*(?::|\bin\b|<-)\s*{0}\b"
    r"|\b{0}(?:\s*\.\s*asScala)?\s*\.\s*for[Ee]ach\s*[({{]\s*\(?(\w+)"
)
_HAND = re.compile(
    r"\.\s*(?:submit|execute|runAsync|supplyAsync)\s*\(|\bnew\s+Thread\s*\("
    r"|\bThread\s*\.\s*startVirtualThread\s*\(|\b(?:launch|async|thread|Future)\b\s*(?:\([^(){]*\)\s*)?[({]"
)
_SUBSCRIBES = re.compile(r"\.\s*subscribe\s*\(")
"""Of a reactive chain, which is not waited for."""
_GOES_ON = re.compile(
    r"\.\s*(?:onErrorContinue|onErrorComplete)\s*\(|\.\s*onErrorResume\s*\([^;]{0,80}\.\s*empty\s*\("
)
_READS_FUTURE = re.compile(r"\.\s*(?:get|join)\s*\(")
_TOO_FAR = re.compile(r"\.\s*offset\s*\(\s*\)\s*\+\s*(?!1\b)\d")
_PUT = re.compile(r"\b(\w+)\s*\.\s*(?:put|add|offer|send|trySend)\s*\(")
_QUEUE = (
    r"\b\w*(?:Queue|Deque|Channel)\b(?:<[^;=()]{{0,80}}>)?\s+{0}\b"
    r"|\b{0}\s*=\s*(?:new\s+)?\w*(?:Queue|Deque|Channel)\b"
)
_WAITS = re.compile(
    r"\b(?:get|join|invokeAll|awaitTermination|allOf|await|acquire|pause|whenComplete|then\w+"
    r"|awaitAll|joinAll|ready|result|sequence)\s*\(|\b(?:coroutineScope|supervisorScope|runBlocking)\b"
)
_FINALLY = re.compile(r"\bfinally\s*\{")
_LOOPS = re.compile(r"\b(?:while|for|do)\b")

_TYPES = frozenset({"final", "throws", "Exception", "String", "int", "long", "void", "Unit"})


def reads(text: Text) -> dict[str, int]:
    """What the program does with records, and where it says so."""
    places: dict[str, int] = {}
    names = {name for match in _CONSUMER.finditer(text.plain) for name in match.groups() if name}
    program = _Program(
        text,
        [*java_handlers.silent(text)],
        [*java_handlers.silent(text, in_function=True)],
        frozenset(java_sends.names(text.plain)),
    )
    for poll in islice(_polls(text, names), _MOST):
        for what, at in _Poll(program, poll).says():
            places.setdefault(what, at)
    return places


@dataclass(frozen=True, slots=True)
class _Program:
    """A text, its handlers that only write of an error (those that go on, and those that go on or
    return), and its producers."""

    text: Text
    go_on: list[java_handlers.Handler]
    go_on_or_return: list[java_handlers.Handler]
    producers: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Call:
    """A `poll()`: from where to where it is written, and what it returns is called; `in_loop` says
    whether that is one record."""

    start: int
    end: int
    consumer: str
    name: str
    in_loop: bool = False


def _polls(text: Text, names: set[str]) -> Iterator[_Call]:
    """Each `poll()` of a consumer, be it in a method that returns what it polled."""
    for match in _POLL.finditer(text.plain):
        consumer = match["consumer"] or match["polled"]
        if consumer in names:
            name, one = match["records"] or match["record"], bool(match["record"])
            yield _Call(match.start(), match.end(), consumer, name, one)
    for consumer in sorted(names):
        returns = re.compile(rf"\breturn\s+(?:this\.)?{consumer}\s*\.\s*poll\s*\(")
        if methods := text.methods_with(returns):
            called = rf"\b(\w+){_TYPED}(?:this\.)?(?:{'|'.join(methods)})\s*\("
            for match in re.finditer(called, text.plain):
                yield _Call(match.start(), match.end(), consumer, match[1])


class _Poll:
    """One `poll()`, and the block that it stands in."""

    def __init__(self, program: _Program, poll: _Call) -> None:
        self._program, text = program, program.text
        self._text, self._at, self._consumer = text, poll.start, poll.consumer
        self._block = text.block(poll.start)
        self._behind = poll.end
        self._closes = re.compile(rf"\b{poll.consumer}\s*\.\s*close\s*\(")
        each = [*re.finditer(_EACH.format(poll.name), text.plain[self._behind : self._block[1]])]
        names = {poll.name, *(self._name(loop) for loop in each)}
        one_by_one = [self._body(self._behind + loop.start(), loop[0]) for loop in each]
        if poll.in_loop:
            one_by_one.append(self._body(poll.start, text.plain[poll.start : poll.end]))
        self._records = Records(
            text,
            poll.consumer,
            frozenset(names),
            self._behind,
            self._block,
            one_by_one,
            program.producers,
        )
        self._commits = self._records.commits_of_all
        self._uses = re.compile("|".join(USE.format(name) for name in sorted(names)))

    def _name(self, loop: re.Match[str]) -> str:
        """What a loop calls a record; Kotlin's braces without a name for it call it `it`."""
        behind = self._text.plain[self._behind + loop.end() :][:20].lstrip()
        if "{" in loop[0] and not behind.startswith((")", ",", ":", "->", "=>")):
            return "it"
        return str(next(filter(None, loop.groups())))

    def _body(self, at: int, loop: str) -> tuple[int, int]:
        """What a loop over records does with each; `at` is where the loop begins."""
        begin = at + re.search(r"[({]", loop).start()  # type: ignore[union-attr]
        if self._text.plain[begin] == "{":
            return self._text.block_of(begin)
        end = self._text.closed(begin + 1)
        if "for" not in re.split(r"\W+", loop):
            return begin, end
        behind = self._text.plain[end:]
        start = end + len(behind) - len(behind.lstrip())
        if behind.lstrip().startswith("{"):
            return self._text.block_of(start)
        statement = re.match(r"[^;\n]*", self._text.plain[start:])
        return start, start + len(statement[0]) if statement else start

    def says(self) -> Iterator[tuple[str, int]]:
        """What the code does with its records, and where."""
        plain, end = self._text.plain, self._block[1]
        yield from ((BEFORE, at) for at in self._records.too_early())
        if handed := self._handed(end):
            yield ASYNCHRONOUS, handed
            if later := self._commits.search(plain, handed, end):
                yield BEFORE, later.start()
        yield from ((SKIP, at) for at in (*self._passed_over(), *self._in_others()))
        if too_far := _TOO_FAR.search(plain, self._behind, end):
            yield SKIP, too_far.start()  # the offset behind the next record, too
        yield from self._at_the_end()

    def _handed(self, end: int) -> int:
        """Where others are given a record, and nothing in the block waits; 0 if nowhere."""
        plain = self._text.plain
        if _WAITS.search(plain, self._behind, end):
            return 0
        for match in _HAND.finditer(plain, self._behind, end):
            if self._uses.search(plain, match.end(), self._text.closed(match.end())):
                return match.start()
        for match in islice(_SUBSCRIBES.finditer(plain, self._behind, end), _MOST):
            begin = self._text.chain(match.end() - 1)
            if begin > self._behind and self._uses.search(plain, begin, match.end()):
                return begin
        puts = [*islice(_PUT.finditer(plain, self._behind, end), _MOST)]
        queues = {name for name in {match[1] for match in puts}
                  if "queue" in name.lower() or re.search(_QUEUE.format(name), plain)}  # fmt: skip
        for match in puts:
            closed = self._text.closed(match.end())
            is_queue = match[1] in queues
            taken_here = re.search(rf"\b{match[1]}\b", plain[closed:end])
            if is_queue and not taken_here and self._uses.search(plain, match.end(), closed):
                return match.start()
        return 0

    def _passed_over(self) -> Iterator[int]:
        """Handlers of any error that write of it and go on with the next record."""
        for handler in self._program.go_on:
            if self._goes_on(handler.attempt):
                yield handler.at
        called = self._text.reached(self._block)[1:] if self._loops() else []
        for handler in self._program.go_on_or_return:
            if any(self._in_method(body, handler.attempt) for body in called):
                yield handler.at

    def _in_others(self) -> Iterator[int]:
        """Where an error of what others were given is passed over: of an executor, in a handler
        around its future, or of a reactive chain."""
        plain, end = self._text.plain, self._block[1]
        if match := _GOES_ON.search(plain, self._behind, end):
            yield match.start()
        if not _HAND.search(plain, self._behind, end):
            return
        for handler in self._program.go_on:
            start, stop = handler.attempt
            if self._behind < start < end and _READS_FUTURE.search(plain, start, stop):
                yield handler.at

    def _loops(self) -> bool:
        around = self._text.around(self._behind)
        return bool(around) and bool(_LOOPS.search(around[-1][2]))

    def _in_method(self, body: tuple[int, int], attempt: tuple[int, int]) -> bool:
        """Whether an attempt in a method that the loop calls is made once, and of a record."""
        around = self._text.around(attempt[0])
        again = java_handlers.tries_again(self._text, attempt, body)
        within = body[0] < attempt[0] < body[1] and not again
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
        within = self._block[0] < attempt[0] < self._block[1]
        return within and not java_handlers.tries_again(self._text, attempt, self._block)

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
