"""Operators of a Kafka Streams program that lose records.

A record is processed when its operator returns, and its offset is committed. An error that leaves
the operator goes to the exception handlers (KIP-1033, KIP-671). Kafka Streams does not wait for
threads that the program starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.catalog import Component
from advisor.intake.programs.jvm import log_only
from advisor.intake.programs.jvm.concurrency import SUBSCRIBES, handover_calls
from advisor.intake.programs.jvm.errors import bulk_writes, chain_errors
from advisor.intake.programs.jvm.errors import handlers as jvm_handlers
from advisor.intake.programs.jvm.errors import results as jvm_results
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.processing import publishers
from advisor.intake.programs.jvm.records import derived_names
from advisor.intake.programs.jvm.text import Block, Text, blanked

SWALLOWED = (
    "an error of a record is swallowed here: Kafka Streams counts the record as processed, and it "
    "is lost. Rethrow the error, so that processing.exception.handler decides"
)
HANDED_OVER = (
    "a record is handed over to another thread or client here, and Kafka Streams does not wait for "
    "it: it commits the record while that may still fail. Process the record in the operator"
)
BUFFERED = (
    "records are buffered in memory here, and Kafka Streams counts them as processed: they are "
    "lost with the instance. Keep them in a state store, which is restored from its changelog"
)
_COLLECTION = (
    r"\b\w*(?:List|Map|Set|Queue|Deque|Collection)\b\s*(?:<[^;=()]{{0,80}}>)?\s+{0}\s*[=;]"
    r"|\b{0}\s*(?::[^=;\n]{{0,60}})?=\s*(?:new\s+)?(?:mutable\.)?"
    r"(?:\w*(?:List|Map|Set|Queue|Deque|Buffer)\w*|mutable\w+Of|arrayListOf)\b"
)
_ADD_CALL = re.compile(
    r"\b(?:this\.)?(\w+)\s*\.\s*(?:add\w*|offer\w*|put\w*|push|merge|append|compute\w*)\s*\("
    r"|\b(\w+)\s*\+=(?=\s)"
)
_OPERATOR = re.compile(
    r"\.\s*(?:foreach|peek|mapValues|map|flatMap|flatMapValues|filter|selectKey|process\w*"
    r"|transform\w*|aggregate|reduce)\s*[({]"
)
_PROCESSOR_METHODS = ("process", "transform")
_WAITS = re.compile(
    r"\b(?:Await|get|join|invokeAll|allOf|await|runBlocking|coroutineScope"
    r"|block\w*|waitFor\w+|txCommit)\b"
)
_QUEUE = re.compile(r"\b\w*(?:Queue|Deque|Channel)\b(?:<[^;=()]{0,80}>)?\s+(\w+)\s*[=;]")
_PUT = r"\b(?:{0}|(?i:\w*(?:queue|channel)\w*))\s*\.\s*(?:put|add|offer|send|trySend)\s*\("
_SKIPPING_EXTRACTOR = "org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp"
_EXTRACTOR = re.compile(
    r"\.\s*withTimestampExtractor\s*\(\s*(?:new\s+)?(?:[\w.]+\.)?LogAndSkipOn\w+"
)
_LATEST = re.compile(
    r"\bAutoOffsetReset\s*\.\s*(?:LATEST|latest\s*\(|byDuration\s*\()|(?<=\()\s*LATEST\s*[,)]"
)
_NO_LOG = re.compile(r"\.\s*withLoggingDisabled\s*\(")
_SIDE_EFFECT = re.compile(r"\.\s*(?:foreach|peek)\s*[({]")
_PROCESSOR_CALL = re.compile(
    r"\.\s*(?:process|processValues|transform\w*|flatTransform\w*|addProcessor)\s*[({]"
)
_KAFKA_OUTPUT = re.compile(
    r"\.\s*(?:to|through|toTable|repartition|addSink)\s*\(|\b\w*StateStore\b|Store<"
)
"""An output topic or a state store: without either, a processor writes to another system."""
_UNLOGGED = (
    "withLoggingDisabled: this store has no changelog topic, so that its contents are lost with "
    "the instance. That is not covered; leave it out if nothing depends on these contents"
)
_WINDOWS = re.compile(r"\b((?:Time|Join|Session|Sliding)Windows)\s*\.\s*(?:of|with)\w*\s*\(")
_LATE = (
    "a message that arrives after the end of its window and the grace period is dropped, such as "
    "one that a producer had to retry while others continued. The answer does not count that"
)
_RETURNS_FALSE = re.compile(r"\s*(?:return\s+)?false\s*")
"""The body of a filter that drops every record."""
_MOST = 100
_ANYTHING = re.compile("")
_FOREACH = re.compile(r"\.\s*foreach\s*\(\s*\(?\s*(\w+)\s*,\s*(\w+)\s*\)?\s*(?:->|=>)")


def topology_facts(text: Text) -> Iterator[tuple[Component, str, str, int]]:
    """Yields the settings that the topology itself fixes: component, name, value and offset.

    Sources: Consumed (`withOffsetResetPolicy` goes before the settings, and so does
    `withTimestampExtractor`); Kafka Streams core concepts, Processing guarantees (what a processor
    writes to another system is not in the transaction).
    """
    if match := _LATEST.search(text.plain):
        yield Component.CONSUMER, "auto.offset.reset", "latest", match.start()
    if match := _EXTRACTOR.search(text.plain):
        yield Component.STREAMS, "default.timestamp.extractor", _SKIPPING_EXTRACTOR, match.start()
    for match in islice(_SIDE_EFFECT.finditer(text.plain), _MOST):
        argument = text.plain[match.end() : text.closed(match.end()) - 1]
        body = re.sub(r"^\s*(?:case\b)?\s*\(?[\w, ]*\)?\s*(?:->|=>)\s*\{?", "", argument)
        if "print" not in argument and not log_only.only_logs(body.strip().removesuffix("}")):
            yield Component.APPLICATION, "sink", "plain", match.start()
            return
    if (match := _PROCESSOR_CALL.search(text.plain)) and not _KAFKA_OUTPUT.search(text.plain):
        yield Component.APPLICATION, "sink", "plain", match.start()


def notes(text: Text) -> Iterator[tuple[int, str]]:
    """Yields the offset and a note for what the topology drops by design (Kafka Streams DSL,
    Windowing; KIP-633)."""
    if match := _WINDOWS.search(text.plain):
        yield match.start(), f"{match[1]}: {_LATE}"


def unrestored_stores(text: Text) -> Iterator[tuple[int, str]]:
    """Yields the offset of each state store without a changelog, and why it is refused."""
    yield from ((match.start(), _UNLOGGED) for match in _NO_LOG.finditer(text.plain))


def ignored_errors(text: Text) -> Iterator[int]:
    """Yields the offsets where an operator swallows the error of a record."""
    handlers = [
        *jvm_handlers.swallowing_handlers(text, in_function=True, others=_RETURNS_FALSE.fullmatch)
    ]
    for region in _operators(text):
        yield from jvm_results.unread_results(text, _ANYTHING, region)
        yield from chain_errors.ignored_errors(text, region)
        yield from bulk_writes.unchecked_writes(text, region)
        for handler in handlers:
            is_inside = region[0] < handler.attempt[0] < region[1]
            if is_inside and not jvm_handlers.is_retried(text, handler.attempt, region):
                yield handler.at


def early_commits(text: Text) -> Iterator[tuple[int, str]]:
    """Yields the offsets where a record is committed before it is processed, and why that loses it:
    it is buffered, or another thread has it."""
    yield from ((at, BUFFERED) for at in _buffered(text))
    producers = jvm_sends.producer_names(text.plain)
    handovers = re.compile(f"{handover_calls(text.plain).pattern}|{SUBSCRIBES.pattern}")
    puts = re.compile(_PUT.format("|".join(_QUEUE.findall(text.plain)[:_MOST]) or "(?!)"))
    for region in _operators(text):
        body = text.plain[slice(*region)]
        handover = handovers.search(body) or puts.search(body)
        yield from ((at, HANDED_OVER) for _, at in publishers.never_run(text, region, _ANYTHING))
        sends = jvm_sends.sends(text, producers, max(0, region[0]), region[1])
        if (handover or sends) and not _WAITS.search(body):
            yield (region[0] + handover.start() if handover else sends[0][0]), HANDED_OVER


def _buffered(text: Text) -> Iterator[int]:
    """Yields the offsets where a processor only buffers its records, in a collection."""
    bodies = [
        (body, text.parameters(body)) for name in _PROCESSOR_METHODS for body in text.bodies(name)
    ]
    for call in islice(_FOREACH.finditer(text.plain), _MOST):
        opened = text.plain.index("(", call.start()) + 1
        bodies.append(((call.end(), text.closed(opened) - 1), [call[1], call[2]]))
    for body, parameters in bodies:
        names = "|".join(parameters) or "(?!)"
        derived_values = derived_names.derived_from(text, names.split("|"), body)
        record_names = "|".join([names, *(derived.name for derived in derived_values)])
        ignored_spans, buffered = (
            [
                *derived_names.log_arguments(text, body),
                *(derived.span for derived in derived_values),
            ],
            list[int](),
        )
        for call in islice(_ADD_CALL.finditer(text.plain, *body), _MOST):
            end = text.closed(call.end()) if call[1] else text.plain.find("\n", call.end())
            declaration_pattern = re.compile(_COLLECTION.format(call[1] or call[2]))
            if any(
                not body[0] < declaration.start() < body[1]
                for declaration in declaration_pattern.finditer(text.plain)
            ):
                buffered += (
                    [call.start()]
                    if re.search(rf"\b(?:{record_names})\b", text.plain[call.end() : end])
                    else []
                )
                ignored_spans.append((call.start(), end))
        rest = blanked(text.plain, ignored_spans)
        if buffered and not re.compile(rf"\b(?:{record_names})\b").search(rest, *body):
            yield buffered[0]


def _operators(text: Text) -> Iterator[Block]:
    """Yields the bodies of operators, and of the methods that they call."""
    for match in islice(_OPERATOR.finditer(text.plain), _MOST):
        yield from text.reached((match.end() - 1, text.closed(match.end())))
    for name in _PROCESSOR_METHODS:
        for body in text.bodies(name):
            yield from text.reached(body)
