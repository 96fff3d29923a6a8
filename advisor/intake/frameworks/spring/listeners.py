"""Listeners of Spring for Apache Kafka in Java and Kotlin, each written as the poll loop that its
container runs.

A container polls, hands each record to the method, and commits behind them all; a method with an
`Acknowledgment` says itself what is committed (KafkaMessageListenerContainer, ListenerConsumer;
ContainerProperties.AckMode). A method that is given all records of a poll is of a batch listener.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.frameworks.spring.made_beans import end_of_expression
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.text import METHOD, braces, spliced
from advisor.intake.text import IntakeError, line_of, shown

MARKED = "@KafkaListener"
_LISTENER = re.compile(rf"{MARKED}\b(?P<given>\s*\()?")
_OWN = frozenset({
    "autoStartup", "batch", "clientIdPrefix", "concurrency", "containerFactory", "containerGroup",
    "groupId", "id", "idIsGroup", "info", "topicPattern", "topics",
})  # fmt: skip
"""What may be said of a listener, and changes nothing of what becomes of its records or is held
against its container."""

_GIVEN = r"\s*\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)"
_ANNOTATION = re.compile(rf"@(?P<name>[\w.]+)(?:{_GIVEN})?\s*")
_METHOD = re.compile(
    rf"(?:\s++|@[\w.]++(?:{_GIVEN})?|\b(?:public|protected|private|final|open|override|internal)\b)*+"
    r"(?:void|(?P<kotlin>fun))\s+(?P<name>\w+)\s*\("
)
_BODY = re.compile(r"\s*(?:throws\s+[\w.]+(?:\s*,\s*[\w.]+)*\s*|:\s*Unit\s*)?(?:\{|(?P<is>=))")
_JAVA = re.compile(r"(?:final\s+)?(?P<type>[\w.]+(?:\s*<.*>)?(?:\[\])?)\s+(?P<name>\w+)", re.DOTALL)
_KOTLIN = re.compile(r"(?P<name>\w+)\s*:\s*(?P<type>.+)", re.DOTALL)
_BESIDE = frozenset({"Header", "Headers"})
_WITH_META = frozenset({"ConsumerRecordMetadata", "MessageHeaders"})
"""What is given beside a record, and is none."""
_BATCH = re.compile(r"ConsumerRecords\b|(?:java\.util\.)?List\s*<\s*(?:out\s+)?ConsumerRecord\b")
_LIST = re.compile(r"(?:Mutable)?(?:List|Collection|Iterable)\b")
_LAMBDA = re.compile(r"->\s*$")
_STATEMENT = re.compile(r"\b(?:if|else|try|catch|finally|switch|synchronized|when)\b[^{}]*$")
"""What stands before the braces of a statement that is run once; a `return` out of others leaves a
loop, or a function."""
_ALONE = re.compile(r"(?:[{};)]|\belse|[\w\]\"] *\n)\s*$")
"""What stands before a call that is a statement."""
_RETURN = re.compile(r"\breturn\b(?P<value>[ \t]*[^;}\n]*)")
_ACKNOWLEDGES = r"\b{0}\s*!?!?\s*\??\.\s*acknowledge\s*\(\s*\)"
_REACH, _LOOKED_BACK = 4_000, 200
_MOST, _MOST_RETURNS, _MOST_ACKNOWLEDGED = 12, 200, 30
_OTHERWISE = (
    "Give the settings of its clients as properties, and state what the code does: "
    "application.framework=spring, application.commit, application.processing.errors"
)


@dataclass(frozen=True, slots=True)
class _Method:
    """A listener: where what it is given begins and ends, where its body does, what its record or
    its records are called, and its acknowledgment, if it has one."""

    given: tuple[int, int]
    body: tuple[int, int]
    record: str
    acknowledgment: str
    is_batch: bool
    is_kotlin: bool
    is_list: bool


@dataclass(frozen=True, slots=True)
class Listener:
    """A listener: its line, whether it acknowledges records itself, the container that it names,
    and whether only that one says that a list is all records of a poll."""

    line: int
    acknowledges: bool
    container: str
    is_list: bool
    is_single: bool
    """Whether it is given one record, and its container has to hand on one."""


def poll_loops(code: str, plain: str) -> tuple[str, list[Listener]]:
    """The program with a poll loop in the place of each listener, in the same lines; and these.

    `code` has no comments, and `plain` no letters of strings either. Raises `IntakeError` for a
    listener that is not read.
    """
    changes, found = list[tuple[int, int, str]](), list[Listener]()
    for number, match in enumerate(islice(_LISTENER.finditer(plain), _MOST + 1)):
        if number == _MOST:
            raise _unread(plain, match.start(), f"more than {_MOST} listeners")
        said = _said(code, plain, match)
        method = _method(code, plain, match)
        changes += _written(plain, method, f"consumer{number}__")
        is_open = "batch" not in said
        found.append(
            Listener(
                line_of(plain, match.start()), bool(method.acknowledgment),
                said.get("containerFactory", ""), method.is_list and said.get("batch") != "true",
                is_open and not method.is_batch,
            )
        )  # fmt: skip
    return spliced(code, sorted(changes)), found


def _unread(plain: str, at: int, words: str) -> IntakeError:
    return IntakeError(f"Line {line_of(plain, at)}: {words}. {_OTHERWISE}.")


def _said(code: str, plain: str, match: re.Match[str]) -> dict[str, str]:
    """What an annotation says. Raises `IntakeError` for what is not read of it."""
    found = dict[str, str]()
    given = jvm_text.arguments(plain, match.end(), code, _REACH) if match["given"] else []
    for argument in given:
        name, _, text = (part.strip() for part in argument.partition("="))
        if name not in _OWN:
            words = f"{shown(name)} of {MARKED} is not read: what it names decides elsewhere"
            raise _unread(plain, match.start(), words)
        found[name] = text.strip('"')
    return found


def _method(code: str, plain: str, match: re.Match[str]) -> _Method:
    """The method that an annotation stands before. Raises `IntakeError`."""
    behind = match.end()
    if match["given"]:
        behind = jvm_text.closing_bracket(plain, behind, _REACH)
    head = _METHOD.match(plain, behind)
    closed = jvm_text.closing_bracket(plain, head.end(), _REACH) if head else 0
    body = _BODY.match(plain, closed) if head and closed > head.end() - 1 else None
    if head is None or body is None or (body["is"] and not head["kotlin"]):
        words = "this listener is not read: one is that returns nothing, waits for what it does, "
        words += "and has a body of its own"
        raise _unread(plain, match.start(), words)
    ends = (end for start, end, _ in braces(plain) if start == body.end() - 1)
    given = (head.end(), closed - 1)
    end = end_of_expression(plain, body.end()) if body["is"] else next(ends, len(plain))
    own = (body.end() - 1, end)
    name, kind, acknowledgment = _parameters(plain, given, bool(head["kotlin"]))
    is_list, is_batch = bool(_LIST.match(kind)), bool(_BATCH.match(kind))
    return _Method(
        given, own, name, acknowledgment, is_list or is_batch, bool(head["kotlin"]),
        is_list and not is_batch,
    )  # fmt: skip


def _parameters(plain: str, given: tuple[int, int], is_kotlin: bool) -> tuple[str, str, str]:
    """What a listener calls its record or records, of what type they are, and what it calls its
    acknowledgment. Raises `IntakeError`."""
    records, acknowledgment = list[tuple[str, str]](), ""
    for written in _parted(plain[slice(*given)]):
        names = {match["name"].rpartition(".")[2] for match in _ANNOTATION.finditer(written)}
        bare = _ANNOTATION.sub("", written).strip()
        match = (_KOTLIN if is_kotlin else _JAVA).fullmatch(bare)
        kind = match["type"].rpartition(".")[2] if match and "<" not in match["type"] else ""
        if match is None or re.match(r"(?:[\w.]+\.)?Consumer\s*<", match["type"]):
            raise _unread(plain, given[0], "what this listener is given is not read")
        if kind.rstrip("?") == "Acknowledgment":
            acknowledgment = match["name"]
        elif not (names & _BESIDE or kind in _WITH_META):
            records.append((match["name"], match["type"].strip()))
    if len(records) != 1:
        raise _unread(plain, given[0], "this listener is given other than one record")
    return *records[0], acknowledgment


def _parted(written: str) -> Iterator[str]:
    """What stands between the commas of a method's brackets, but for those of types."""
    depth, begin = 0, 0
    for at, char in enumerate(written):
        depth += (char in "([{<") - (char in ")]}>")
        if depth == 0 and char == ",":
            yield written[begin:at]
            begin = at + 1
    if written[begin:].strip():
        yield written[begin:]


def _written(plain: str, method: _Method, consumer: str) -> Iterator[tuple[int, int, str]]:
    """The changes that make a poll loop of a listener."""
    start, end = method.body
    own = [(at, to, head) for at, to, head in braces(plain[: end + 1]) if start < at < end]
    record, commits = method.record, f"{consumer}.commitSync()"
    polled = f"{consumer}.poll(Duration.ofMillis(100))"
    if method.is_kotlin:
        parameter = f"{consumer}: KafkaConsumer<String, String>"
        loop, each = f"val {{0}} = {polled};", f"for ({record} in polled__)"
    else:
        parameter = f"KafkaConsumer<String, String> {consumer}"
        loop = f"ConsumerRecords<String, String> {{0}} = {polled};"
        each = f"each__: for (ConsumerRecord<String, String> {record} : polled__)"
    at_end = "" if method.acknowledgment else f" {commits};"
    behind = end + (plain[end : end + 1] == "}" and plain[start] == "{")
    yield *method.given, parameter
    if method.is_batch:
        yield start, start + 1, f"{{ while (true) {{ {loop.format(record)} "
        yield end, behind, f"{at_end} }} }}"
        leaves = f"{{{at_end} continue; }}"
    else:
        yield start, start + 1, f"{{ while (true) {{ {loop.format('polled__')} {each} {{ "
        yield end, behind, f"}}{at_end} }} }}"
        leaves = "continue"
    yield from _returns(plain, method, own, leaves)
    yield from _acknowledged(plain, method, own, consumer)


def _around(own: list[tuple[int, int, str]], at: int) -> list[str]:
    """What stands before each pair of braces round a place of a body."""
    return [head for start, end, head in own if start < at < end]


def _is_of_another(head: str) -> bool:
    """Whether braces are of a lambda or of another method."""
    return bool(_LAMBDA.search(head) or METHOD.search(head))


def _returns(
    plain: str, method: _Method, own: list[tuple[int, int, str]], leaves: str
) -> Iterator[tuple[int, int, str]]:
    """A `return` is the end of what is done with a record, and the next one follows."""
    for number, match in enumerate(_RETURN.finditer(plain, *method.body)):
        if number == _MOST_RETURNS:
            raise _unread(plain, match.start(), f"more than {_MOST_RETURNS} returns")
        heads = _around(own, match.start())
        if not method.is_kotlin and (any(map(_is_of_another, heads)) or match["value"].strip()):
            continue
        in_loop = not all(map(_STATEMENT.search, heads))
        if in_loop and (method.is_batch or method.is_kotlin):
            raise _unread(plain, match.start(), "where this return leads is not followed")
        yield match.start(), match.end(), f"{leaves} each__" if in_loop else leaves


def _acknowledged(
    plain: str, method: _Method, own: list[tuple[int, int, str]], consumer: str
) -> Iterator[tuple[int, int, str]]:
    """An acknowledgment commits the offset behind its record. Raises `IntakeError` for one that is
    handed on, or never given."""
    name, record = method.acknowledgment, method.record
    if not name:
        return
    commits = f"{consumer}.commitSync()"
    if not method.is_batch:
        place = f"new TopicPartition({record}.topic(), {record}.partition())"
        behind = f"new OffsetAndMetadata({record}.offset() + 1)"
        commits = f"{consumer}.commitSync(Collections.singletonMap({place}, {behind}))"
    used = [*re.compile(rf"\b{name}\b").finditer(plain, *method.body)]
    acknowledges = re.compile(_ACKNOWLEDGES.format(name))
    for number, match in enumerate(used):
        at = match.start()
        call = acknowledges.match(plain, at)
        is_alone = _ALONE.search(plain, max(0, at - _LOOKED_BACK), at)
        if number == _MOST_ACKNOWLEDGED:
            words = f"more than {_MOST_ACKNOWLEDGED} acknowledgments"
            raise _unread(plain, at, words)
        if call is None or is_alone is None or any(map(_is_of_another, _around(own, at))):
            raise _unread(plain, at, "who acknowledges this record, and when, is not followed")
        yield at, call.end(), commits
    if not used:
        raise _unread(plain, method.body[0], "nothing acknowledges this record")
