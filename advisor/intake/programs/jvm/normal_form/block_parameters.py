"""Functions of Kotlin and Scala that are given a block, and take its errors, in the place of their
calls: with `fun quietly(block: () -> Unit) { try { block() } catch (e: E) { log.warn(e) } }`,
`quietly { save(r) }` is `try { save(r) } catch (e: E) { log.warn(e) }`. Lines stay as they are.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.normal_form.inlined import in_one_line
from advisor.intake.programs.jvm.text import Text, spliced

_MOST, _MOST_CALLS, _LONGEST, _BEFORE = 40, 60, 1_500, 80
_FUNCTION = re.compile(
    r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?(?P<name>[a-z]\w*)\s*(?:\[[\w, ]{0,40}\]\s*)?"
    r"\(\s*(?:crossinline\s+)?(?P<own>\w+)\s*:\s*(?:suspend\s*)?(?:\(\s*\)\s*->|\(\s*\)\s*=>|=>)[^()={}]{1,60}\)"
    r"\s*(?::\s*[\w<>\[\]?., ]{1,60}?)?\s*(?:=\s*)?(?=\{|try\b|runCatching\b|Try\b)"
)
_TAKES_ERRORS = re.compile(r"\b(?:catch|runCatching|Try|finally)\b")
_STARTS = re.compile(r"\s*(?:try|runCatching|Try)\b")
_IS_STATEMENT = re.compile(r"[;{}\n)]\s*$")
_IS_VALUE = re.compile(r"=\s*$")
_DEFINES = re.compile(r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?$")


def without_block_parameters(code: str) -> str:
    """The same program with these in place of the calls."""
    if not re.search(r"\b(?:fun|def)\s", code):
        return code
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_FUNCTION.finditer(text.plain), _MOST):
        if text.plain[match.end()] == "{":
            start, end = text.block_of(match.end())
            body = code[start + 1 : end]
        else:
            body = code[slice(*text.statement(match.end()))]
        own, name = match["own"], match["name"]
        body = re.sub(rf"\b(runCatching|Try)\s*\(\s*{own}\s*\)", rf"\1 {{ {own} }}", body)
        use = rf"\b{own}\b(?:\s*\.\s*invoke)?(?:\s*\(\s*\))?"
        is_one = len(re.findall(use, body)) == 1 and len(re.findall(rf"\b{own}\b", body)) == 1
        takes = _TAKES_ERRORS.search(body) and not re.search(r"\breturn\b", body)
        if is_one and takes and 0 < len(body) < _LONGEST:
            changes += _in_place(text, code, name, re.split(use, in_one_line(body.strip())))
    return spliced(code, sorted(changes))


def _in_place(text: Text, code: str, name: str, around: list[str]) -> list[tuple[int, int, str]]:
    """What a function does, around what each of its calls gives it."""
    changes, plain = list[tuple[int, int, str]](), text.plain
    for call in islice(re.finditer(rf"(?<![\w.@]){name}\s*([({{])", plain), _MOST_CALLS):
        before = plain[max(0, call.start() - _BEFORE) : call.start()]
        is_alone = _IS_STATEMENT.search(before)
        is_known = is_alone or (_IS_VALUE.search(before) and _STARTS.match(around[0]))
        if len(around) != 2 or _DEFINES.search(before) or not is_known:
            continue
        opened = call.end() - 1
        end = text.block_of(opened)[1] + 1 if call[1] == "{" else text.closed(opened + 1)
        given = code[opened + 1 : end - 1].strip(" \t")
        if call[1] == "(":
            given = re.sub(r"^\(\s*\)\s*=>\s*", "", given).strip()
            given = given[1:-1] if given.startswith("{") and given.endswith("}") else given
        made = f"{around[0]}{given}{around[1]}"
        is_own = is_alone and before.rstrip(" \t")[-1:] in ";{}\n"
        lines = "\n" * (code.count("\n", call.start(), end) - made.count("\n"))
        changes.append((call.start(), end, (made if is_own else f"{{ {made} }}") + lines))
    return changes
