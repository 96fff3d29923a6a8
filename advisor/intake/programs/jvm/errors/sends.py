"""Sends of Kafka's Java producer whose errors nobody takes (KafkaProducer.send, javadoc: a send
that fails completes its future, and calls its callback, with an exception), in Java, Kotlin and
Scala.
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
from advisor.intake.programs.jvm.errors import exits
from advisor.intake.programs.jvm.errors import results as jvm_results
from advisor.intake.programs.jvm.errors.callbacks import Callback, callback_of
from advisor.intake.programs.jvm.errors.futures import Futures
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 300
_PRODUCER = re.compile(
    rf"\b(\w+){TYPE}\s*=\s*(?:new\s+)?KafkaProducer\b"
    r"|\b(?:Kafka)?Producer\s*<[^;=(){}]{1,80}>\s+(\w+)"
    r"|\b(\w+)\s*:\s*(?:Kafka)?Producer\s*[<\[]"
    r"|\bUsing(?:\.resource)?\s*\(\s*new\s+KafkaProducer\b[^{};]{0,200}\{\s*(\w+)\s*=>"
)
"""What a producer is called where it is made or declared."""
_TEMPLATE = re.compile(
    r"\b(\w*[kK]afkaTemplate\w*)\s*\.\s*send\w*\s*\(|\bKafkaTemplate\s*<[^;=(){}]{1,80}>\s+(\w+)"
    r"|\b(\w+)\s*:\s*KafkaTemplate\b"
)
"""Spring's, whose `send` returns a future (KafkaTemplate javadoc)."""
_INJECTED = re.compile(r"\b((?:kafka)?[pP]roducer)\s*\.\s*send\s*\(")
_DECLARED = r"\b\w+(?:<[^;=(){{}}]{{1,80}}>)?\s+{0}\s*[=;,)]|\b{0}\s*(?::|=(?!=))"
_SEND = re.compile(r"(?:this\.)?\b(?P<whose>\w+)\s*\??\.\s*send\s*\(")
_REFERENCE = re.compile(
    r"\b(\w+)\s*(\()\s*(?:(?:this\.)?(\w+)\s*(?:::\s*send|\.\s*send\s*_?)|::\s*send)\s*\)"
)
_BARE = re.compile(r"(?<![\w.:])(?:(?:this|super)(?:@\w+)?\s*\.\s*)?send\s*\(")
"""A send of Kotlin's implicit receiver, or of a class that is a producer."""
_DEFINED = re.compile(r"(?<!return)(?<!else)(?<!yield)(?<=[\w>\]])[ \t]+$")
_OWN = (
    r"(?:\b(?:{0})\s*|\bKafkaProducer\b[^{{}};]*)\??\.\s*(?:apply|run)\s*$"
    r"|\bwith\s*\(\s*(?:this\.)?(?:(?:{0})\s*|KafkaProducer\b[^{{}};]*)\)\s*$"
    r"|\b(?:extends\s+|class\b[^{{}};]*:\s*)KafkaProducer\b[^{{}};]*$"
    r"|\bfun\s+(?:<[^<>]*>\s*)?(?:Kafka)?Producer\s*<[^(){{}}]*>\s*\.\s*\w+\s*\([^{{}};]*$"
)
"""What stands before braces in which a producer is the receiver of calls without one."""
_EXTENSION = re.compile(
    r"\bfun\s+(?:<[^<>]*>\s*)?(?:Kafka)?Producer\s*<[^(){};]*>\s*\.\s*\w+\s*\([^{};]*?\)[^{};=]*=[^\n]*"
)
_ANY = re.compile(
    r"(?<=[)\]])\s*\??\.\s*send\s*\(|\b\w+\s*\??\.\s*send\s*\((?=\s*(?:new\s+)?ProducerRecord\b)"
)
"""A send whose receiver is a call, or anything that is given Kafka's records."""
_NAMED = re.compile(
    r"\s*(?:[\w.]*\s*::\s*(?P<method>\w+)|(?P<variable>\w+)(?:\s+_)?|new\s+(?P<own>\w+)\s*\([^{}]*\))\s*"
)


def unchecked_send(text: Text) -> tuple[int, str]:
    """Where the first send stands that fails unnoticed, and why; 0 if there is none. One that is
    committed in a transaction fails with it."""
    if "commitTransaction" in text.plain:
        return jvm_aborts.abandoned_transaction(text)
    producers = producer_names(text.plain)
    if found := min(_places(text, producers), default=None):
        return found
    left = exits.unflushed_sends(text, producers, _called_back(text, producers))
    return min(((at, exits.LEFT) for at in left), default=(0, ""))


def _called_back(text: Text, producers: set[str]) -> list[Block]:
    """The sends with a callback, which the program does not wait for."""
    return [
        (at, opened) for at, opened in sends(text, producers)
        if jvm_calls.after_first_argument(text.plain[opened : (end := text.closed(opened)) - 1])
        or re.match(r"\s*\{", text.plain[end:])
    ]  # fmt: skip


def producer_names(plain: str) -> set[str]:
    """The names of producers; Kotlin's `it` where a block has no other."""
    made_as = {name for match in _PRODUCER.finditer(plain) for name in match.groups() if name}
    made_as |= template_names(plain)
    injected = {match[1] for match in islice(_INJECTED.finditer(plain), _MOST)}
    made_as |= {name for name in injected if not re.search(_DECLARED.format(name), plain)}
    return aliases(plain, made_as, "KafkaProducer")


def template_names(plain: str) -> set[str]:
    """The names of Spring's templates, whose `send` takes no callback."""
    return {name for match in _TEMPLATE.finditer(plain) for name in match.groups() if name}


def sends(
    text: Text, producers: Iterable[str], begin: int = 0, end: int | None = None
) -> list[Block]:
    """Where sends of the producers begin, and where what they are given does."""
    plain, stop = text.plain, len(text.plain) if end is None else end
    found = {
        text.chain(match.end() - 1): match.end()
        for match in islice(_SEND.finditer(plain, begin, stop), _MOST)
        if match["whose"] in producers
    }  # fmt: skip
    for match in islice(_ANY.finditer(plain, begin, stop), _MOST):
        chain = text.chain(match.end() - 1)
        receiver = plain[chain : match.end()].rpartition("send")[0]
        own = r"(?i:producer)" + "".join(rf"|\b{name}\s*\)\W*$" for name in producers)
        is_ours = "ProducerRecord" in plain[match.end() : match.end() + 40]
        if match.end() not in found.values() and (is_ours or re.search(own, receiver)):
            found[chain] = match.end()
    scopes = _scopes(text, producers)
    for match in islice(_BARE.finditer(plain, begin, stop), _MOST):
        is_own = any(start < match.start() < end for start, end in scopes)
        if is_own and not _DEFINED.search(plain[max(0, match.start() - 80) : match.start()]):
            found[match.start()] = match.end()
    return sorted(found.items())[:_MOST]


def _scopes(text: Text, producers: Iterable[str]) -> list[Block]:
    """Where a producer is the receiver of calls without one."""
    own = re.compile(_OWN.format("|".join(sorted(producers)) or "(?!)"))
    scopes = [(start, end) for start, end, head in text.heads if own.search(head)]
    return scopes + [match.span() for match in _EXTENSION.finditer(text.plain)]


def _places(text: Text, producers: set[str]) -> Iterator[tuple[int, str]]:
    """Each send that fails unnoticed, and why."""
    futures, scopes = Futures(text), _scopes(text, producers)
    for match in islice(_REFERENCE.finditer(text.plain), _MOST):
        in_scope = any(start < match.start() < end for start, end in scopes)
        if match[3] in producers or (match[3] is None and in_scope):
            fault = futures.fate_of_reference(match[1], match.start(2))
            yield from [(match.start(), fault)] if fault else []
    if producers:
        infix = rf"^[ \t]*(?:{'|'.join(sorted(producers))})[ \t]+send[ \t]+\(?\w[^\n.]*$"
        yield from ((part.start(), RESULT) for part in re.finditer(infix, text.plain, re.MULTILINE))
    own, every = template_names(text.plain), sends(text, producers)
    yield from (
        (at, ONLY_WRITTEN) for at in jvm_results.unchecked_calls(text, (at for at, _ in every))
    )
    for at, opened in every:
        end = text.closed(opened)
        is_ours = own.isdisjoint(re.findall(r"\w+", text.plain[at:opened]))
        second = jvm_calls.after_first_argument(text.plain[opened : end - 1]) if is_ours else ""
        trailing = re.match(r"\s*\{", text.plain[end:])
        told = callback_of_send(text, opened) if second or trailing else None
        if told and (fault := told.fault(partial(_own_method, text))):
            yield at, fault
        elif second.strip() == "null":
            yield at, DROPPED
        elif not second and not trailing and (fault := futures.fate(at, end)):
            yield at, fault


def callback_of_send(text: Text, opened: int) -> Callback | None:
    """The callback of a send whose bracket opens before a place, if it is in the text."""
    end = text.closed(opened)
    if trailing := re.match(r"\s*\{", text.plain[end:]):
        block = text.block_of(end + trailing.end() - 1)
        return callback_of("", text.plain[block[0] + 1 : block[1]])
    second = jvm_calls.after_first_argument(text.plain[opened : end - 1])
    return (callback_of(second) or _elsewhere(text, second)) if second else None


def _elsewhere(text: Text, given: str) -> Callback | None:
    """A callback that is a method, a variable or a class of the file."""
    match = _NAMED.fullmatch(given)
    if match is None:
        return None
    if match["variable"]:
        made = re.compile(rf"\b{match['variable']}\s*=\s*(?=[^;={{}}]{{1,80}}(?:->|=>)\s*\{{)")
        if stated := made.search(text.plain):
            block = text.block_of(text.plain.index("{", stated.end()))
            return callback_of(text.plain[stated.end() : block[1]])
    bodies = text.bodies(match["method"] or match["variable"] or "onCompletion")
    return _of_method(text, bodies[0], -1) if len(bodies) == 1 else None


def _own_method(text: Text, name: str, given: str, error: str) -> Callback | None:
    """The method of the file that a callback calls; its error is the one that it is handed."""
    bodies, handed = text.bodies(name), [argument.strip() for argument in given.split(",")]
    if len(bodies) != 1:
        return None
    if error not in handed:
        return Callback("", text.plain[slice(*bodies[0])])
    return _of_method(text, bodies[0], handed.index(error))


def _of_method(text: Text, body: Block, position: int) -> Callback | None:
    names = text.parameters(body)
    if not -len(names) <= position < len(names):
        return None
    return Callback(names[position], text.plain[slice(*body)])
