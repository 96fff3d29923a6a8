"""Sends of Kafka's Java producer whose errors nobody takes (KafkaProducer.send, javadoc: a send
that fails completes its future, and calls its callback, with an exception), in Java, Kotlin and
Scala.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.java_callbacks import Callback, callback
from advisor.intake.java_handlers import silent
from advisor.intake.java_text import Block, Text
from advisor.intake.sends import DROPPED, ONLY_WRITTEN, RESULT

_MOST = 300
_TYPE = r"(?:\s*:\s*[\w<>\[\]?., ]{1,80})?"
_PRODUCER = re.compile(
    rf"\b(\w+){_TYPE}\s*=\s*(?:new\s+)?KafkaProducer\b"
    r"|\b(?:Kafka)?Producer\s*<[^;=(){}]{1,80}>\s+(\w+)"
    r"|\b(\w+)\s*:\s*(?:Kafka)?Producer\s*[<\[]"
    r"|\bUsing(?:\.resource)?\s*\(\s*new\s+KafkaProducer\b[^{};]{0,200}\{\s*(\w+)\s*=>"
)
"""What a producer is called where it is made or declared."""
SEND = re.compile(
    r"(?:\b(?P<future>\w+)\s*=\s*)?(?:this\.)?\b(?P<whose>\w+)\s*(?:\?|!!)?\.\s*send\s*\("
)
_KEEPS = r"(?:map\w*|flatMap\w*|thenCompose\w*|compose|submit|async|traverse|transform|collect)"
"""Who makes something of what a lambda returns."""
_REFERENCE = re.compile(r"\b(\w+)\s*\(\s*(?:this\.)?(\w+)\s*::\s*send\s*\)")
_TAKES_NOTHING = r"(?:for[Ee]ach\w*|onEach|repeat|use|also|apply|let|run)"
_USING = r"\bUsing(?:\.resource)?\s*\([^{}]*\)\s*"
_KEPT = re.compile(
    rf"\b{_KEEPS}\s*[({{]\s*\(?[\w, ]*\)?\s*(?:->|=>)\s*$"
    r"|(?<![=!<>])=\s*\(?[\w, :<>]*\)?\s*(?:->|=>)\s*$"
    rf"|\b{_KEEPS}\s*(?:\([^()]*\)\s*)?$|(?:(?<![=!<>])=|\breturn)\s*$"
)
"""What stands before a value, or braces, that somebody makes something of."""
_STATEMENT = re.compile(
    r"\b(?:if|for|while|when|catch|switch)\s*\([^{}]*\)\s*$|\b(?:else|try|do|finally)\s*$"
    r"|\bfun\b[^={}\n]*\)\s*(?::\s*Unit\s*)?$|\bdef\b[^{}\n]*(?::\s*Unit\s*=|\))\s*$"
    rf"|\b{_TAKES_NOTHING}\s*(?:\([^()]*\)\s*)?$|{_USING}$"
    rf"|\b{_TAKES_NOTHING}\s*\(\s*\(?[\w, ]*\)?\s*(?:->|=>)\s*$"
)
"""What stands before braces whose last value nothing takes."""
_NAMED = re.compile(
    r"\s*(?:[\w.]+\s*::\s*(?P<method>\w+)|(?P<variable>\w+)|new\s+(?P<own>\w+)\s*\([^{}]*\))\s*"
)
_ONE_CALL = re.compile(r"[\s{]*(?:this\.)?(\w+)\s*\(([^()]*)\)[\s;})]*")
_ENDS = re.compile(r"[ \t]*(?:[;)}]|\n(?!\s*[.?:])|\Z)")
_GOT = re.compile(r"\s*\.\s*get\s*\(")


def unheard(text: Text) -> tuple[int, str]:
    """Where the first send stands that fails unnoticed, and why; 0 if there is none, or if it is
    committed in a transaction, which fails with it."""
    if "commitTransaction" in text.plain:
        return 0, ""
    return min(_places(text, names(text.plain)), default=(0, ""))


def names(plain: str) -> set[str]:
    """The names of producers; Kotlin's `it` where a block has no other."""
    made_as = {name for match in _PRODUCER.finditer(plain) for name in match.groups() if name}
    made = rf"(?:\bKafkaProducer\b[^{{}};]{{0,200}}|\b(?:{'|'.join(sorted(made_as)) or '_'})\s*)"
    handed = rf"{made}\.\s*(?:use|let|also|run)\s*\{{(?:\s*(\w+)\s*->)?"
    return made_as | {name or "it" for name in re.findall(handed, plain)}


def _places(text: Text, producers: set[str]) -> Iterator[tuple[int, str]]:
    """Each send that fails unnoticed, and why."""
    for match in islice(_REFERENCE.finditer(text.plain), _MOST):
        if match[2] in producers and not re.fullmatch(_KEEPS, match[1]):
            yield match.start(), RESULT
    ours = (match for match in SEND.finditer(text.plain) if match["whose"] in producers)
    for match in islice(ours, _MOST):
        end = text.closed(match.end())
        second = _second(text.plain[match.end() : end - 1])
        trailing = re.match(r"\s*\{", text.plain[end:])
        if trailing:
            block = text.block_of(end + trailing.end() - 1)
            heard = callback("", text.plain[block[0] + 1 : block[1]])
        else:
            heard = (callback(second) or _elsewhere(text, second)) if second else None
        heard = _called(text, heard) if heard else None
        if heard and (fault := heard.fault()):
            yield match.start(), fault
        elif second.strip() == "null":
            yield match.start(), DROPPED
        elif not second and not trailing:
            yield from ((match.start(), words) for words in _of_future(text, match, end))


def _elsewhere(text: Text, given: str) -> Callback | None:
    """A callback that is a method, a variable or a class of the file."""
    match = _NAMED.fullmatch(given)
    if match is None:
        return None
    if match["variable"]:
        made = re.compile(rf"\b{match['variable']}\s*=\s*(?=[^;={{}}]{{1,80}}(?:->|=>)\s*\{{)")
        if stated := made.search(text.plain):
            block = text.block_of(text.plain.index("{", stated.end()))
            return callback(text.plain[stated.end() : block[1]])
        return None
    bodies = text.bodies(match["method"] or "onCompletion")
    return _of_method(text, bodies[0], -1) if len(bodies) == 1 else None


def _called(text: Text, heard: Callback) -> Callback:
    """What a callback does that hands its error to a method of the file, and does nothing else."""
    match = _ONE_CALL.fullmatch(heard.body)
    given = [it.strip() for it in match[2].split(",")] if match else []
    bodies = text.bodies(match[1]) if match else []
    if len(bodies) != 1 or heard.error not in given:
        return heard
    return _of_method(text, bodies[0], given.index(heard.error)) or heard


def _of_method(text: Text, body: Block, position: int) -> Callback | None:
    names = text.parameters(body)
    if not -len(names) <= position < len(names):
        return None
    return Callback(names[position], text.plain[slice(*body)])


def _of_future(text: Text, match: re.Match[str], end: int) -> Iterator[str]:
    """What becomes of the future of a send, where it is as good as nothing."""
    plain, future = text.plain, match["future"]
    if _GOT.match(plain, end):
        tried = [it for it in silent(text) if it.attempt[0] < match.start() < it.attempt[1]]
        yield from (ONLY_WRITTEN for _ in tried[:1])
    elif future and _ENDS.match(plain, end):
        if future == "_" or len(re.findall(rf"\b{future}\b", plain)) == 1:
            yield RESULT
    elif _ENDS.match(plain, end) and _is_let_go(text, match.start(), end):
        yield RESULT


def _is_let_go(text: Text, at: int, end: int) -> bool:
    """Whether a send is a statement of its own, or the value of a block that nothing takes."""
    before = text.plain[:at]
    line = before.rpartition("\n")[2]
    previous = before.rstrip()
    if previous.endswith(("->", "=>")):
        return not _KEPT.search(previous[-400:])
    alone = previous[-1:] in (";", "{", "}", ")") or previous.endswith("else")
    if not alone and (line.strip() or previous[-1:] in tuple("=(,.+&|?:")):
        return False
    behind = text.plain[end:].lstrip(" \t\n")
    if behind.startswith(";") or not behind.startswith("}"):
        return not behind.startswith(")") or previous.endswith("{")
    around = text.around(at)
    head = around[-1][2] if around else ""
    return bool(around) and (bool(_STATEMENT.search(head)) or not _KEPT.search(head))


def _second(given: str) -> str:
    """What a call is given behind its first argument."""
    depth = 0
    for at, char in enumerate(given):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and char == ",":
            return given[at + 1 :]
    return ""
