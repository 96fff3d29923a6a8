"""Java's statements in place of Kotlin's expressions that have a value.

`val o = try { a } catch (e: Exception) { null }` becomes a variable that each block assigns, and a
function with such a body returns the value from each block. `runCatching { a }.getOrNull()` becomes
such a `try`. `?: continue` and `?.let { }` become conditions. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.records.derived_names import LOGGED
from advisor.intake.programs.jvm.text import Block, Text, spliced, without_literals

_MOST_MATCHES, _LONGEST_TRY, _LOOKBEHIND, _LONGEST_HEAD = 100, 1_500, 40, 120
_KOTLIN, _SCALA = re.compile(r"\bfun\s"), re.compile(r"\bdef\s")
_RESULT = re.compile(r"\brunCatching\s*(?=\{)|\bTry\s*(?=[({])")
_GET_OR_NULL = re.compile(
    r"\s*\.\s*(?:getOrNull\s*\(\s*\)(?!\s*\?:)|toOption\s*\.\s*orNull\b"
    r"|getOrElse\s*\(\s*null\s*\))"
)
_ASSIGNMENT, _SAFE_LET = re.compile(r"(?:=\s*|\breturn[ \t]*)$"), re.compile(r"\s*\?\.\s*let\b")
_ELVIS = re.compile(
    r"(?P<declaration>\bva[lr]\s+(?P<name>\w+)(?:\s*:\s*[\w<>?., ]{1,60})?\s*=[^=\n;]{1,400}?)"
    r"\s*\?:\s*(?P<jump>(?:continue|break|return|throw)\b[^;\n{}]{0,200})(?=[;\n}])"
)
_ELVIS_BLOCK = re.compile(
    r"(?P<declaration>\bva[lr]\s+(?P<name>\w+)(?:\s*:\s*[\w<>?., ]{1,60})?\s*=[^=\n;]{1,400}?)"
    r"\s*\?:\s*run\s*(?=\{)"
)
_RESULT_OR_NULL = re.compile(
    r"\brunCatching\b|\b(?:parse|decode|deserial)\w*\s*\(.*\)\s*\.\s*getOrNull\(\s*\)\s*$"
)
_ABSENT_VALUE = re.compile(r"[\s;]*\bnull\s*\Z")
_ELVIS_JUMP = re.compile(r"\s*\?:\s*(?P<jump>(?:continue|break|return|throw)\b[^;\n{}]{0,200})")
_ENDS_WITH_JUMP = re.compile(r"(?:^|[;\n{])\s*(?:continue|break|return|throw)\b[^;\n]*\s*\Z")
_LET = re.compile(
    r"(?<=[;{}\n])(?P<margin>\s*+)(?P<call>(?!va[lr]\b|return\b)(?=[^\n=;?]{1,120}[({])[a-z]\w*+[^=;{}\n]{0,200}?"
    r"(?:\{[^{}\n]{0,200}\}[^=;{}\n]{0,200}?){0,3})\s*\?\.\s*let\s*"
    r"(?:\(\s*(?:this)?\s*::\s*(?P<method>\w+)\s*\)|\{(?:\s*(?P<parameter>\w+)\s*->)?(?P<body>[^{}]{0,400})\})"
    r"(?=[ \t]*[;}\n])"
)
_ALSO = re.compile(
    r"(?<=[;{}\n])(?P<margin>[ \t]*+)(?P<call>(?!va[lr]\b|return\b|if\b)(?:\w+\s*\.\s*){0,3}\w+"
    r"\([^(){}\n]*(?:\([^(){}\n]*\)[^(){}\n]*)*\))\s*\.\s*(?:also|let)\s*\{\s*(?P<parameter>\w+)\s*->"
    r"(?P<body>\s*if\b[^{}\n]{1,300}(?:\{[^{}]{0,200}\}[^{}\n]*)?)\}(?=[ \t]*[;}\n])"
)
"""A condition on the value that a call returns."""
_SCOPE = re.compile(
    r"(?:\bwith\s*\(\s*(?P<argument>\w+)\s*\)|\b(?P<receiver>\w+)\s*\.\s*(?:run|apply))\s*"
    r"\{[ \t]*(?P<commit>commit(?:Sync|Async)\s*\([^(){}\n]{0,100}\))[ \t]*;?[ \t]*\}"
)
_COMMIT_STEP = re.compile(
    r"\.\s*(?:also|apply)\s*\{[ \t]*(?P<commit>\w+\.commit(?:Sync|Async)\(\))[ \t]*;?[ \t]*\}"
    r"(?=\s*\.)"
)
"""A step of a call chain that commits before the next step."""
_MARGIN = re.compile(r"(?:^|(?<=[;{}\n]))[ \t]*(?:va[lr]\s+\w+\s*(?::[^=\n]{1,60})?=\s*)?$")
_ON_EACH = re.compile(r"(?P<collection>\w+)\s*\.\s*onEach\s*\{")
_LAZY = re.compile(r"\b(?:asSequence|asFlow|stream|sequence)\b")
_TRY = re.compile(
    r"(?P<head>\bva[lr]\s+(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?., ]{1,60})?\s*=|\breturn\b(?![ \t]*\n)"
    r"|(?P<function>\bfun\s+(?:<[^<>]{0,80}>\s*)?(?:\w+\.)?\w+\s*\([^()]{0,300}\)"
    r"(?:\s*:\s*[\w<>?., ]{1,80})?)\s*=)\s*try\s*\{"
)
_HANDLER = re.compile(r"\s*(?P<clause>catch\s*\([^(){}]{0,200}\)|finally)\s*\{")
_JUMP = re.compile(r"\s*(?:continue|break|return|throw)\b")


def without_block_values(code: str) -> str:
    """Returns the program with statements in place of these expressions."""
    if _SCALA.search(code):
        return _without_tries(_without_results(code))
    if not _KOTLIN.search(code):
        return code
    for rewrite in (
        _without_elvis_blocks, _without_results, _without_elvis, _without_lets,
        _without_checked_calls, _without_tries, _without_scopes, _without_commit_steps,
    ):  # fmt: skip
        code = rewrite(code)
    return code


def _without_results(code: str) -> str:
    """Rewrites `runCatching { … }.getOrNull()` and `Try(…).getOrElse(null)` as `try`."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_RESULT.finditer(text.plain), _MOST_MATCHES):
        opened = match.end()
        is_block = text.plain[opened] == "{"
        end = text.block_of(opened)[1] + 1 if is_block else text.closed(opened + 1)
        getter = _GET_OR_NULL.match(text.plain, end)
        before = text.plain[max(0, match.start() - _LOOKBEHIND) : match.start()]
        is_used = _ASSIGNMENT.search(before) or (
            getter and _SAFE_LET.match(text.plain, getter.end())
        )
        if getter and is_used:
            body = code[opened + 1 : end - 1]
            replacement = f"try {{{body}}} catch (e: Exception) {{ null }}"
            changes.append((match.start(), getter.end(), replacement))
    return spliced(code, changes)


def _without_elvis_blocks(code: str) -> str:
    """Rewrites `val o = f(r) ?: run { …; null } ?: continue` with a condition after it."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_ELVIS_BLOCK.finditer(text.plain), _MOST_MATCHES):
        declaration = code[slice(*match.span("declaration"))]
        start, stop = text.block_of(match.end())
        body, plain = code[start + 1 : stop], text.plain[start + 1 : stop]
        absent = _ABSENT_VALUE.search(plain)
        if declaration.count("{") != declaration.count("}") or not (
            absent or _ENDS_WITH_JUMP.search(plain)
        ):
            continue
        jump = _ELVIS_JUMP.match(text.plain, stop + 1) if absent else None
        end = jump.end() if jump else stop + 1
        body = body[: absent.start()] if absent else body
        last = f"; {code[slice(*jump.span('jump'))]}" if jump else ""
        replacement = f"{declaration}; if ({match['name']} == null) {{{body}{last} }}"
        lines = code.count("\n", match.start(), end) - replacement.count("\n")
        changes.append((match.start(), end, replacement + "\n" * lines))
    return spliced(code, changes)


def _without_elvis(code: str) -> str:
    """Rewrites `val o = f(r) ?: continue` with a condition after it, except for a `runCatching`."""
    changes = list[tuple[int, int, str]]()
    for match in islice(_ELVIS.finditer(without_literals(code)), _MOST_MATCHES):
        declaration, jump = (code[slice(*match.span(group))] for group in ("declaration", "jump"))
        if declaration.count("{") == declaration.count("}") and not _RESULT_OR_NULL.search(
            declaration
        ):
            lines = match[0].count("\n") - declaration.count("\n") - jump.count("\n")
            replacement = f"{declaration}; if ({match['name']} == null) {jump}"
            changes.append((*match.span(), replacement + "\n" * lines))
    return spliced(code, changes)


def _without_lets(code: str) -> str:
    """Rewrites `f(r)?.let { save(it) }` as a variable and a condition on it."""
    changes = list[tuple[int, int, str]]()
    for match in islice(_LET.finditer(without_literals(code)), _MOST_MATCHES):
        parameter = match["parameter"] or "it"
        call = code[slice(*match.span("call"))]
        body = (
            code[slice(*match.span("body"))]
            if match["body"]
            else f" {match['method']}({parameter}) "
        )
        replacement = f"val {parameter} = {call}; if ({parameter} != null) {{{body}}}"
        changes.append((*match.span(), f"{match['margin']}{replacement}"))
    return spliced(code, changes)


def _without_checked_calls(code: str) -> str:
    """Rewrites `save(it).also { ok -> if (!ok) log.warn(it) }` as a variable and a condition."""
    changes = list[tuple[int, int, str]]()
    for match in islice(_ALSO.finditer(without_literals(code)), _MOST_MATCHES):
        call, body = (code[slice(*match.span(group))] for group in ("call", "body"))
        lines = "\n" * (match[0].count("\n") - call.count("\n") - body.count("\n"))
        replacement = f"{match['margin']}val {match['parameter']} = {call}; {body.strip()}{lines}"
        changes.append((*match.span(), replacement))
    return spliced(code, changes)


def _without_scopes(code: str) -> str:
    """Rewrites `with(c) { commitSync() }` as `c.commitSync()`."""
    return _SCOPE.sub(
        lambda match: f"{match['argument'] or match['receiver']}.{match['commit']}", code
    )


def _without_commit_steps(code: str) -> str:
    """Rewrites a commit in a call chain as a statement of its own.

    In `rs.map { … }.also { c.commitSync() }`, the list is complete before the commit. For a
    sequence, or the records themselves, the commit comes first.
    """
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for number, match in enumerate(islice(_COMMIT_STEP.finditer(text.plain), _MOST_MATCHES)):
        begin = text.chain(match.start() + match[0].index("{"))
        margin = _MARGIN.search(text.plain, max(0, begin - _LONGEST_HEAD), begin)
        chain = text.plain[begin : match.start()]
        if margin is None or "\n" in chain or (changes and begin < changes[-1][1]):
            continue
        first, commit = begin - len(margin[0].lstrip()), match["commit"]
        on_each = _ON_EACH.match(chain)
        if re.fullmatch(r"\w+", chain) or _LAZY.search(chain):
            changes += [(first, first, f"{commit}; "), (*match.span(), "")]
        elif on_each and text.block_of(begin + on_each.end() - 1)[1] + 1 == match.start():
            changes.append((first, begin + on_each.end() - 1, f"{on_each['collection']}.forEach "))
            changes.append(
                (*match.span(), f"; {commit}; {code[first:begin]}{on_each['collection']}")
            )
        else:
            name = f"made{number}_"
            changes.append((first, begin, f"val {name} = "))
            changes.append((*match.span(), f"; {commit}; {code[first:begin]}{name}"))
    return spliced(code, changes)


def _without_tries(code: str) -> str:
    """Rewrites a `try` with a value: each block assigns the value to the variable or returns it."""
    text = Text.of(code)
    changes = list[tuple[int, int, str]]()
    for match in islice(_TRY.finditer(text.plain), _MOST_MATCHES):
        if changes and match.start() < changes[-1][1]:
            continue
        prefix = f"{match['name']} = " if match["name"] else "return "
        try_changes = [(match.start("head"), match.end("head"), _try_head(match))]
        blocks = [text.block_of(match.end() - 1)]
        while handler := _HANDLER.match(text.plain, blocks[-1][1] + 1):
            blocks.append(text.block_of(handler.end() - 1))
            if handler["clause"] != "finally":
                try_changes.append(_value_prefix(text, blocks[-1], prefix))
        source = text.plain[match.start() : blocks[-1][1] + 1]
        if len(blocks) > 1 and len(source) < _LONGEST_TRY:
            end = blocks[-1][1] + 1
            try_changes.append(_value_prefix(text, blocks[0], prefix))
            try_changes += [(end, end, " }")] if match["function"] else []
            changes += sorted(try_changes)
    return spliced(code, changes)


def _try_head(match: re.Match[str]) -> str:
    lines = "\n" * match["head"].count("\n")
    if match["function"]:
        return f"{match['function']} {{{lines[match['function'].count(chr(10)) :]}"
    return f"var {match['name']};{lines}" if match["name"] else lines


def _value_prefix(text: Text, block: Block, prefix: str) -> tuple[int, int, str]:
    """Returns the change that puts `prefix` before the last statement of a block."""
    depth, begin = 0, block[0] + 1
    for at in range(block[0] + 1, min(block[1], block[0] + _LONGEST_TRY)):
        char = text.plain[at]
        depth += (char in "([{") - (char in ")]}")
        is_end = depth == 0 and char in ";\n"
        if is_end and text.plain[at + 1 : block[1]].strip():
            begin = at + 1
    begin += len(text.plain[begin : block[1]]) - len(text.plain[begin : block[1]].lstrip())
    has_no_value = _JUMP.match(text.plain, begin) or LOGGED.match(text.plain, begin)
    return begin, begin, "" if has_no_value else prefix
