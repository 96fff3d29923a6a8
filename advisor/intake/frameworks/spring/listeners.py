"""Listeners of Spring for Apache Kafka in Java and Kotlin, rewritten as the poll loops that their
containers run.

A container polls, passes each record to the method, and commits after all of them. A method with an
`Acknowledgment` decides itself what is committed (KafkaMessageListenerContainer, ListenerConsumer;
ContainerProperties.AckMode). A method that takes all records of a poll is a batch listener.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.clients.generated_names import NO_OFFSETS, is_generated
from advisor.intake.frameworks.spring import acknowledgments, fallbacks
from advisor.intake.frameworks.spring.factory_methods import (
    end_of_expression,
    start_of_annotations,
)
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.text import braces, spliced
from advisor.intake.text import IntakeError, line_of, shown

LISTENER_ANNOTATION = "@KafkaListener"
_LISTENER = re.compile(rf"{LISTENER_ANNOTATION}\b(?P<opens>\s*\()?")
_ATTRIBUTES = frozenset({
    "autoStartup", "batch", "clientIdPrefix", "concurrency", "containerFactory", "containerGroup",
    "groupId", "id", "idIsGroup", "info", "topicPattern", "topics",
})  # fmt: skip
"""Attributes of the annotation that do not change what happens to records, or that are compared
with the container."""

_ARGUMENTS = r"\s*\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)"
_ANNOTATION = re.compile(rf"@(?P<name>[\w.]+)(?:{_ARGUMENTS})?\s*")
_METHOD = re.compile(
    rf"(?:\s++|@[\w.]++(?:{_ARGUMENTS})?|\b(?:public|protected|private|final|open|override|internal)\b)*+"
    r"(?:void|(?P<kotlin>fun))\s+(?P<name>\w+)\s*\("
)
_BODY = re.compile(r"\s*(?:throws\s+[\w.]+(?:\s*,\s*[\w.]+)*\s*|:\s*Unit\s*)?(?:\{|(?P<is>=))")
_JAVA = re.compile(r"(?:final\s+)?(?P<type>[\w.]+(?:\s*<.*>)?(?:\[\])?)\s+(?P<name>\w+)", re.DOTALL)
_KOTLIN = re.compile(r"(?P<name>\w+)\s*:\s*(?P<type>.+)", re.DOTALL)
_HEADER_ANNOTATIONS = frozenset({"Header", "Headers"})
_METADATA_TYPES = frozenset({"ConsumerRecordMetadata", "MessageHeaders"})
"""Types of parameters beside the record."""
_BATCH = re.compile(r"ConsumerRecords\b|(?:java\.util\.)?List\s*<\s*(?:out\s+)?ConsumerRecord\b")
_LIST = re.compile(r"(?:Mutable)?(?:List|Collection|Iterable)\b")
_STATEMENT_HEAD = re.compile(r"\b(?:if|else|try|catch|finally|switch|synchronized|when)\b[^{}]*$")
"""The head of a block that is run once. A `return` from any other block leaves a loop or a
function."""
_LOOP_HEAD = re.compile(
    r"\b(?:for|while)\s*\([^(){}]*(?:\([^(){}]*(?:\([^(){}]*\)[^(){}]*)*\)[^(){}]*)*\)\s*$|\bdo\s*$"
)
_LONGEST_HEAD = 300
_RETURN = re.compile(r"\breturn\b(?P<value>[ \t]*[^;}\n]*)")
_REACH = 4_000
_MAX_LISTENERS, _MAX_RETURNS = 12, 200
_ADVICE = (
    "Give the settings of its clients as properties, and state what the code does: "
    "application.framework=spring, application.commit, application.processing.errors"
)


@dataclass(frozen=True, slots=True)
class _Method:
    """A listener method, with the spans of its parameters and of its body, the call that follows
    an error, the name of its record or records, and that of its acknowledgment, if it has one."""

    parameters: tuple[int, int]
    body: tuple[int, int]
    fallback: str
    record: str
    acknowledgment: str
    is_batch: bool
    is_kotlin: bool
    is_list: bool


@dataclass(frozen=True, slots=True)
class Listener:
    """A listener with its line, whether it acknowledges records itself, and the container that it
    names.

    `is_list` is whether only the container decides that a list holds all records of a poll.
    """

    line: int
    acknowledges: bool
    late_lines: frozenset[int]
    """The lines where a function that other code calls acknowledges the record."""
    container: str
    is_list: bool
    is_single: bool
    """Whether it takes one record, so that its container has to pass one."""


def poll_loops(code: str, plain: str) -> tuple[str, list[Listener]]:
    """The source with a poll loop in the place of each listener, on the same lines; and the
    listeners.

    `code` has no comments, and `plain` has no text of string literals either. Raises `IntakeError`
    for a listener that is not read.
    """
    changes, listeners = list[tuple[int, int, str]](), list[Listener]()
    for number, match in enumerate(islice(_LISTENER.finditer(plain), _MAX_LISTENERS + 1)):
        if number == _MAX_LISTENERS:
            raise _unread(plain, match.start(), f"more than {_MAX_LISTENERS} listeners")
        attributes = _annotation_attributes(code, plain, match)
        method = _annotated_method(code, plain, match)
        changes += _loop_changes(plain, method, f"consumer{number}__")
        is_open = "batch" not in attributes
        listeners.append(
            Listener(
                line_of(plain, match.start()), bool(method.acknowledgment),
                acknowledgments.lines_in_functions(plain, method.body, method.acknowledgment),
                attributes.get("containerFactory", ""),
                method.is_list and attributes.get("batch") != "true",
                is_open and not method.is_batch,
            )
        )  # fmt: skip
    return spliced(code, sorted(changes)), listeners


def _unread(plain: str, at: int, words: str) -> IntakeError:
    return IntakeError(f"Line {line_of(plain, at)}: {words}. {_ADVICE}.")


def _annotation_attributes(code: str, plain: str, match: re.Match[str]) -> dict[str, str]:
    """The attributes of an annotation. Raises `IntakeError` for one that is not read."""
    attributes = dict[str, str]()
    arguments = jvm_text.arguments(plain, match.end(), code, _REACH) if match["opens"] else []
    for argument in arguments:
        name, _, text = (part.strip() for part in argument.partition("="))
        if name not in _ATTRIBUTES:
            words = (
                f"{shown(name)} of {LISTENER_ANNOTATION} is not read: it refers to code elsewhere"
            )
            raise _unread(plain, match.start(), words)
        if name == "groupId" and is_generated(text):
            raise IntakeError(f"Line {line_of(plain, match.start())}: groupId {NO_OFFSETS}.")
        attributes[name] = text.strip('"')
    return attributes


def _annotated_method(code: str, plain: str, match: re.Match[str]) -> _Method:
    """The method after an annotation. Raises `IntakeError`."""
    after = match.end()
    if match["opens"]:
        after = jvm_text.closing_bracket(plain, after, _REACH)
    head = _METHOD.match(plain, after)
    bracket_end = jvm_text.closing_bracket(plain, head.end(), _REACH) if head else 0
    body = _BODY.match(plain, bracket_end) if head and bracket_end > head.end() - 1 else None
    if head is None or body is None or (body["is"] and not head["kotlin"]):
        words = "this listener is not read: it has to return nothing, to wait for its own calls, "
        words += "and to have a body"
        raise _unread(plain, match.start(), words)
    ends = (end for start, end, _ in braces(plain) if start == body.end() - 1)
    parameters = (head.end(), bracket_end - 1)
    end = end_of_expression(plain, body.end()) if body["is"] else next(ends, len(plain))
    span = (body.end() - 1, end)
    name, type_, acknowledgment = _parameters(plain, parameters, bool(head["kotlin"]))
    is_list, is_batch = bool(_LIST.match(type_)), bool(_BATCH.match(type_))
    annotations = code[start_of_annotations(plain, match.start()) : head.end()]
    try:
        fallback = fallbacks.fallback_call(plain, annotations, name)
    except fallbacks.Unread as error:
        raise _unread(plain, match.start(), str(error)) from None
    return _Method(
        parameters, span, fallback, name, acknowledgment, is_list or is_batch, bool(head["kotlin"]),
        is_list and not is_batch,
    )  # fmt: skip


def _parameters(plain: str, span: tuple[int, int], is_kotlin: bool) -> tuple[str, str, str]:
    """The name and the type of the record or records, and the name of the acknowledgment. Raises
    `IntakeError`."""
    records, acknowledgment = list[tuple[str, str]](), ""
    for parameter in _split_parameters(plain[slice(*span)]):
        names = {match["name"].rpartition(".")[2] for match in _ANNOTATION.finditer(parameter)}
        bare = _ANNOTATION.sub("", parameter).strip()
        match = (_KOTLIN if is_kotlin else _JAVA).fullmatch(bare)
        type_ = match["type"].rpartition(".")[2] if match and "<" not in match["type"] else ""
        if match is None or re.match(r"(?:[\w.]+\.)?Consumer\s*<", match["type"]):
            raise _unread(plain, span[0], "the parameters of this listener are not read")
        if type_.rstrip("?") == "Acknowledgment":
            acknowledgment = match["name"]
        elif not (names & _HEADER_ANNOTATIONS or type_ in _METADATA_TYPES):
            records.append((match["name"], match["type"].strip()))
    if len(records) != 1:
        raise _unread(plain, span[0], "this listener does not take exactly one record")
    return *records[0], acknowledgment


def _split_parameters(source: str) -> Iterator[str]:
    """Yields the parameters between commas; a comma inside brackets or type arguments does not
    count."""
    depth, start = 0, 0
    for at, char in enumerate(source):
        depth += (char in "([{<") - (char in ")]}>")
        if depth == 0 and char == ",":
            yield source[start:at]
            start = at + 1
    if source[start:].strip():
        yield source[start:]


def _loop_changes(plain: str, method: _Method, consumer: str) -> Iterator[tuple[int, int, str]]:
    """Yields the changes that turn a listener into a poll loop."""
    start, end = method.body
    blocks = [(at, to, head) for at, to, head in braces(plain[: end + 1]) if start < at < end]
    record, commits = method.record, f"{consumer}.commitSync()"
    polled = f"{consumer}.poll(Duration.ofMillis(100))"
    if method.is_kotlin:
        parameter = f"{consumer}: KafkaConsumer<String, String>"
        loop, record_loop = f"val {{0}} = {polled};", f"each__@ for ({record} in polled__)"
    else:
        parameter = f"KafkaConsumer<String, String> {consumer}"
        loop = f"ConsumerRecords<String, String> {{0}} = {polled};"
        record_loop = f"each__: for (ConsumerRecord<String, String> {record} : polled__)"
    at_end = "" if method.acknowledgment else f" {commits};"
    after = end + (plain[end : end + 1] == "}" and plain[start] == "{")
    attempt, caught = fallbacks.attempt(method.fallback, is_kotlin=method.is_kotlin)
    yield *method.parameters, parameter
    if method.is_batch:
        label = "batch__@" if method.is_kotlin else "batch__:"
        yield start, start + 1, f"{{ {label} while (true) {{ {loop.format(record)} {attempt}"
        yield end, after, f"{caught}{at_end} }} }}"
        leave = f"{{{at_end} continue%; }}"
    else:
        polls = f"{{ while (true) {{ {loop.format('polled__')} {record_loop} {{ {attempt}"
        yield start, start + 1, polls
        yield end, after, f"{caught} }}{at_end} }} }}"
        leave = "continue%"
    yield from _return_changes(plain, method, blocks, leave)
    if name := method.acknowledgment:
        commits = f"{consumer}.commitSync()"
        if not method.is_batch:
            partition = f"new TopicPartition({record}.topic(), {record}.partition())"
            offset = f"new OffsetAndMetadata({record}.offset() + 1)"
            commits = f"{consumer}.commitSync(Collections.singletonMap({partition}, {offset}))"
        try:
            yield from acknowledgments.changes(
                plain, method.body, blocks, name, commits, is_kotlin=method.is_kotlin
            )
        except acknowledgments.Unread as error:
            raise _unread(plain, error.at, error.words) from None


def _return_changes(
    plain: str, method: _Method, blocks: list[tuple[int, int, str]], leave: str
) -> Iterator[tuple[int, int, str]]:
    """Yields the changes of `return` statements: the processing of a record ends, and the next one
    follows."""
    for number, match in enumerate(_RETURN.finditer(plain, *method.body)):
        if number == _MAX_RETURNS:
            raise _unread(plain, match.start(), f"more than {_MAX_RETURNS} returns")
        heads = acknowledgments.enclosing_heads(blocks, match.start())
        if not method.is_kotlin and (
            any(map(acknowledgments.is_function_head, heads)) or match["value"].strip()
        ):
            continue
        others = [
            plain[max(0, start - _LONGEST_HEAD) : start] for start, end, head in blocks
            if start < match.start() < end and not _STATEMENT_HEAD.search(head)
        ]  # fmt: skip
        if not all(map(_LOOP_HEAD.search, others)):
            raise _unread(plain, match.start(), "the target of this return is not followed")
        label = "batch__" if method.is_batch else "each__"
        target = f"{'@' if method.is_kotlin else ' '}{label}" if others else ""
        yield match.start(), match.end(), leave.replace("%", target)
