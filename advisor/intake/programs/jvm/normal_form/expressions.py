"""Functions of Kotlin and Scala that are an expression, in place of their calls: those that return
an error as a value, begin something, or only call another one. With `def read(r: R) =
Try(parse(r)).toOption`, `read(r).foreach(save)` is `Try(parse(r)).toOption.foreach(save)`.

Lines stay as they are.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.concurrency import HAND
from advisor.intake.programs.jvm.text import Text, spliced

_MOST, _MOST_CALLS, _LONGEST, _PASSES = 60, 60, 600, 2
_FUNCTION = re.compile(
    r"\b(?:fun|def)\s+(?P<name>\w+)\s*\((?P<given>[^()]{0,300})\)"
    r"\s*(?::\s*[\w<>\[\]?., ]{1,80}?)?\s*=(?![=>])\s*(?P<block>\{\s*)?"
    r"(?P<kept>(?=(?:Try|runCatching|allCatch\s*\.\s*\w+|Either\s*\.\s*catch\w*)\s*[({]))?"
)
_TYPES = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_ONE_CALL = re.compile(r"(\w+)\s*\([\w\s,]*\)")
_PLAIN = re.compile(r"[\w.]+(?:\(\s*\))?")
_REFERENCE = (
    r"\b(?:flatMap|map|mapNotNull|for[Ee]ach)\s*\(\s*(?P<of>(?:this\s*)?::\s*)?{}\s*_?\s*(?=\))"
)


def with_expressions(code: str) -> str:
    """The same program with these in place of the calls."""
    if not re.search(r"\b(?:fun|def)\s", code):
        return code
    for _ in range(_PASSES):
        text, changes = Text.of(code), list[tuple[int, int, str]]()
        for match in islice(_FUNCTION.finditer(text.plain), _MOST):
            changes += _in_place(text, code, match)
        if not changes:
            break
        code = spliced(code, sorted(changes))
    return code


def _in_place(text: Text, code: str, function: re.Match[str]) -> list[tuple[int, int, str]]:
    """The body of a function in place of each of its calls."""
    begin, end = text.statement(function.end())
    name, body = function["name"], code[begin:end].strip()
    more = text.plain[end : text.block(begin)[1]].strip() if function["block"] else ""
    call = _ONE_CALL.fullmatch(body)
    is_of_own = call and len(text.bodies(call[1])) == 1
    if not (is_of_own or function["kept"] is not None or HAND.search(body)):
        return []
    defined = re.findall(rf"\b(?:fun|def)\s+(?:[\w<>?, ]{{1,80}}\.)?{name}\b", text.plain)
    if more or not 0 < len(body) < _LONGEST or len(defined) > 1 or re.search(rf"\b{name}\b", body):
        return []
    body = " ".join(line.strip() for line in body.split("\n"))
    declared = _TYPES.sub("", _TYPES.sub("", function["given"]))
    names = [given.partition(":")[0].strip() for given in declared.split(",")]
    changes = list[tuple[int, int, str]]()
    calls = re.compile(rf"(?<![\w.:])(?<!fun )(?<!def )(?:this\s*\.\s*)?{name}\s*\(")
    for call in islice(calls.finditer(text.plain), _MOST_CALLS):
        given, end = text.arguments(call.end()), text.closed(call.end())
        if len(given) == len(names) and all(map(_PLAIN.fullmatch, given)):
            made = _renamed(body, dict(zip(names, given, strict=True)))
            changes.append((call.start(), end, made + "\n" * code.count("\n", call.start(), end)))
    if len(names) == 1:
        own = _renamed(body, {names[0]: "it"})
        references = re.compile(_REFERENCE.format(name))
        for each in islice(references.finditer(text.plain), _MOST_CALLS):
            head = each[0].partition("(")[0]
            made = f"{head} {{ {own} }}" if each["of"] else f"{head}(it => {own}"
            changes.append((each.start(), each.end() + (each["of"] is not None), made))
    return changes


def _renamed(body: str, names: dict[str, str]) -> str:
    known = re.compile(rf"(?<![\w.])(?:{'|'.join(filter(None, names)) or '(?!)'})\b")
    return known.sub(lambda it: names[it[0]], body)
