"""Where JVM code polls: into a variable, record by record, in a chain of calls, or in
a method that returns what it polled.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.client_names import TYPE, aliases
from advisor.intake.programs.jvm.records import poll_chains
from advisor.intake.programs.jvm.text import AS_FUNCTION, Text
from advisor.intake.text import IntakeError, line_of

TYPED = rf"{TYPE}\s*=\s*"
"""From the name of a variable to its value."""
_CONSUMER = re.compile(
    rf"\b(\w+){TYPED}(?:new\s+)?KafkaConsumer\b"
    r"|\b(\w+)\s*\.\s*subscribe\s*\("
    r"|\b(?:Kafka)?Consumer\s*<[^;=(){}<>]{1,80},[^;=(){}]{1,80}>\s+(\w+)"
    r"|\b(\w+)\s*:\s*(?:Kafka)?Consumer\s*[<\[][^;=(){}<>\[\]]{1,80},"
)
"""What a consumer is called where it is made, declared or used. One that has a type only for keys
or values is not a consumer: java.util.function has another Consumer."""
_OF = r"(?:\w+\s*\??\.\s*){0,3}"
"""The objects whose field a consumer is."""
_LOOKED_BACK = 200
_VARIABLE = re.compile(rf"\b(\w+){TYPED}{_OF}$")
_LOOP = re.compile(r"\bfor\s*\([^:;()]{0,120}?\b(\w+)\s*(?::|\bin\b|<-)\s*" + _OF + "$")
_RETURN = re.compile(rf"\breturn\s+{_OF}$")
"""What stands before a poll whose records go into a variable, one by one into a loop, or to who
calls the method."""
_HANDED = re.compile(
    rf"\b(?!(?:if|for|while|switch|catch)\b)(\w+)\s*(?:\.\s*({AS_FUNCTION})\s*)?\("
)
_OF_PARTITION = re.compile(r"\s*\.\s*records\s*\(.*", re.DOTALL)
_MOST = 60
_COUNTS = re.compile(r"\s*\.\s*(?:count|isEmpty|size)\b")
"""What only tells how many records there are."""
_ALONE = re.compile(rf"(?:^|[;{{}}\n])\s*{_OF}$")
_ANY_POLL = re.compile(
    r"(?<![\w.])(?:\w++\s*+(?:\(\s*+\)\s*+)?\.\s*+){0,12}poll\s*+\(\s*+(?=(?:\w++\.)*"
    r"(?:Duration\b|of(?:Millis|Seconds|Minutes)\b|(?:\d+[lL]?|\w*(?:[tT]imeout|MAX_VALUE)\w*)\s*+\)))"
)
"""A poll of whatever is given what a consumer is: a duration, or milliseconds before Kafka 4."""
_UNFOLLOWED = (
    "what this poll() returns is not followed. Give it to a variable where the records are "
    "processed (var records = consumer.poll(…)), or give the settings of each client as "
    "properties, and state application.commit and application.processing.errors."
)
_EACH_POLLED = re.compile(
    r"(?:\s*\.\s*(?:asScala|par|toSeq|(?:asSequence|toList|iterator|stream)\(\)))*"
    r"\s*\.\s*(?:for[Ee]ach|map|flatMap|onEach)\s*[({]"
    r"(?:\s*\(?(?!this\b)(\w+)[\w:<>, ]*\)?\s*(?:->|=>))?"
)
_INTO = re.compile(r"\s*(?:\.\s*(?:let|also)|\)\s*\.\s*foreach)\s*\{(?:\s*(\w+)\s*(?:->|=>))?")


def consumer_names(text: Text) -> set[str]:
    """The names of consumers; Kotlin's `it` where a block has no other."""
    made_as = {name for match in _CONSUMER.finditer(text.plain) for name in match.groups() if name}
    return aliases(text.plain, made_as, "KafkaConsumer")


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


def polls(text: Text, chains: Mapping[str, Sequence[poll_chains.Chain]]) -> Iterator[Call]:
    """Each `poll()` of a consumer, be it in a method that returns what it polled. `chains` are
    those behind the polls of each consumer.

    Raises `IntakeError` at the end where nothing here says what becomes of the records of one: not
    of a statement, whose records nothing takes at all.
    """
    lost = [*_of_others(text, chains)]
    for consumer, own in sorted(chains.items()):
        for poll, chain in zip(_polls(text, consumer), own, strict=False):
            calls = [*_followed(text, consumer, poll, chain)]
            yield from calls
            if not calls and not _is_alone(text, poll):
                lost.append(poll.start())
    if lost:
        raise IntakeError(f"Line {line_of(text.plain, min(lost))}: {_UNFOLLOWED}")


def _of_others(text: Text, consumers: Collection[str]) -> Iterator[int]:
    """Where something else than these polls as a consumer does."""
    known = {poll.end() for consumer in consumers for poll in _polls(text, consumer)}
    opened = (match.start() + match[0].rindex("(") + 1 for match in _ANY_POLL.finditer(text.plain))
    return (at for at in opened if at not in known)


def _is_alone(text: Text, poll: re.Match[str]) -> bool:
    """Whether a `poll()` is a statement, so that nothing takes what it returns."""
    behind = text.plain[text.closed(poll.end()) :].lstrip()
    return _ALONE.search(_before(text, poll)) is not None and not behind.startswith(".")


def _polls(text: Text, consumer: str) -> Iterator[re.Match[str]]:
    return re.finditer(poll_chains.POLL.format(consumer), text.plain)


def _before(text: Text, poll: re.Match[str]) -> str:
    return text.plain[max(0, poll.start() - _LOOKED_BACK) : poll.start()]


def _followed(
    text: Text, consumer: str, poll: re.Match[str], chain: poll_chains.Chain
) -> Iterator[Call]:
    """What has the records of one `poll()`."""
    before, closed = _before(text, poll), text.closed(poll.end())
    begin = poll.start() - len(before)
    if _COUNTS.match(text.plain, closed):
        return
    if variable := _VARIABLE.search(before):
        yield Call(begin + variable.start(), poll.end(), consumer, variable[1])
    elif loop := _LOOP.search(before):
        yield Call(begin + loop.start(), poll.end(), consumer, loop[1], True)
    elif _RETURN.search(before):
        yield from _returned(text, consumer)
    if inner := _INTO.match(text.plain, closed):
        yield Call(inner.end(), inner.end(), consumer, inner[1] or "it")
    elif each := _EACH_POLLED.match(text.plain, closed):
        yield Call(poll.start(), each.end(), consumer, each[1] or "it", True, each.start())
    else:
        for step in chain:
            for name, at in () if step.is_outer else step.parameters(text):
                yield Call(poll.start(), at, consumer, name, True, step.begin - 1)
    for step, name, at in poll_chains.one_by_one(text, [chain]):
        yield Call(step.at, at, consumer, name, True, step.at)
    for name, at in poll_chains.all_at_once(text, [chain]):
        yield Call(at, at, consumer, name)


def _returned(text: Text, consumer: str) -> Iterator[Call]:
    """The calls of methods that return what they polled."""
    methods = text.methods_with(re.compile(rf"\breturn\s+{_OF}{poll_chains.POLL.format(consumer)}"))
    if not methods:
        return
    call = rf"(?:this\.)?(?:{'|'.join(methods)})\s*\("
    for match in re.finditer(rf"\b(\w+){TYPED}{call}", text.plain):
        yield Call(match.start(), match.end(), consumer, match[1])
    loop = rf"\bfor\s*\([^:;()]{{0,120}}?\b(\w+)\s*(?::|\bin\b|<-)\s*{call}"
    for match in re.finditer(loop, text.plain):
        yield Call(match.start(), match.end(), consumer, match[1], True)


def methods_given_records(
    text: Text, names: Collection[str], whole: Collection[str], of: Call
) -> Iterator[Call]:
    """The methods of the file that are handed records, all of them or one, each as a `poll()` of
    these; `of` is the one whose block calls them."""
    span = of.end, text.block(of.start)[1]
    for match in islice(_HANDED.finditer(text.plain, *span), _MOST):
        given = [_OF_PARTITION.sub("", argument) for argument in text.arguments(match.end())]
        bodies = text.bodies(match[1]) or text.bodies(match[2] or "")
        for body in bodies if not set(names).isdisjoint(given) else ():
            pairs = dict(zip(text.parameters(body), given, strict=False))
            consumer = next(
                (own for own, item in pairs.items() if item == of.consumer), of.consumer
            )
            begin = body[0] + 1
            for own in (own for own, item in pairs.items() if item in names):
                yield Call(begin, begin, consumer, own, pairs[own] not in whole, body[0])
