"""Polls in a chain of calls: `poll(d).also { … }`, `generateSequence { c.poll(d) }`,
`Iterator.continually(c.poll(d))`.

A commit without offsets covers all polled records (KafkaConsumer javadoc), also in a step of the
chain before the records are processed, or in a step that runs for each record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.text import Block, Text

POLL = r"\b{0}\s*\??\.\s*poll\s*\("
"""A poll; the name of the consumer is filled in."""
_MOST, _MOST_CASES, _LONGEST = 20, 6, 16

Chain = list["Step"]
"""The calls after one poll."""

_LINK = re.compile(r"\s*\??\.\s*(?P<name>\w+)(?:\s*<[\w<>?, .]{0,40}>)?\s*(?P<opened>[({])?")
_ENDLESS_SOURCE = re.compile(
    r"\b(?:generateSequence|continually|generate|repeatWithEffect|flow)\s*[({]\s*(?:\(\s*\)\s*->\s*)?"
    r"(?:this\.)?$"
)
_FLATTENING_STEPS = frozenset(
    {"flatten", "flatMap", "flatMapIterable", "mapConcat", "flatMapConcat"}
)
_RECORD_STEPS = frozenset({"forEach", "foreach", "onEach", "map", "collect"})
_PROCESSING_STEPS = frozenset(
    {"also", "apply", "onEach", "peek", "let", "run", "map", "forEach", "foreach"}
)
_PARAMETER = re.compile(r"\s*\(?\s*(\w+)\s*\)?\s*(?:->|=>)")
_PARAMETERS = re.compile(r"\s*(?!case\b)\(?\s*(?P<names>\w+(?:\s*,\s*\w+)*)\s*\)?\s*(?:->|=>)")
_CASE_KEYWORD = re.compile(r"\s*case\b")
_CASE = re.compile(
    r"\bcase\b(?P<pattern>(?:(?!\bif\b|=>)[^\n]){1,120})(?:\bif\b(?:(?!=>)[^\n]){1,200})?=>"
)
"""A case clause of Scala: its pattern and its guard."""
_BOUND_NAME = re.compile(r"(?<![\w.])(?<!: )(?<!:)[a-z_]\w*\b(?!\s*[.(])")
"""A name that a pattern binds, not that of a type or an extractor."""
_TRAILING_FUNCTION = re.compile(r"\)[ \t]*\{")
"""The start of a function after the arguments of a call, in Kotlin and Scala."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a chain: its name, its offset, the start and end of its arguments, whether it
    runs for each record, and whether it comes after an endless source of polls."""

    name: str
    at: int
    begin: int
    end: int
    is_flat: bool
    is_outer: bool

    def parameter(self, text: Text) -> tuple[str, int]:
        """Returns the parameter of its function, and the start of the body."""
        match = _PARAMETER.match(text.plain, self.begin, self.end)
        return (match[1], match.end()) if match else ("it", self.begin)

    def parameters(self, text: Text) -> Iterator[tuple[str, int]]:
        """Yields the parameters of its function, each with the start of the body."""
        if match := _PARAMETERS.match(text.plain, self.begin, max(self.begin, self.end)):
            yield from ((name, match.end()) for name in re.findall(r"\w+", match["names"]))
        elif _CASE_KEYWORD.match(text.plain, self.begin):
            yield from case_names(text, (self.begin, self.end))


def case_names(text: Text, block: Block) -> Iterator[tuple[str, int]]:
    """Yields the names that case clauses in a block bind, each with the start of its body."""
    for match in islice(_CASE.finditer(text.plain, *block), _MOST_CASES):
        yield from (
            (name, match.end()) for name in _BOUND_NAME.findall(match["pattern"]) if name != "_"
        )


def chains(text: Text, consumer: str) -> Iterator[Chain]:
    """Yields the steps after each poll of a consumer."""
    polls = re.finditer(POLL.format(consumer), text.plain)
    for poll in islice(polls, _MOST):
        at = text.closed(poll.end())
        end = re.compile(r"\s*[)}]").match(text.plain, at)
        is_endless = _ENDLESS_SOURCE.search(text.plain[max(0, poll.start() - 80) : poll.start()])
        chain = [*steps(text, at)]
        last = chain[-1].end + 1 if chain else at
        if is_endless and (end := re.compile(r"\s*[)}]").match(text.plain, last)):
            chain += steps(text, end.end(), any(step.is_flat for step in chain), is_outer=True)
        yield chain


def steps(
    text: Text, at: int, is_flat: bool = False, *, is_outer: bool = False
) -> Iterator[Step]:  # fmt: skip
    """Yields the calls of the chain that starts at a place."""
    for _ in range(_LONGEST):
        link = _LINK.match(text.plain, at)
        if link is None:
            return
        begin = link.end()
        if link["opened"] == "{":
            end = text.block_of(begin - 1)[1]
        else:
            end = text.closed(begin) - 1 if link["opened"] else begin - 1
            if function := _TRAILING_FUNCTION.match(text.plain, end):
                begin, end = function.end(), text.block_of(function.end() - 1)[1]
        yield Step(link["name"], link.start(), begin, end, is_flat, is_outer)
        is_flat = is_flat or link["name"] in _FLATTENING_STEPS
        at = max(end + 1, begin)


def early_commits(text: Text, chains: Iterable[Chain], commits: re.Pattern[str]) -> Iterator[int]:
    """Yields commits of all polled records in a step that comes before they are processed."""
    for steps in chains:
        is_processed = False
        for step in steps:
            commit = commits.search(text.plain, step.begin, max(step.begin, step.end))
            if commit is None:
                is_processed = is_processed or (
                    step.name in _PROCESSING_STEPS and step.end > step.begin
                )
                continue
            begin = step.parameter(text)[1]
            before = text.plain[begin : commit.start()]
            if step.is_flat or (
                not is_processed and step.name in _PROCESSING_STEPS and only_logs(before)
            ):
                yield commit.start()


def record_steps(text: Text, chains: Iterable[Chain]) -> Iterator[tuple[Step, str, int]]:
    """Yields the steps of endless chains that run for each record, each with its parameter and the
    start of its body."""
    for steps in chains:
        for step in steps:
            if step.is_flat and step.name in _RECORD_STEPS and step.end > step.begin:
                yield (step, *step.parameter(text))


def batch_steps(text: Text, chains: Iterable[Chain]) -> Iterator[tuple[str, int]]:
    """Yields the parameters that hold all polled records in endless chains, each with the start of
    its body."""
    for steps in chains:
        for step in steps:
            if step.name == "forEach" and not step.is_flat and text.plain[step.begin - 1] == "{":
                yield step.parameter(text)
