"""Polls that stand in a chain of calls: `poll(d).also { … }`, `generateSequence { c.poll(d) }`,
`Iterator.continually(c.poll(d))`.

A commit without offsets is behind all that was polled (KafkaConsumer javadoc), also in a step of
the chain before the records are processed, or in one that has them one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.text import Block, Text

POLL = r"\b{0}\s*\??\.\s*poll\s*\("
"""Of a consumer of this name."""
_MOST, _MOST_CASES, _LONGEST = 20, 6, 16

Chain = list["Step"]
"""The calls behind one poll."""

_LINK = re.compile(r"\s*\??\.\s*(?P<name>\w+)(?:\s*<[\w<>?, .]{0,40}>)?\s*(?P<opened>[({])?")
_ENDLESS = re.compile(
    r"\b(?:generateSequence|continually|generate|repeatWithEffect|flow)\s*[({]\s*(?:\(\s*\)\s*->\s*)?"
    r"(?:this\.)?$"
)
_FLATTENS = frozenset({"flatten", "flatMap", "flatMapIterable", "mapConcat", "flatMapConcat"})
_EACH = frozenset({"forEach", "foreach", "onEach", "map", "collect"})
_STEPS = frozenset({"also", "apply", "onEach", "peek", "let", "run", "map", "forEach", "foreach"})
_PARAMETER = re.compile(r"\s*\(?\s*(\w+)\s*\)?\s*(?:->|=>)")
_PARAMETERS = re.compile(r"\s*(?!case\b)\(?\s*(?P<names>\w+(?:\s*,\s*\w+)*)\s*\)?\s*(?:->|=>)")
_CASES = re.compile(r"\s*case\b")
_CASE = re.compile(
    r"\bcase\b(?P<pattern>(?:(?!\bif\b|=>)[^\n]){1,120})(?:\bif\b(?:(?!=>)[^\n]){1,200})?=>"
)
"""Of Scala: what is taken, and on which condition."""
_BOUND = re.compile(r"(?<![\w.])(?<!: )(?<!:)[a-z_]\w*\b(?!\s*[.(])")
"""A name in a pattern, which neither a type has nor what makes it."""
_TRAILING = re.compile(r"\)[ \t]*\{")
"""Of Kotlin and Scala: a function behind the brackets of the call that is given it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a chain: its name, where it stands, where what it is given begins and ends,
    whether it has the records one by one, and whether it is behind what polls without end."""

    name: str
    at: int
    begin: int
    end: int
    is_flat: bool
    is_outer: bool

    def parameter(self, text: Text) -> tuple[str, int]:
        """The name of its parameter, and where its body begins."""
        match = _PARAMETER.match(text.plain, self.begin, self.end)
        return (match[1], match.end()) if match else ("it", self.begin)

    def parameters(self, text: Text) -> Iterator[tuple[str, int]]:
        """The names of all its function's parameters, and where its body begins."""
        if match := _PARAMETERS.match(text.plain, self.begin, max(self.begin, self.end)):
            yield from ((name, match.end()) for name in re.findall(r"\w+", match["names"]))
        elif _CASES.match(text.plain, self.begin):
            yield from names_of_cases(text, (self.begin, self.end))


def names_of_cases(text: Text, block: Block) -> Iterator[tuple[str, int]]:
    """The names in the patterns of the cases of a function, or of a `match`, and where the body of
    each begins."""
    for match in islice(_CASE.finditer(text.plain, *block), _MOST_CASES):
        yield from ((name, match.end()) for name in _BOUND.findall(match["pattern"]) if name != "_")


def chains(text: Text, consumer: str) -> Iterator[Chain]:
    """The steps behind each poll of a consumer."""
    polls = re.finditer(POLL.format(consumer), text.plain)
    for poll in islice(polls, _MOST):
        at = text.closed(poll.end())
        behind = re.compile(r"\s*[)}]").match(text.plain, at)
        is_endless = _ENDLESS.search(text.plain[max(0, poll.start() - 80) : poll.start()])
        own = [*steps(text, at)]
        last = own[-1].end + 1 if own else at
        if is_endless and (behind := re.compile(r"\s*[)}]").match(text.plain, last)):
            own += steps(text, behind.end(), any(step.is_flat for step in own), is_outer=True)
        yield own


def steps(
    text: Text, at: int, is_flat: bool = False, *, is_outer: bool = False
) -> Iterator[Step]:  # fmt: skip
    """The calls of the chain that begins behind a place."""
    for _ in range(_LONGEST):
        link = _LINK.match(text.plain, at)
        if link is None:
            return
        begin = link.end()
        if link["opened"] == "{":
            end = text.block_of(begin - 1)[1]
        else:
            end = text.closed(begin) - 1 if link["opened"] else begin - 1
            if trailing := _TRAILING.match(text.plain, end):
                begin, end = trailing.end(), text.block_of(trailing.end() - 1)[1]
        yield Step(link["name"], link.start(), begin, end, is_flat, is_outer)
        is_flat = is_flat or link["name"] in _FLATTENS
        at = max(end + 1, begin)


def too_early(text: Text, chains: Iterable[Chain], commits: re.Pattern[str]) -> Iterator[int]:
    """Where a step commits all that was polled before it is processed."""
    for steps in chains:
        used = False
        for step in steps:
            commit = commits.search(text.plain, step.begin, max(step.begin, step.end))
            if commit is None:
                used = used or (step.name in _STEPS and step.end > step.begin)
                continue
            begin = step.parameter(text)[1]
            before = text.plain[begin : commit.start()]
            if step.is_flat or (not used and step.name in _STEPS and only_logs(before)):
                yield commit.start()


def one_by_one(text: Text, chains: Iterable[Chain]) -> Iterator[tuple[Step, str, int]]:
    """The step of each endless chain that has its records one by one, what it calls a record, and
    where its body begins."""
    for steps in chains:
        for step in steps:
            if step.is_flat and step.name in _EACH and step.end > step.begin:
                yield (step, *step.parameter(text))


def all_at_once(text: Text, chains: Iterable[Chain]) -> Iterator[tuple[str, int]]:
    """What the step of an endless chain calls all that was polled, and where its body begins."""
    for steps in chains:
        for step in steps:
            if step.name == "forEach" and not step.is_flat and text.plain[step.begin - 1] == "{":
                yield step.parameter(text)
