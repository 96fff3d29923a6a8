"""Inlining of Kotlin and Scala functions whose body is a single expression.

Only functions that return an error as a value, hand over work to another thread, or just call
another function are inlined. With `def read(r: R) = Try(parse(r)).toOption`,
`read(r).foreach(save)` becomes `Try(parse(r)).toOption.foreach(save)`. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.concurrency import HANDOVER
from advisor.intake.programs.jvm.text import Text, spliced

_MOST_FUNCTIONS, _MOST_CALLS, _LONGEST_BODY, _PASSES = 60, 60, 600, 2
_FUNCTION = re.compile(
    r"\b(?:fun|def)\s+(?P<name>\w+)\s*\((?P<parameters>[^()]{0,300})\)"
    r"\s*(?::\s*[\w<>\[\]?., ]{1,80}?)?\s*=(?![=>])\s*(?P<block>\{\s*)?"
    r"(?P<error_value>(?=(?:Try|runCatching|allCatch\s*\.\s*\w+|Either\s*\.\s*catch\w*)\s*[({]))?"
)
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_SINGLE_CALL = re.compile(r"(\w+)\s*\([\w\s,]*\)")
_SIMPLE_ARGUMENT = re.compile(r"[\w.]+(?:\(\s*\))?")
_REFERENCE = (
    r"\b(?:flatMap|map|mapNotNull|for[Ee]ach)\s*\(\s*(?P<colons>(?:this\s*)?::\s*)?{}\s*_?\s*(?=\))"
)


def without_expression_functions(code: str) -> str:
    """Returns the program with the bodies of these functions in place of their calls."""
    if not re.search(r"\b(?:fun|def)\s", code):
        return code
    for _ in range(_PASSES):
        text, changes = Text.of(code), list[tuple[int, int, str]]()
        for match in islice(_FUNCTION.finditer(text.plain), _MOST_FUNCTIONS):
            changes += _inline_calls(text, code, match)
        if not changes:
            break
        code = spliced(code, sorted(changes))
    return code


def _inline_calls(text: Text, code: str, function: re.Match[str]) -> list[tuple[int, int, str]]:
    """Replaces each call of a function with its body."""
    begin, end = text.statement(function.end())
    name, body = function["name"], code[begin:end].strip()
    rest = text.plain[end : text.block(begin)[1]].strip() if function["block"] else ""
    call = _SINGLE_CALL.fullmatch(body)
    calls_method = call and len(text.bodies(call[1])) == 1
    if not (calls_method or function["error_value"] is not None or HANDOVER.search(body)):
        return []
    definitions = re.findall(rf"\b(?:fun|def)\s+(?:[\w<>?, ]{{1,80}}\.)?{name}\b", text.plain)
    if (
        rest
        or not 0 < len(body) < _LONGEST_BODY
        or len(definitions) > 1
        or re.search(rf"\b{name}\b", body)
    ):
        return []
    body = " ".join(line.strip() for line in body.split("\n"))
    parameters = _TYPE_ARGUMENTS.sub("", _TYPE_ARGUMENTS.sub("", function["parameters"]))
    names = [parameter.partition(":")[0].strip() for parameter in parameters.split(",")]
    changes = list[tuple[int, int, str]]()
    calls = re.compile(rf"(?<![\w.:])(?<!fun )(?<!def )(?:this\s*\.\s*)?{name}\s*\(")
    for call in islice(calls.finditer(text.plain), _MOST_CALLS):
        arguments, end = text.arguments(call.end()), text.closed(call.end())
        if len(arguments) == len(names) and all(map(_SIMPLE_ARGUMENT.fullmatch, arguments)):
            inlined = _substitute(body, dict(zip(names, arguments, strict=True)))
            changes.append(
                (call.start(), end, inlined + "\n" * code.count("\n", call.start(), end))
            )
    if len(names) == 1:
        body_for_it = _substitute(body, {names[0]: "it"})
        references = re.compile(_REFERENCE.format(name))
        for use in islice(references.finditer(text.plain), _MOST_CALLS):
            head = use[0].partition("(")[0]
            inlined = (
                f"{head} {{ {body_for_it} }}" if use["colons"] else f"{head}(it => {body_for_it}"
            )
            changes.append((use.start(), use.end() + (use["colons"] is not None), inlined))
    return changes


def _substitute(body: str, replacements: dict[str, str]) -> str:
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(filter(None, replacements)) or '(?!)'})\b")
    return pattern.sub(lambda match: replacements[match[0]], body)
