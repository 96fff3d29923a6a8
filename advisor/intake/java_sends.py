"""Sends of Kafka's Java producer whose errors nobody takes (KafkaProducer.send, javadoc: a send
that fails completes its future, and calls its callback, with an exception), in Java, Kotlin and
Scala.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.java_callbacks import callback
from advisor.intake.java_handlers import silent
from advisor.intake.java_text import Text
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
SEND = re.compile(r"(?:\b(?P<future>\w+)\s*=\s*)?(?:this\.)?\b(?P<whose>\w+)\s*\.\s*send\s*\(")
_REFERENCE = re.compile(r"\bfor[Ee]ach\s*\(\s*(?:this\.)?(\w+)\s*::\s*send\s*\)")
_TAKES_NOTHING = (
    r"(?:for[Ee]ach\w*|onEach|ifPresent|execute|thenAccept|thenRun|schedule\w*|repeat|use|also|apply"
    r"|let|run)"
)
_USING = r"\bUsing(?:\.resource)?\s*\([^{}]*\)\s*"
_OF_LAMBDA = re.compile(
    rf"(?:\b{_TAKES_NOTHING}\s*[({{]|{_USING}\{{)\s*\(?[\w, ]*\)?\s*(?:->|=>)\s*$"
)
_STATEMENT = re.compile(
    r"\b(?:if|for|while|when|catch|switch)\s*\([^{}]*\)\s*$|\b(?:else|try|do|finally)\s*$"
    r"|\bfun\b[^={}\n]*\)\s*(?::\s*Unit\s*)?$|\bdef\b[^{}\n]*(?::\s*Unit\s*=|\))\s*$"
    rf"|\b{_TAKES_NOTHING}\s*(?:\([^()]*\)\s*)?$|{_USING}$"
    rf"|\b{_TAKES_NOTHING}\s*\(\s*\(?[\w, ]*\)?\s*(?:->|=>)\s*$"
)
"""What stands before braces whose last value nothing takes."""
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
        if match[1] in producers:
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
            heard = callback(second) if second else None
        if heard and (fault := heard.fault()):
            yield match.start(), fault
        elif second.strip() == "null":
            yield match.start(), DROPPED
        elif not second and not trailing:
            yield from ((match.start(), words) for words in _of_future(text, match, end))


def _of_future(text: Text, match: re.Match[str], end: int) -> Iterator[str]:
    """What becomes of the future of a send, where it is as good as nothing."""
    plain, future = text.plain, match["future"]
    if _GOT.match(plain, end):
        tried = [it for it in silent(text) if it.attempt[0] < match.start() < it.attempt[1]]
        yield from (ONLY_WRITTEN for _ in tried[:1])
    elif future and _ENDS.match(plain, end):
        if len(re.findall(rf"\b{future}\b", plain)) == 1:
            yield RESULT
    elif _ENDS.match(plain, end) and _is_let_go(text, match.start(), end):
        yield RESULT


def _is_let_go(text: Text, at: int, end: int) -> bool:
    """Whether a send is a statement of its own, or the value of a block that nothing takes."""
    before = text.plain[:at]
    line = before.rpartition("\n")[2]
    previous = before.rstrip()
    if previous.endswith(("->", "=>")):
        return bool(_OF_LAMBDA.search(previous[-400:]))
    alone = previous[-1:] in (";", "{", "}", ")") or previous.endswith("else")
    if not alone and (line.strip() or previous[-1:] in tuple("=(,.+&|?:")):
        return False
    behind = text.plain[end:].lstrip(" \t\n")
    if behind.startswith(";") or not behind.startswith("}"):
        return not behind.startswith(")") or previous.endswith("{")
    around = text.around(at)
    return bool(around) and bool(_STATEMENT.search(around[-1][2]))


def _second(given: str) -> str:
    """What a call is given behind its first argument."""
    depth = 0
    for at, char in enumerate(given):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and char == ",":
            return given[at + 1 :]
    return ""
