"""Functions whose body is an expression: `fun save(r: R) = runCatching { … }` of Kotlin and Scala,
and those that a variable is given: `save = r -> pool.submit(() -> store(r))`.

Where they are called as a statement, nothing takes what they return: neither the error that is kept
in it as a value, nor what they have begun and not waited for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.handlers import Handler
from advisor.intake.programs.jvm.log_only import only_writes
from advisor.intake.programs.jvm.text import AS_FUNCTION, Block, Text

_MOST = 100
_DEFINED = re.compile(
    r"\b(?:fun|def)\s+(?:<[^<>]*>\s*)?(?:[\w<>?]+\.)?(\w+)\s*\([^()]{0,300}\)"
    r"\s*(?::\s*[\w<>\[\]?., ]{1,80})?=(?!=)\s*(?!\{)"
    r"|\b(\w+)\s*(?::(?:[^=;{}]|=>){1,120})?=(?!=)\s*\(?\w+\)?\s*(?:->|=>)\s*+(?!\{)"
)
_ALONE = (
    r"(?<=[;{{}}\n>)])\s*(?:\w+\s*->\s*)?(?:this\.)?{0}"
    rf"\s*(?:\.\s*{AS_FUNCTION}\s*)?"
    r"\([^;{{}}\n()]*(?:\([^;{{}}\n()]*\)[^;{{}}\n()]*)*\)\s*[;\n}})]"
    r"|\bfor[Ee]ach\s*[({{]\s*(?:(?:this)?\s*::\s*)?{0}\s*_?\s*[)}}]"
)
_GOES_ON = re.compile(r"\s*(?:catch\b|finally\b|else\b|\.|\?:)[^{}\n]*")
_KEEPS = re.compile(
    r"(?:runCatching|Try|Either\s*\.\s*catch\w+|withTimeoutOrNull\s*\([^(){}]*\))\s*[({]"
)
_THROWS = re.compile(r"\.\s*(?:getOrThrow|get)\b|\bthrow\b|\.\s*(?:recover\w*|fold|getOrElse)\b")
_ON_FAILURE = re.compile(r"\.\s*onFailure\s*\{(?:\s*\w+\s*->)?")


def expressions(text: Text, block: Block) -> Iterator[Block]:
    """The bodies of such functions that a block calls without taking what they return."""
    for match in islice(_DEFINED.finditer(text.plain), _MOST):
        call = _ALONE.format(match[1] or match[2])
        if re.search(call, text.plain[max(0, block[0]) : block[1] + 1]):
            yield match.end(), _end(text, match.end())


def called(text: Text, block: Block) -> Iterator[Block]:
    """The bodies of such functions that a block calls."""
    inside = text.plain[max(0, block[0]) : block[1] + 1]
    for match in islice(_DEFINED.finditer(text.plain), _MOST):
        if re.search(rf"\b{match[1] or match[2]}\b", inside):
            yield match.end(), _end(text, match.end())


def passed_over(text: Text, body: Block, silent: Collection[Handler]) -> Iterator[int]:
    """Where such a body passes over an error."""
    if _KEEPS.match(text.plain, body[0]) and not _THROWS.search(text.plain, *body):
        failed = _ON_FAILURE.search(text.plain, *body)
        done = text.plain[failed.end() : text.closed(failed.end()) - 1] if failed else ""
        if only_writes(done):
            yield body[0]
    yield from (handler.at for handler in silent if body[0] <= handler.attempt[0] < body[1])


def _end(text: Text, begin: int) -> int:
    """Where an expression ends that begins at a place: with its line, or its last braces."""
    line = text.plain.find("\n", begin)
    line = len(text.plain) if line < 0 else line
    while (opened := text.plain.find("{", begin, line)) >= 0:
        begin = text.block_of(opened)[1] + 1
        more = _GOES_ON.match(text.plain, begin)
        line = text.plain.find("\n", more.end() if more else begin)
        line = len(text.plain) if line < 0 else line
    return line
