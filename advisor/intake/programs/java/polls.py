"""Where code in Java's manner polls: into a variable, record by record, in a chain of calls, or in
a method that returns what it polled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.intake.programs.java import sequences as java_sequences
from advisor.intake.programs.java.text import Text

TYPED = r"\s*(?::\s*[\w<>?, ]{1,60})?=\s*"
"""From the name of a variable to its value; Kotlin and Scala may write its type between them."""
_CONSUMER = re.compile(
    rf"\b(\w+){TYPED}(?:new\s+)?KafkaConsumer\b"
    r"|\b(\w+)\s*\.\s*subscribe\s*\("
)
_POLL = re.compile(
    rf"\b(?P<records>\w+){TYPED}(?:this\.)?(?P<consumer>\w+)\.poll\s*\("
    r"|\bfor\s*\([^:;()]{0,120}?\b(?P<record>\w+)\s*(?::|\bin\b|<-)\s*(?:this\.)?"
    r"(?P<polled>\w+)\.poll\s*\("
)
"""Into a variable, or record by record."""
_EACH_POLLED = re.compile(
    r"(?:\s*\.\s*(?:asScala|par|toSeq|(?:asSequence|toList|iterator|stream)\(\)))*"
    r"\s*\.\s*(?:for[Ee]ach|map|flatMap|onEach)\s*[({]"
    r"(?:\s*\(?(?!this\b)(\w+)[\w:<>, ]*\)?\s*(?:->|=>))?"
)
_INTO = re.compile(r"\s*(?:\.\s*(?:let|also)|\)\s*\.\s*foreach)\s*\{(?:\s*(\w+)\s*(?:->|=>))?")


def consumers(text: Text) -> set[str]:
    """The names of consumers."""
    return {name for match in _CONSUMER.finditer(text.plain) for name in match.groups() if name}


@dataclass(frozen=True, slots=True)
class Call:
    """A `poll()`: from where to where it is written, and what it returns is called; `in_loop` says
    whether that is one record."""

    start: int
    end: int
    consumer: str
    name: str
    in_loop: bool = False
    head: int = 0
    """Where the loop over its records begins, if it is not where the call does."""


def polls(text: Text, chains: Mapping[str, Sequence[java_sequences.Chain]]) -> Iterator[Call]:
    """Each `poll()` of a consumer, be it in a method that returns what it polled. `chains` are
    those behind the polls of each consumer."""
    for match in _POLL.finditer(text.plain):
        consumer = match["consumer"] or match["polled"]
        if consumer in chains:
            name, one = match["records"] or match["record"], bool(match["record"])
            yield Call(match.start(), match.end(), consumer, name, one)
    for consumer in sorted(chains):
        for match in re.finditer(rf"\b{consumer}\s*\.\s*poll\s*\(", text.plain):
            closed = text.closed(match.end())
            if inner := _INTO.match(text.plain, closed):
                yield Call(inner.end(), inner.end(), consumer, inner[1] or "it")
            elif each := _EACH_POLLED.match(text.plain, closed):
                name = each[1] or "it"
                yield Call(match.start(), each.end(), consumer, name, True, each.start())
        for step, name, begin in java_sequences.one_by_one(text, chains[consumer]):
            yield Call(step.at, begin, consumer, name, True, step.at)
        for name, begin in java_sequences.all_at_once(text, chains[consumer]):
            yield Call(begin, begin, consumer, name)
        returns = re.compile(rf"\breturn\s+(?:this\.)?{consumer}\s*\.\s*poll\s*\(")
        if methods := text.methods_with(returns):
            called = rf"\b(\w+){TYPED}(?:this\.)?(?:{'|'.join(methods)})\s*\("
            for match in re.finditer(called, text.plain):
                yield Call(match.start(), match.end(), consumer, match[1])
