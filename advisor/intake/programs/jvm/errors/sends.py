"""Sends of Kafka's Java producer, in Java, Kotlin and Scala, whose result nobody checks.

A send that fails completes its future, and calls its callback, with an exception
(KafkaProducer.send, javadoc).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice

from advisor.intake.programs.facts import DROPPED, ONLY_WRITTEN, RESULT
from advisor.intake.programs.jvm.client_names import TYPE, aliases
from advisor.intake.programs.jvm.errors import aborts as jvm_aborts
from advisor.intake.programs.jvm.errors import calls as jvm_calls
from advisor.intake.programs.jvm.errors import exits, send_attempts
from advisor.intake.programs.jvm.errors import results as jvm_results
from advisor.intake.programs.jvm.errors.callbacks import Callback, callback_of
from advisor.intake.programs.jvm.errors.flags import is_never_checked
from advisor.intake.programs.jvm.errors.futures import Futures
from advisor.intake.programs.jvm.text import Block, Text

_MAX_SENDS = 300
_PRODUCER = re.compile(
    rf"\b(\w+){TYPE}\s*=\s*(?:new\s+)?KafkaProducer\b"
    r"|\b(?:Kafka)?Producer\s*<[^;=(){}]{1,80}>\s+(\w+)"
    r"|\b(\w+)\s*:\s*(?:Kafka)?Producer\s*[<\[]"
    r"|\bUsing(?:\.resource)?\s*\(\s*new\s+KafkaProducer\b[^{};]{0,200}\{\s*(\w+)\s*=>"
)
"""The name of a producer where it is created or declared."""
_TEMPLATE = re.compile(
    r"\b(\w*[kK]afkaTemplate\w*)\s*\.\s*send\w*\s*\(|\bKafkaTemplate\s*<[^;=(){}]{1,80}>\s+(\w+)"
    r"|\b(\w+)\s*:\s*KafkaTemplate\b"
)
"""The name of a Spring template, whose `send` returns a future (KafkaTemplate javadoc)."""
_INJECTED = re.compile(r"\b((?:kafka)?[pP]roducer)\s*\.\s*send\s*\(")
_DECLARED = r"\b\w+(?:<[^;=(){{}}]{{1,80}}>)?\s+{0}\s*[=;,)]|\b{0}\s*(?::|=(?!=))"
_SEND = re.compile(r"(?:this\.)?\b(?P<receiver>\w+)\s*\??\.\s*send(?:Default)?\s*\(")
_REFERENCE = re.compile(
    r"\b(\w+)\s*(\()\s*(?:(?:this\.)?(\w+)\s*(?:::\s*send|\.\s*send\s*_?)|::\s*send)\s*\)"
)
_IMPLICIT_SEND = re.compile(r"(?<![\w.:])(?:(?:this|super)(?:@\w+)?\s*\.\s*)?send\s*\(")
"""A send to Kotlin's implicit receiver, or in a class that is a producer."""
_DEFINITION_HEAD = re.compile(r"(?<!return)(?<!else)(?<!yield)(?<![-=]>)(?<=[\w>\]])[ \t]+$")
_PRODUCER_SCOPE = (
    r"(?:\b(?:{0})\s*|\bKafkaProducer\b[^{{}};]*)\??\.\s*(?:apply|run)\s*$"
    r"|\bwith\s*\(\s*(?:this\.)?(?:(?:{0})\s*|KafkaProducer\b[^{{}};]*)\)\s*$"
    r"|\b(?:extends\s+|class\b[^{{}};]*:\s*)KafkaProducer\b[^{{}};]*$"
    r"|\bfun\s+(?:<[^<>]*>\s*)?(?:Kafka)?Producer\s*<[^(){{}}]*>\s*\.\s*\w+\s*\([^{{}};]*$"
)
"""The head of a block in which a producer is the implicit receiver of calls."""
_EXTENSION = re.compile(
    r"\bfun\s+(?:<[^<>]*>\s*)?(?:Kafka)?Producer\s*<[^(){};]*>\s*\.\s*\w+\s*\([^{};]*?\)[^{};=]*=[^\n]*"
)
_OTHER_SEND = re.compile(
    r"(?<=[)\]])\s*\??\.\s*send\s*\(|\b\w+\s*\??\.\s*send\s*\((?=\s*(?:new\s+)?ProducerRecord\b)"
)
"""A send whose receiver is a call, or whose argument is a ProducerRecord."""
_COUNTER = re.compile(r"\b(\w+)\s*(?:\.\s*(?:incrementAndGet|getAndIncrement)\s*\(|\+\+)")
_PROMISE = re.compile(
    r"\b(\w+)\s*\.\s*(?:completeExceptionally|failure|tryFailure)\s*\((?:[^()]|\([^()]*\))*\)"
)
"""A promise that a callback completes with its error."""
_PROMISE_CREATION = (
    r"\b{}\s*(?::[^=;{{}}]{{1,60}})?=\s*(?:new\s+)?(?:\w*Future|Promise|CompletableDeferred)\b"
)
_CALLBACK_REFERENCE = re.compile(
    r"\s*(?:[\w.]*\s*::\s*(?P<method>\w+)|(?P<variable>\w+)(?:\s+_)?|new\s+(?P<class>\w+)\s*\([^{}]*\))\s*"
)


def unchecked_send(text: Text) -> tuple[int, str]:
    """Returns the offset of the first send that fails unnoticed, and the reason; `(0, "")` if there
    is none.

    A send in a transaction that is committed fails with the transaction.
    """
    if "commitTransaction" in text.plain:
        return jvm_aborts.abandoned_transaction(text)
    producers = producer_names(text.plain)
    if first := min(_unchecked_sends(text, producers), default=None):
        return first
    unflushed = exits.unflushed_sends(text, producers, _sends_with_callback(text, producers))
    return min(((at, exits.LEFT) for at in unflushed), default=(0, ""))


def _sends_with_callback(text: Text, producers: set[str]) -> list[Block]:
    """Sends with a callback, which the program does not wait for."""
    return [
        (at, opened) for at, opened in sends(text, producers)
        if jvm_calls.after_first_argument(text.plain[opened : (end := text.closed(opened)) - 1])
        or re.match(r"\s*\{", text.plain[end:])
    ]  # fmt: skip


def producer_names(plain: str) -> set[str]:
    """Names of producers, with Kotlin's `it` where a block names no parameter."""
    names = {name for match in _PRODUCER.finditer(plain) for name in match.groups() if name}
    names |= template_names(plain)
    injected = {match[1] for match in islice(_INJECTED.finditer(plain), _MAX_SENDS)}
    names |= {name for name in injected if not re.search(_DECLARED.format(name), plain)}
    return aliases(plain, names, "KafkaProducer")


def template_names(plain: str) -> set[str]:
    """Names of Spring's templates, whose `send` takes no callback."""
    return {name for match in _TEMPLATE.finditer(plain) for name in match.groups() if name}


def sends(
    text: Text, producers: Iterable[str], begin: int = 0, end: int | None = None
) -> list[Block]:
    """Returns the offset of each send of these producers, and the offset of its first argument."""
    plain, stop = text.plain, len(text.plain) if end is None else end
    arguments_at = {
        text.chain(match.end() - 1): match.end()
        for match in islice(_SEND.finditer(plain, begin, stop), _MAX_SENDS)
        if match["receiver"] in producers
    }  # fmt: skip
    for match in islice(_OTHER_SEND.finditer(plain, begin, stop), _MAX_SENDS):
        chain = text.chain(match.end() - 1)
        receiver = plain[chain : match.end()].rpartition("send")[0]
        producer = r"(?i:producer)" + "".join(rf"|\b{name}\s*\)\W*$" for name in producers)
        sends_record = "ProducerRecord" in plain[match.end() : match.end() + 40]
        if match.end() not in arguments_at.values() and (
            sends_record or re.search(producer, receiver)
        ):
            arguments_at[chain] = match.end()
    scopes = _producer_scopes(text, producers)
    for match in islice(_IMPLICIT_SEND.finditer(plain, begin, stop), _MAX_SENDS):
        in_scope = any(start < match.start() < end for start, end in scopes)
        if in_scope and not _DEFINITION_HEAD.search(
            plain[max(0, match.start() - 80) : match.start()]
        ):
            arguments_at[match.start()] = match.end()
    return sorted(arguments_at.items())[:_MAX_SENDS]


def _producer_scopes(text: Text, producers: Iterable[str]) -> list[Block]:
    """Spans of code in which a producer is the implicit receiver of calls."""
    scope_head = re.compile(_PRODUCER_SCOPE.format("|".join(sorted(producers)) or "(?!)"))
    scopes = [(start, end) for start, end, head in text.heads if scope_head.search(head)]
    return scopes + [match.span() for match in _EXTENSION.finditer(text.plain)]


def _unchecked_sends(text: Text, producers: set[str]) -> Iterator[tuple[int, str]]:
    """Yields the offset of each send that fails unnoticed, and the reason."""
    futures, scopes = Futures(text), _producer_scopes(text, producers)
    for match in islice(_REFERENCE.finditer(text.plain), _MAX_SENDS):
        in_scope = any(start < match.start() < end for start, end in scopes)
        if match[3] in producers or (match[3] is None and in_scope):
            fault = futures.fate_of_reference(match[1], match.start(2))
            yield from [(match.start(), fault)] if fault else []
    if producers:
        infix = rf"^[ \t]*(?:{'|'.join(sorted(producers))})[ \t]+send[ \t]+\(?\w[^\n.]*$"
        yield from ((part.start(), RESULT) for part in re.finditer(infix, text.plain, re.MULTILINE))
    templates, producer_sends = template_names(text.plain), sends(text, producers)
    if ".poll(" not in text.plain:
        places = (at for at, _ in producer_sends)
        yield from ((at, ONLY_WRITTEN) for at in send_attempts.swallowed_sends(text, places))
    send = re.compile(rf"\b(?:{'|'.join(sorted(producers)) or '(?!)'})\s*\.\s*send\b")
    ignored = jvm_results.logged_error_values(text, send, (0, len(text.plain)))
    unchecked = jvm_results.unchecked_calls(text, (at for at, _ in producer_sends))
    yield from ((at, ONLY_WRITTEN) for at in (*ignored, *unchecked))
    for at, opened in producer_sends:
        end = text.closed(opened)
        takes_callback = templates.isdisjoint(re.findall(r"\w+", text.plain[at:opened]))
        second = (
            jvm_calls.after_first_argument(text.plain[opened : end - 1]) if takes_callback else ""
        )
        trailing = re.match(r"\s*\{", text.plain[end:])
        callback = callback_of_send(text, opened) if second or trailing else None
        if callback and (fault := _fault(text, futures, callback)):
            yield at, fault
        elif second.strip() == "null":
            yield at, DROPPED
        elif not second and not trailing and (fault := futures.fate(at, end)):
            yield at, fault


def _fault(text: Text, futures: Futures, callback: Callback) -> str:
    """Returns why a failed send is as good as lost; empty if the callback, or what it counts or
    completes, leads to code that acts on the error."""
    fault, code, whole = (
        callback.fault(partial(_find_method, text)),
        callback.with_error(),
        (0, len(text.plain)),
    )
    counters = [match[1] for match in islice(_COUNTER.finditer(code), _MAX_SENDS)]
    if fault and any(not is_never_checked(text, name, True, whole) for name in counters):
        return ""
    promises = [match[1] for match in islice(_PROMISE.finditer(code), _MAX_SENDS)
                if re.search(_PROMISE_CREATION.format(match[1]), text.plain)]  # fmt: skip
    if not fault and promises and _PROMISE.sub("", code).strip("; \n{}") == "":
        return "" if any(futures.is_read(name, whole) for name in promises) else RESULT
    return fault


def callback_of_send(text: Text, opened: int) -> Callback | None:
    """Returns the callback of the send whose arguments begin at `opened`, if the file has it."""
    end = text.closed(opened)
    if trailing := re.match(r"\s*\{", text.plain[end:]):
        block = text.block_of(end + trailing.end() - 1)
        return callback_of("", text.plain[block[0] + 1 : block[1]])
    second = jvm_calls.after_first_argument(text.plain[opened : end - 1])
    return (callback_of(second) or _referenced_callback(text, second)) if second else None


def _referenced_callback(text: Text, argument: str) -> Callback | None:
    """Returns the callback that is a method, a variable or a class of the file."""
    match = _CALLBACK_REFERENCE.fullmatch(argument)
    if match is None:
        return None
    if match["variable"]:
        assignment = re.compile(
            rf"\b{match['variable']}\s*=\s*(?=[^;={{}}]{{1,80}}(?:->|=>)\s*\{{)"
        )
        if variable := assignment.search(text.plain):
            block = text.block_of(text.plain.index("{", variable.end()))
            return callback_of(text.plain[variable.end() : block[1]])
    bodies = text.bodies(match["method"] or match["variable"] or "onCompletion")
    return _method_callback(text, bodies[0], -1) if len(bodies) == 1 else None


def _find_method(text: Text, name: str, arguments: str, error: str) -> Callback | None:
    """Returns the method of the file that a callback calls with its error, as a callback."""
    bodies, names = text.bodies(name), [argument.strip() for argument in arguments.split(",")]
    if len(bodies) != 1:
        return None
    if error not in names:
        return Callback("", text.plain[slice(*bodies[0])])
    return _method_callback(text, bodies[0], names.index(error))


def _method_callback(text: Text, body: Block, position: int) -> Callback | None:
    names = text.parameters(body)
    if not -len(names) <= position < len(names):
        return None
    return Callback(names[position], text.plain[slice(*body)])
