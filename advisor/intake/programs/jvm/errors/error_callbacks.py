"""Functions that JVM code passes together with a record, to be called with its error, and that only
log it: `processor.process(r, e -> log.error("failed", e))`.

No error is thrown then, so that the next record is processed and the commit covers this one. What
the call itself does is in another file: a function counts only if it takes an error, by its name or
by the level of its log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import islice

from advisor.intake.programs.jvm.errors.results import ACTION
from advisor.intake.programs.jvm.log_only import ERROR_LOG, only_logs
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_FUNCTIONS, _REACH = 60, 6, 4_000
_CALL = re.compile(
    r"(?<=[;{}\n])[ \t]*(?:(?:final\s+)?(?:va[lr]|[A-Z][\w<>]*)\s+\w+\s*=\s*)?"
    rf"(?P<receiver>(?:\w+\s*\.\s*){{0,3}})(?P<verb>{ACTION})\s*\("
)
_ERROR_NAME = r"(?:e|ex|err\w*|t|th|throwable|exc|exception|cause|fail\w*|it|_)"
_FUNCTION = re.compile(
    r"(?:(?P<label>\w+)\s*=(?![=>])\s*)?(?:\{\s*)?(?:\(?\s*(?:\w[\w<>]*\s*,\s*)?(?:[A-Z]\w*\s+)?(?P<name>\w+)"
    r"(?:\s*:\s*\w+)?\s*\)?\s*[-=]>)?\s*\{?(?P<body>[\s\S]*?)\}*\s*"
)
_REFERENCE = re.compile(
    r"(?:\w+\s*=\s*)?(?:\w+\s*\.\s*){0,3}(?i:\w*log(?:ger)?)\s*(?:::|\.)\s*(?:error|warn\w*)(?:\(_\)|\s+_)?"
)
_ERROR_LABEL = re.compile(r"(?:on)?(?:\w*[eE]rr(?:or)?|[fF]ail\w*|[eE]xception)\w*")
_ERROR_METHOD = re.compile(
    r"\b(?:on)?(?:\w*[eE]rror|\w*[fF]ail\w*|\w*[eE]xception\w*)\s*\([^(){}]*\)[^;{}]*\{"
)
_LATER_ARGUMENTS = re.compile(r"[ \t]*([({])")
_NEXT_LINK = re.compile(r"\s*\??\.\s*\w")
_ANONYMOUS_CLASS = re.compile(r"\bnew\s+\w+(?:<[^(){}]{0,80}>)?\s*\([^(){}]*\)\s*\{")


def logging_callbacks(
    text: Text, uses: re.Pattern[str], span: Block, producers: Set[str]
) -> Iterator[int]:
    """Yields the calls in a span that process a record with a function that only logs its error.

    `uses` matches the names of a record. The callbacks of `producers` are read elsewhere (`sends`).
    """
    for match in islice(_CALL.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        end = text.closed(match.end())
        if _is_defined(text, match["verb"]) or not uses.search(text.plain, match.end(), end):
            continue
        if not producers.isdisjoint(re.findall(r"\w+", match["receiver"])):
            continue
        functions = [argument for argument in text.arguments(match.end()) if _is_function(argument)]
        while later := _LATER_ARGUMENTS.match(text.plain, end):
            opened = later.end() - 1
            is_block = later[1] == "{"
            end = text.block_of(opened)[1] + 1 if is_block else text.closed(later.end())
            functions.append(text.plain[opened + 1 : end - 1].strip())
        if _NEXT_LINK.match(text.plain, end):
            continue  # its result may hold the error
        if any(map(_logs_error, functions[:_MOST_FUNCTIONS])):
            yield match.start("verb")


def _is_defined(text: Text, verb: str) -> bool:
    """Whether the file has a method of this name. A call with a block after it looks like one."""
    definition = re.compile(rf"[\w>\]]\s+{verb}\s*\([^{{}}]*$")
    heads = {start: head for start, _, head in text.heads} if text.bodies(verb) else {}
    return any(definition.search(heads[start]) for start, _ in text.bodies(verb))


def _is_function(argument: str) -> bool:
    is_lambda = re.search(r"[-=]>|::|^\w+\s*=\s*\{|\{", argument)
    return bool(is_lambda) or bool(_REFERENCE.fullmatch(argument))


def _logs_error(function: str) -> bool:
    """Whether a function takes an error and only logs it."""
    if _REFERENCE.fullmatch(function):
        return True
    if _ANONYMOUS_CLASS.match(function):
        method = _ERROR_METHOD.search(function)
        if method is None:
            return False
        body = _block(function, method.end() - 1)
        return bool(body.strip()) and only_logs(body, in_function=True)
    match = _FUNCTION.fullmatch(function[:_REACH])
    if match is None or not match["body"].strip():
        return False
    is_error = _ERROR_LABEL.fullmatch(match["label"] or "") or (
        re.fullmatch(_ERROR_NAME, match["name"] or "it") and ERROR_LOG.search(match["body"])
    )
    return bool(is_error) and only_logs(match["body"], in_function=True)


def _block(code: str, opened: int) -> str:
    """Returns the code of the block whose brace opens at an offset."""
    depth = 0
    for at in range(opened, len(code)):
        depth += (code[at] == "{") - (code[at] == "}")
        if depth == 0:
            return code[opened + 1 : at]
    return code[opened + 1 :]
