"""Sends of Kafka's Java producer whose errors nobody takes (KafkaProducer.send, javadoc: a send
that fails completes its future, and calls its callback, with an exception)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.java_text import Text
from advisor.intake.sends import RESULT

_MOST = 300
_LOOKED_AHEAD = 2_000
_PRODUCER = re.compile(r"\b(\w+)\s*=\s*new\s+KafkaProducer\b")
_SEND = re.compile(
    r"(?:(?<=[;{})])|\belse\b|\bforEach\s*\(\s*\(?\w+\)?\s*->)"
    r"\s*(?:this\.)?(\w+)\s*\.\s*send\s*\("
    r"|\bforEach\s*\(\s*(?:this\.)?(\w+)\s*::\s*send\s*\)"
)
"""A statement of its own, or what `forEach` does, so that nothing has what it returns."""
_ANY = re.compile(r"(?:\b(?P<future>\w+)\s*=\s*)?(?:this\.)?\b(?P<whose>\w+)\s*\.\s*send\s*\(")
_NULL = re.compile(r",\s*null\s*\)$")
_LAMBDA = re.compile(r",\s*\(\s*\w+\s*,\s*(?P<error>\w+)\s*\)\s*->(?P<body>[\s\S]*)\)$")
_CLASS = re.compile(
    r",\s*new\s+Callback\s*\([\s\S]*?\bonCompletion\s*\([^),]*,\s*[\w.]+\s+(?P<error>\w+)\s*\)"
    r"(?P<body>[\s\S]*)\)$"
)
_EMPTY = re.compile(r"\s*(?:catch\s*\([^)]*\)\s*\{\s*\}\s*)+(?!\s*(?:catch|finally))")
_DROPPED = "what this send calls back does nothing with its error"


def unheard(text: Text) -> tuple[int, str]:
    """Where the first send stands that fails unnoticed, and why; 0 if there is none, or if it is
    committed in a transaction, which fails with it."""
    if "commitTransaction" in text.plain:
        return 0, ""
    names = {match[1] for match in _PRODUCER.finditer(text.plain)}
    places = [(at, RESULT) for at in _let_go(text, names)]
    places += [(at, _DROPPED) for at in _dropped(text, names)]
    return min(places, default=(0, ""))


def _let_go(text: Text, names: set[str]) -> Iterator[int]:
    """Sends whose future nothing has."""
    for match in islice(_SEND.finditer(text.plain), _MOST):
        end = text.closed(match.end())
        behind = text.plain[end:][:_LOOKED_AHEAD].lstrip()
        alone = not _second(text.plain[match.end() : end]) and behind.startswith((";", ")"))
        if match[2] in names or (match[1] in names and alone):
            yield match.start(match.lastindex or 0)
    for match in islice(_ANY.finditer(text.plain), _MOST):
        end, future = text.closed(match.end()), match["future"]
        if match["whose"] not in names or not future or _second(text.plain[match.end() : end]):
            continue
        if text.plain[end:][:1] == ";" and len(re.findall(rf"\b{future}\b", text.plain)) == 1:
            yield match.start()


def _dropped(text: Text, names: set[str]) -> Iterator[int]:
    """Sends whose error is dropped by their callback, or by whoever waits for them."""
    for match in islice(_ANY.finditer(text.plain), _MOST):
        if match["whose"] not in names:
            continue
        given = text.plain[match.end() : text.closed(match.end())]
        callback = _LAMBDA.search(given) or _CLASS.search(given)
        if _NULL.search(given) or (
            callback and not re.search(rf"\b{callback['error']}\b", callback["body"])
        ):
            yield match.start()
        elif callback is None and not _second(given):
            around = [head for head in text.around(match.start()) if head[2].rstrip()[-3:] == "try"]
            if around and _EMPTY.match(text.plain, around[-1][1] + 1):
                yield match.start()


def _second(given: str) -> bool:
    """Whether a call has a second argument."""
    depth = 0
    for char in given:
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and char == ",":
            return True
    return False
