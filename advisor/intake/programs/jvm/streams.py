"""What the operators of a Kafka Streams program do with a record that fails.

A record whose operator returns is processed, and its offset is committed; an error that leaves it
goes to the exception handlers (KIP-1033, KIP-671). Threads of the program's own are not waited for.
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

PASSED = (
    "an error of a record is passed over here: Kafka Streams takes the record as processed, and "
    "what failed is lost. Let the error out, so that processing.exception.handler acts"
)
HANDED = (
    "others are given a record here, and Kafka Streams does not wait for them: it commits the "
    "record while they may still fail. Process it where it is"
)
BUFFERED = (
    "records are put by in memory here, and Kafka Streams takes them as processed: they are gone "
    "with the instance. Keep them in a state store, which is restored from its changelog"
)
_COLLECTION = (
    r"\b\w*(?:List|Map|Set|Queue|Deque|Collection)\b\s*(?:<[^;=()]{{0,80}}>)?\s+{0}\s*[=;]"
    r"|\b{0}\s*(?::[^=;\n]{{0,60}})?=\s*(?:new\s+)?(?:mutable\.)?"
    r"(?:\w*(?:List|Map|Set|Queue|Deque|Buffer)\w*|mutable\w+Of|arrayListOf)\b"
)
_KEPT = re.compile(
    r"\b(?:this\.)?(\w+)\s*\.\s*(?:add\w*|offer\w*|put\w*|push|merge|append|compute\w*)\s*\("
    r"|\b(\w+)\s*\+=(?=\s)"
)
_OPERATOR = re.compile(
    r"\.\s*(?:foreach|peek|mapValues|map|flatMap|flatMapValues|filter|selectKey|process\w*"
    r"|transform\w*|aggregate|reduce)\s*[({]"
)
_PROCESSOR = ("process", "transform")
_WAITS = re.compile(
    r"\b(?:Await|get|join|invokeAll|allOf|await|runBlocking|coroutineScope"
    r"|block\w*|waitFor\w+|txCommit)\b"
)
_QUEUE = re.compile(r"\b\w*(?:Queue|Deque|Channel)\b(?:<[^;=()]{0,80}>)?\s+(\w+)\s*[=;]")
_PUT = r"\b(?:{0}|(?i:\w*(?:queue|channel)\w*))\s*\.\s*(?:put|add|offer|send|trySend)\s*\("
_SKIPS = "org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp"
_EXTRACTOR = re.compile(
    r"\.\s*withTimestampExtractor\s*\(\s*(?:new\s+)?(?:[\w.]+\.)?LogAndSkipOn\w+"
)
_LATEST = re.compile(
    r"\bAutoOffsetReset\s*\.\s*(?:LATEST|latest\s*\(|byDuration\s*\()|(?<=\()\s*LATEST\s*[,)]"
)
_NO_LOG = re.compile(r"\.\s*withLoggingDisabled\s*\(")
_OUTSIDE = re.compile(r"\.\s*(?:foreach|peek)\s*[({]")
_PROCESSES = re.compile(
    r"\.\s*(?:process|processValues|transform\w*|flatTransform\w*|addProcessor)\s*[({]"
)
_KEEPS = re.compile(
    r"\.\s*(?:to|through|toTable|repartition|addSink)\s*\(|\b\w*StateStore\b|Store<"
)
"""An output topic, or a state: without either, a processor's work is in another system."""
_UNLOGGED = (
    "withLoggingDisabled: this store has no changelog topic, so that what is in it is gone with "
    "its instance. That is not advised on; leave it out if nothing depends on what is in the store"
)
_WINDOWS = re.compile(r"\b((?:Time|Join|Session|Sliding)Windows)\s*\.\s*(?:of|with)\w*\s*\(")
_LATE = (
    "a message that comes after the end of its window and the grace period is dropped, such as one "
    "that a producer had to send again while others went on. The answer does not count that"
)
_LEFT_OUT = re.compile(r"\s*(?:return\s+)?false\s*")
"""Of a filter."""
_MOST = 100
_ANYTHING = re.compile("")
_EACH = re.compile(r"\.\s*foreach\s*\(\s*\(?\s*(\w+)\s*,\s*(\w+)\s*\)?\s*(?:->|=>)")


def topology_facts(text: Text) -> Iterator[tuple[Component, str, str, int]]:
    """What the topology states by itself: settings, their values, and where.

    Sources: Consumed (`withOffsetResetPolicy` goes before the settings, and so does
    `withTimestampExtractor`); Kafka Streams core concepts, Processing guarantees (what a processor
    does to another system is not in the transaction).
    """
    if match := _LATEST.search(text.plain):
        yield Component.CONSUMER, "auto.offset.reset", "latest", match.start()
    if match := _EXTRACTOR.search(text.plain):
        yield Component.STREAMS, "default.timestamp.extractor", _SKIPS, match.start()
    for match in islice(_OUTSIDE.finditer(text.plain), _MOST):
        given = text.plain[match.end() : text.closed(match.end()) - 1]
        body = re.sub(r"^\s*(?:case\b)?\s*\(?[\w, ]*\)?\s*(?:->|=>)\s*\{?", "", given)
        if "print" not in given and not log_only.only_logs(body.strip().removesuffix("}")):
            yield Component.APPLICATION, "sink", "plain", match.start()
            return
    if (match := _PROCESSES.search(text.plain)) and not _KEEPS.search(text.plain):
        yield Component.APPLICATION, "sink", "plain", match.start()


def notes(text: Text) -> Iterator[tuple[int, str]]:
    """What the topology drops by its own rules (Kafka Streams DSL, Windowing; KIP-633)."""
    if match := _WINDOWS.search(text.plain):
        yield match.start(), f"{match[1]}: {_LATE}"


def unrestored_stores(text: Text) -> Iterator[tuple[int, str]]:
    """Where a state store is that nothing restores, and why that is refused."""
    yield from ((match.start(), _UNLOGGED) for match in _NO_LOG.finditer(text.plain))


def ignored_errors(text: Text) -> Iterator[int]:
    """Where an operator passes over the error of a record."""
    silent = [*jvm_handlers.swallowing_handlers(text, in_function=True, others=_LEFT_OUT.fullmatch)]
    for region in _operators(text):
        yield from jvm_results.unread_results(text, _ANYTHING, region)
        yield from chain_errors.ignored_errors(text, region)
        yield from bulk_writes.unchecked_writes(text, region)
        for handler in silent:
            within = region[0] < handler.attempt[0] < region[1]
            if within and not jvm_handlers.is_retried(text, handler.attempt, region):
                yield handler.at


def early_commits(text: Text) -> Iterator[tuple[int, str]]:
    """Where an operator has a record elsewhere when it is committed, and why that loses it."""
    yield from ((at, BUFFERED) for at in _buffered(text))
    producers = jvm_sends.producer_names(text.plain)
    handed = re.compile(f"{handover_calls(text.plain).pattern}|{SUBSCRIBES.pattern}")
    put = re.compile(_PUT.format("|".join(_QUEUE.findall(text.plain)[:_MOST]) or "(?!)"))
    for region in _operators(text):
        body = text.plain[slice(*region)]
        aside = handed.search(body) or put.search(body)
        yield from ((at, HANDED) for _, at in publishers.never_run(text, region, _ANYTHING))
        sent = jvm_sends.sends(text, producers, max(0, region[0]), region[1])
        if (aside or sent) and not _WAITS.search(body):
            yield (region[0] + aside.start() if aside else sent[0][0]), HANDED


def _buffered(text: Text) -> Iterator[int]:
    """Where a processor only puts its records by, in a collection of its own."""
    bodies = [(body, text.parameters(body)) for name in _PROCESSOR for body in text.bodies(name)]
    for each in islice(_EACH.finditer(text.plain), _MOST):
        opened = text.plain.index("(", each.start()) + 1
        bodies.append(((each.end(), text.closed(opened) - 1), [each[1], each[2]]))
    for body, parameters in bodies:
        names = "|".join(parameters) or "(?!)"
        made = derived_names.derived_from(text, names.split("|"), body)
        known = "|".join([names, *(derived.name for derived in made)])
        spans, kept = (
            [*derived_names.log_arguments(text, body), *(derived.span for derived in made)],
            list[int](),
        )
        for match in islice(_KEPT.finditer(text.plain, *body), _MOST):
            end = text.closed(match.end()) if match[1] else text.plain.find("\n", match.end())
            declared = re.compile(_COLLECTION.format(match[1] or match[2]))
            if any(
                not body[0] < declaration.start() < body[1]
                for declaration in declared.finditer(text.plain)
            ):
                kept += (
                    [match.start()]
                    if re.search(rf"\b(?:{known})\b", text.plain[match.end() : end])
                    else []
                )
                spans.append((match.start(), end))
        left = blanked(text.plain, spans)
        if kept and not re.compile(rf"\b(?:{known})\b").search(left, *body):
            yield kept[0]


def _operators(text: Text) -> Iterator[Block]:
    """The bodies of operators, and of the methods that they call."""
    for match in islice(_OPERATOR.finditer(text.plain), _MOST):
        yield from text.reached((match.end() - 1, text.closed(match.end())))
    for name in _PROCESSOR:
        for body in text.bodies(name):
            yield from text.reached(body)
