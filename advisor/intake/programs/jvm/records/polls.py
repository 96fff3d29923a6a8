"""Polls of JVM code: into a variable, record by record, in a chain of calls, or in a method that
returns the polled records.
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
"""The code between the name of a variable and its value."""
_CONSUMER_NAME = re.compile(
    rf"\b(\w+){TYPED}(?:new\s+)?KafkaConsumer\b"
    r"|\b(\w+)\s*\.\s*subscribe\s*\("
    r"|\b(?:Kafka)?Consumer\s*<[^;=(){}<>]{1,80},[^;=(){}]{1,80}>\s+(\w+)"
    r"|\b(\w+)\s*:\s*(?:Kafka)?Consumer\s*[<\[][^;=(){}<>\[\]]{1,80},"
)
"""The name of a consumer where it is created, declared or used. A type with one type argument is
another one: the Consumer of java.util.function."""
_RECEIVER = r"(?:\w+\s*\??\.\s*){0,3}"
"""The objects that hold a consumer in a field."""
_LOOKED_BACK = 200
_VARIABLE = re.compile(rf"\b(\w+){TYPED}{_RECEIVER}$")
_LOOP = re.compile(r"\bfor\s*\([^:;()]{0,120}?\b(\w+)\s*(?::|\bin\b|<-)\s*" + _RECEIVER + "$")
_RETURN = re.compile(rf"\breturn\s+{_RECEIVER}$")
"""The code before a poll whose records are assigned to a variable, looped over, or returned to the
caller of the method."""
_CALL = re.compile(rf"\b(?!(?:if|for|while|switch|catch)\b)(\w+)\s*(?:\.\s*({AS_FUNCTION})\s*)?\(")
_RECORDS_OF_PARTITION = re.compile(r"\s*\.\s*records\s*\(.*", re.DOTALL)
_MOST = 60
_COUNT = re.compile(r"\s*\.\s*(?:count|isEmpty|size)\b")
"""A call that only counts the records."""
_STATEMENT_START = re.compile(rf"(?:^|[;{{}}\n])\s*{_RECEIVER}$")
_ANY_POLL = re.compile(
    r"(?<![\w.])(?:\w++\s*+(?:\(\s*+\)\s*+)?\.\s*+){0,12}poll\s*+\(\s*+(?=(?:\w++\.)*"
    r"(?:Duration\b|of(?:Millis|Seconds|Minutes)\b|(?:\d+[lL]?|\w*(?:[tT]imeout|MAX_VALUE)\w*)\s*+\)))"
)
"""A poll of any object with a consumer's argument: a duration, or milliseconds before Kafka 4."""
_UNREADABLE_POLL = (
    "the records that this poll() returns cannot be followed. Assign them to a variable in "
    "the method that processes them (var records = consumer.poll(…)), or give the settings of each "
    "client as properties, and state application.commit and application.processing.errors."
)
_RECORD_FUNCTION = re.compile(
    r"(?:\s*\.\s*(?:asScala|par|toSeq|(?:asSequence|toList|iterator|stream)\(\)))*"
    r"\s*\.\s*(?:for[Ee]ach|map|flatMap|onEach)\s*[({]"
    r"(?:\s*\(?(?!this\b)(\w+)[\w:<>, ]*\)?\s*(?:->|=>))?"
)
_SCOPE_FUNCTION = re.compile(
    r"\s*(?:\.\s*(?:let|also)|\)\s*\.\s*foreach)\s*\{(?:\s*(\w+)\s*(?:->|=>))?"
)


def consumer_names(text: Text) -> set[str]:
    """Returns the names of consumers; `it` in a Kotlin block without a parameter."""
    names = {
        name for match in _CONSUMER_NAME.finditer(text.plain) for name in match.groups() if name
    }
    return aliases(text.plain, names, "KafkaConsumer")


@dataclass(frozen=True, slots=True)
class Call:
    """A `poll()`: its start and end, its consumer, and the name of its result; `in_loop` says
    whether that is a single record."""

    start: int
    end: int
    consumer: str
    name: str
    in_loop: bool = False
    head: int = 0
    """The start of the loop over its records, if the loop does not start at the call."""


def polls(text: Text, chains: Mapping[str, Sequence[poll_chains.Chain]]) -> Iterator[Call]:
    """Yields each `poll()` of a consumer, also in a method that returns the polled records.

    `chains` holds the chains after the polls of each consumer, by its name. Raises `IntakeError` at
    the end if a poll is in no form that is read here, unless it is a statement of its own, which
    drops the records.
    """
    unreadable = [*_other_polls(text, chains)]
    for consumer, consumer_chains in sorted(chains.items()):
        for poll, chain in zip(_polls(text, consumer), consumer_chains, strict=False):
            calls = [*_record_variables(text, consumer, poll, chain)]
            yield from calls
            if not calls and not _is_statement(text, poll):
                unreadable.append(poll.start())
    if unreadable:
        raise IntakeError(f"Line {line_of(text.plain, min(unreadable))}: {_UNREADABLE_POLL}")


def _other_polls(text: Text, consumers: Collection[str]) -> Iterator[int]:
    """Polls of objects other than these consumers."""
    ends = {poll.end() for consumer in consumers for poll in _polls(text, consumer)}
    arguments = (
        match.start() + match[0].rindex("(") + 1 for match in _ANY_POLL.finditer(text.plain)
    )
    return (at for at in arguments if at not in ends)


def _is_statement(text: Text, poll: re.Match[str]) -> bool:
    """Whether a `poll()` is a statement, so that nothing uses its result."""
    rest = text.plain[text.closed(poll.end()) :].lstrip()
    return _STATEMENT_START.search(_before(text, poll)) is not None and not rest.startswith(".")


def _polls(text: Text, consumer: str) -> Iterator[re.Match[str]]:
    return re.finditer(poll_chains.POLL.format(consumer), text.plain)


def _before(text: Text, poll: re.Match[str]) -> str:
    return text.plain[max(0, poll.start() - _LOOKED_BACK) : poll.start()]


def _record_variables(
    text: Text, consumer: str, poll: re.Match[str], chain: poll_chains.Chain
) -> Iterator[Call]:
    """The variables that hold the records of one `poll()`."""
    before, closed = _before(text, poll), text.closed(poll.end())
    begin = poll.start() - len(before)
    if _COUNT.match(text.plain, closed):
        return
    if variable := _VARIABLE.search(before):
        yield Call(begin + variable.start(), poll.end(), consumer, variable[1])
    elif loop := _LOOP.search(before):
        yield Call(begin + loop.start(), poll.end(), consumer, loop[1], True)
    elif _RETURN.search(before):
        yield from _calls_of_polling_methods(text, consumer)
    if function := _SCOPE_FUNCTION.match(text.plain, closed):
        yield Call(function.end(), function.end(), consumer, function[1] or "it")
    elif function := _RECORD_FUNCTION.match(text.plain, closed):
        yield Call(
            poll.start(), function.end(), consumer, function[1] or "it", True, function.start()
        )
    else:
        for step in chain:
            for name, at in () if step.is_outer else step.parameters(text):
                yield Call(poll.start(), at, consumer, name, True, step.begin - 1)
    for step, name, at in poll_chains.record_steps(text, [chain]):
        yield Call(step.at, at, consumer, name, True, step.at)
    for name, at in poll_chains.batch_steps(text, [chain]):
        yield Call(at, at, consumer, name)


def _calls_of_polling_methods(text: Text, consumer: str) -> Iterator[Call]:
    """The calls of methods that return polled records."""
    methods = text.methods_with(
        re.compile(rf"\breturn\s+{_RECEIVER}{poll_chains.POLL.format(consumer)}")
    )
    if not methods:
        return
    call = rf"(?:this\.)?(?:{'|'.join(methods)})\s*\("
    for match in re.finditer(rf"\b(\w+){TYPED}{call}", text.plain):
        yield Call(match.start(), match.end(), consumer, match[1])
    loop = rf"\bfor\s*\([^:;()]{{0,120}}?\b(\w+)\s*(?::|\bin\b|<-)\s*{call}"
    for match in re.finditer(loop, text.plain):
        yield Call(match.start(), match.end(), consumer, match[1], True)


def calls_with_records(
    text: Text, names: Collection[str], whole: Collection[str], poll: Call
) -> Iterator[Call]:
    """Yields the methods of the file to which the block of a poll passes records, all or a single
    one, each as a `poll()` of them."""
    span = poll.end, text.block(poll.start)[1]
    for match in islice(_CALL.finditer(text.plain, *span), _MOST):
        arguments = [
            _RECORDS_OF_PARTITION.sub("", argument) for argument in text.arguments(match.end())
        ]
        bodies = text.bodies(match[1]) or text.bodies(match[2] or "")
        for body in bodies if not set(names).isdisjoint(arguments) else ():
            pairs = dict(zip(text.parameters(body), arguments, strict=False))
            consumer = next(
                (parameter for parameter, argument in pairs.items() if argument == poll.consumer),
                poll.consumer,
            )
            begin = body[0] + 1
            for parameter in (
                parameter for parameter, argument in pairs.items() if argument in names
            ):
                yield Call(
                    begin, begin, consumer, parameter, pairs[parameter] not in whole, body[0]
                )
