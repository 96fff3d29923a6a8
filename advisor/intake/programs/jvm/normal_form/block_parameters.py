"""Inlining of Kotlin and Scala functions that run a block and handle its errors.

With `fun quietly(block: () -> Unit) { try { block() } catch (e: E) { log.warn(e) } }`,
`quietly { save(r) }` becomes `try { save(r) } catch (e: E) { log.warn(e) }`. Line numbers do not
change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.normal_form.method_inlining import join_lines
from advisor.intake.programs.jvm.text import Text, spliced

_MOST_FUNCTIONS, _MOST_CALLS, _LONGEST_BODY, _LOOKBEHIND = 40, 60, 1_500, 80
_FUNCTION = re.compile(
    r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?(?P<name>[a-z]\w*)\s*(?:\[[\w, ]{0,40}\]\s*)?"
    r"\(\s*(?:crossinline\s+)?(?P<block>\w+)\s*:\s*(?:suspend\s*)?(?:\(\s*\)\s*->|\(\s*\)\s*=>|=>)[^()={}]{1,60}\)"
    r"\s*(?::\s*[\w<>\[\]?., ]{1,60}?)?\s*(?:=\s*)?(?=\{|try\b|runCatching\b|Try\b)"
)
_ERROR_HANDLING = re.compile(r"\b(?:catch|runCatching|Try|finally)\b")
_TRY_EXPRESSION = re.compile(r"\s*(?:try|runCatching|Try)\b")
_STATEMENT_START = re.compile(r"[;{}\n)]\s*$")
_ASSIGNMENT = re.compile(r"=\s*$")
_DEFINITION = re.compile(r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?$")


def without_block_parameters(code: str) -> str:
    """Returns the program with the bodies of these functions in place of their calls."""
    if not re.search(r"\b(?:fun|def)\s", code):
        return code
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_FUNCTION.finditer(text.plain), _MOST_FUNCTIONS):
        if text.plain[match.end()] == "{":
            start, end = text.block_of(match.end())
            body = code[start + 1 : end]
        else:
            body = code[slice(*text.statement(match.end()))]
        block, name = match["block"], match["name"]
        body = re.sub(rf"\b(runCatching|Try)\s*\(\s*{block}\s*\)", rf"\1 {{ {block} }}", body)
        use = rf"\b{block}\b(?:\s*\.\s*invoke)?(?:\s*\(\s*\))?"
        is_used_once = (
            len(re.findall(use, body)) == 1 and len(re.findall(rf"\b{block}\b", body)) == 1
        )
        handles_errors = _ERROR_HANDLING.search(body) and not re.search(r"\breturn\b", body)
        if is_used_once and handles_errors and 0 < len(body) < _LONGEST_BODY:
            changes += _inline_calls(text, code, name, re.split(use, join_lines(body.strip())))
    return spliced(code, sorted(changes))


def _inline_calls(text: Text, code: str, name: str, parts: list[str]) -> list[tuple[int, int, str]]:
    """Replaces each call with the function's body, split in two `parts` around its block."""
    changes, plain = list[tuple[int, int, str]](), text.plain
    for call in islice(re.finditer(rf"(?<![\w.@]){name}\s*([({{])", plain), _MOST_CALLS):
        before = plain[max(0, call.start() - _LOOKBEHIND) : call.start()]
        is_statement = _STATEMENT_START.search(before)
        is_supported = is_statement or (
            _ASSIGNMENT.search(before) and _TRY_EXPRESSION.match(parts[0])
        )
        if len(parts) != 2 or _DEFINITION.search(before) or not is_supported:
            continue
        opened = call.end() - 1
        end = text.block_of(opened)[1] + 1 if call[1] == "{" else text.closed(opened + 1)
        argument = code[opened + 1 : end - 1].strip(" \t")
        if call[1] == "(":
            argument = re.sub(r"^\(\s*\)\s*=>\s*", "", argument).strip()
            argument = (
                argument[1:-1] if argument.startswith("{") and argument.endswith("}") else argument
            )
        replacement = f"{parts[0]}{argument}{parts[1]}"
        is_separate = is_statement and before.rstrip(" \t")[-1:] in ";{}\n"
        lines = "\n" * (code.count("\n", call.start(), end) - replacement.count("\n"))
        changes.append(
            (call.start(), end, (replacement if is_separate else f"{{ {replacement} }}") + lines)
        )
    return changes
