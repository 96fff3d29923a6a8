"""Kotlin's expressions that have a value as the statements that Java has for them.

`val o = try { a } catch (e: Exception) { null }` is a name that each block gives a value, as is
what a function returns so; `runCatching { a }.getOrNull()` is such a `try`; `?: continue` and
`?.let { }` are conditions. Lines stay as they are.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.records.derived_names import LOGGED
from advisor.intake.programs.jvm.text import Block, Text, spliced, without_literals

_MOST, _FARTHEST, _BEFORE, _LONGEST_HEAD = 100, 1_500, 40, 120
_KOTLIN, _SCALA = re.compile(r"\bfun\s"), re.compile(r"\bdef\s")
_OR_NULL = re.compile(r"\brunCatching\s*(?=\{)|\bTry\s*(?=[({])")
_GET = re.compile(
    r"\s*\.\s*(?:getOrNull\s*\(\s*\)(?!\s*\?:)|toOption\s*\.\s*orNull\b"
    r"|getOrElse\s*\(\s*null\s*\))"
)
_IS_TAKEN, _IS_ASKED = re.compile(r"(?:=|\breturn)\s*$"), re.compile(r"\s*\?\.\s*let\b")
_ELVIS = re.compile(
    r"(?P<of>\bva[lr]\s+(?P<name>\w+)(?:\s*:\s*[\w<>?., ]{1,60})?\s*=[^=\n;]{1,400}?)"
    r"\s*\?:\s*(?P<jump>(?:continue|break|return|throw)\b[^;\n{}]{0,200})(?=[;\n}])"
)
_LET = re.compile(
    r"(?<=[;{}\n])(?P<margin>\s*+)(?P<of>(?!va[lr]\b|return\b)(?=[^\n=;?]{1,120}[({])[a-z]\w*+[^=;{}\n]{0,200}?"
    r"(?:\{[^{}\n]{0,200}\}[^=;{}\n]{0,200}?){0,3})\s*\?\.\s*let\s*"
    r"(?:\(\s*(?:this)?\s*::\s*(?P<method>\w+)\s*\)|\{(?:\s*(?P<own>\w+)\s*->)?(?P<body>[^{}]{0,400})\})"
    r"(?=[ \t]*[;}\n])"
)
_ALSO = re.compile(
    r"(?<=[;{}\n])(?P<margin>[ \t]*+)(?P<of>(?!va[lr]\b|return\b|if\b)(?:\w+\s*\.\s*){0,3}\w+"
    r"\([^(){}\n]*(?:\([^(){}\n]*\)[^(){}\n]*)*\))\s*\.\s*(?:also|let)\s*\{\s*(?P<own>\w+)\s*->"
    r"(?P<body>\s*if\b[^{}\n]{1,300}(?:\{[^{}]{0,200}\}[^{}\n]*)?)\}(?=[ \t]*[;}\n])"
)
"""A condition that asks for what a call returns."""
_SCOPE = re.compile(
    r"(?:\bwith\s*\(\s*(?P<of>\w+)\s*\)|\b(?P<whose>\w+)\s*\.\s*(?:run|apply))\s*"
    r"\{[ \t]*(?P<commit>commit(?:Sync|Async)\s*\([^(){}\n]{0,100}\))[ \t]*;?[ \t]*\}"
)
_BESIDE = re.compile(
    r"\.\s*(?:also|apply)\s*\{[ \t]*(?P<commit>\w+\.commit(?:Sync|Async)\(\))[ \t]*;?[ \t]*\}"
    r"(?=\s*\.)"
)
"""A step of a chain, that commits before the next one."""
_MARGIN = re.compile(r"(?:^|(?<=[;{}\n]))[ \t]*(?:va[lr]\s+\w+\s*(?::[^=\n]{1,60})?=\s*)?$")
_ON_EACH = re.compile(r"(?P<of>\w+)\s*\.\s*onEach\s*\{")
_LAZY = re.compile(r"\b(?:asSequence|asFlow|stream|sequence)\b")
_TRY = re.compile(
    r"(?P<head>\bva[lr]\s+(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?., ]{1,60})?\s*=|\breturn\b"
    r"|(?P<function>\bfun\s+(?:<[^<>]{0,80}>\s*)?(?:\w+\.)?\w+\s*\([^()]{0,300}\)"
    r"(?:\s*:\s*[\w<>?., ]{1,80})?)\s*=)\s*try\s*\{"
)
_HANDLER = re.compile(r"\s*(?P<word>catch\s*\([^(){}]{0,200}\)|finally)\s*\{")
_LEAVES = re.compile(r"\s*(?:continue|break|return|throw)\b")


def with_statements(code: str) -> str:
    """The same program with these as statements."""
    if _SCALA.search(code):
        return _without_tries(_without_results(code))
    if not _KOTLIN.search(code):
        return code
    for change in (
        _without_results, _without_elvis, _without_lets, _without_asked, _without_tries,
        _without_scopes, _without_commits_beside,
    ):  # fmt: skip
        code = change(code)
    return code


def _without_results(code: str) -> str:
    """`runCatching { … }.getOrNull()` and `Try(…).getOrElse(null)` as `try`."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_OR_NULL.finditer(text.plain), _MOST):
        opened = match.end()
        is_block = text.plain[opened] == "{"
        end = text.block_of(opened)[1] + 1 if is_block else text.closed(opened + 1)
        got = _GET.match(text.plain, end)
        before = text.plain[max(0, match.start() - _BEFORE) : match.start()]
        is_whole = _IS_TAKEN.search(before) or (got and _IS_ASKED.match(text.plain, got.end()))
        if got and is_whole:
            inner = code[opened + 1 : end - 1]
            made = f"try {{{inner}}} catch (e: Exception) {{ null }}"
            changes.append((match.start(), got.end(), made))
    return spliced(code, changes)


def _without_elvis(code: str) -> str:
    """`val o = f(r) ?: continue` as a condition behind it; a result has a rule of its own."""
    changes = list[tuple[int, int, str]]()
    for match in islice(_ELVIS.finditer(without_literals(code)), _MOST):
        given, jump = (code[slice(*match.span(group))] for group in ("of", "jump"))
        if given.count("{") == given.count("}") and "runCatching" not in given:
            lines = match[0].count("\n") - given.count("\n") - jump.count("\n")
            made = f"{given}; if ({match['name']} == null) {jump}"
            changes.append((*match.span(), made + "\n" * lines))
    return spliced(code, changes)


def _without_lets(code: str) -> str:
    """`f(r)?.let { save(it) }` as a name and a condition that asks for it."""
    changes = list[tuple[int, int, str]]()
    for match in islice(_LET.finditer(without_literals(code)), _MOST):
        own = match["own"] or "it"
        given = code[slice(*match.span("of"))]
        body = code[slice(*match.span("body"))] if match["body"] else f" {match['method']}({own}) "
        made = f"val {own} = {given}; if ({own} != null) {{{body}}}"
        changes.append((*match.span(), f"{match['margin']}{made}"))
    return spliced(code, changes)


def _without_asked(code: str) -> str:
    """`save(it).also { ok -> if (!ok) log.warn(it) }` as a name and a condition."""
    changes = list[tuple[int, int, str]]()
    for match in islice(_ALSO.finditer(without_literals(code)), _MOST):
        given, body = (code[slice(*match.span(group))] for group in ("of", "body"))
        lines = "\n" * (match[0].count("\n") - given.count("\n") - body.count("\n"))
        made = f"{match['margin']}val {match['own']} = {given}; {body.strip()}{lines}"
        changes.append((*match.span(), made))
    return spliced(code, changes)


def _without_scopes(code: str) -> str:
    """`with(c) { commitSync() }` as `c.commitSync()`."""
    return _SCOPE.sub(lambda it: f"{it['of'] or it['whose']}.{it['commit']}", code)


def _without_commits_beside(code: str) -> str:
    """A commit that is a step of a chain as a statement: `rs.map { … }.also { c.commitSync() }` has
    made all of its list before, and a sequence, or the records themselves, nothing."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for number, match in enumerate(islice(_BESIDE.finditer(text.plain), _MOST)):
        begin = text.chain(match.start() + match[0].index("{"))
        margin = _MARGIN.search(text.plain, max(0, begin - _LONGEST_HEAD), begin)
        of = text.plain[begin : match.start()]
        if margin is None or "\n" in of or (changes and begin < changes[-1][1]):
            continue
        first, commit = begin - len(margin[0].lstrip()), match["commit"]
        each = _ON_EACH.match(of)
        if re.fullmatch(r"\w+", of) or _LAZY.search(of):
            changes += [(first, first, f"{commit}; "), (*match.span(), "")]
        elif each and text.block_of(begin + each.end() - 1)[1] + 1 == match.start():
            changes.append((first, begin + each.end() - 1, f"{each['of']}.forEach "))
            changes.append((*match.span(), f"; {commit}; {code[first:begin]}{each['of']}"))
        else:
            name = f"made{number}_"
            changes.append((first, begin, f"val {name} = "))
            changes.append((*match.span(), f"; {commit}; {code[first:begin]}{name}"))
    return spliced(code, changes)


def _without_tries(code: str) -> str:
    """A `try` that has a value, of which each block gives it to a name or returns it."""
    text = Text.of(code)
    changes = list[tuple[int, int, str]]()
    for match in islice(_TRY.finditer(text.plain), _MOST):
        if changes and match.start() < changes[-1][1]:
            continue
        gives = f"{match['name']} = " if match["name"] else "return "
        own = [(match.start("head"), match.end("head"), _head(match))]
        blocks = [text.block_of(match.end() - 1)]
        while handler := _HANDLER.match(text.plain, blocks[-1][1] + 1):
            blocks.append(text.block_of(handler.end() - 1))
            if handler["word"] != "finally":
                own.append(_given(text, blocks[-1], gives))
        whole = text.plain[match.start() : blocks[-1][1] + 1]
        if len(blocks) > 1 and len(whole) < _FARTHEST:
            end = blocks[-1][1] + 1
            own.append(_given(text, blocks[0], gives))
            own += [(end, end, " }")] if match["function"] else []
            changes += sorted(own)
    return spliced(code, changes)


def _head(match: re.Match[str]) -> str:
    lines = "\n" * match["head"].count("\n")
    if match["function"]:
        return f"{match['function']} {{{lines[match['function'].count(chr(10)) :]}"
    return f"var {match['name']};{lines}" if match["name"] else lines


def _given(text: Text, block: Block, gives: str) -> tuple[int, int, str]:
    """Where the last statement of a block begins, and what stands before it."""
    depth, begin = 0, block[0] + 1
    for at in range(block[0] + 1, min(block[1], block[0] + _FARTHEST)):
        char = text.plain[at]
        depth += (char in "([{") - (char in ")]}")
        is_end = depth == 0 and char in ";\n"
        if is_end and text.plain[at + 1 : block[1]].strip():
            begin = at + 1
    begin += len(text.plain[begin : block[1]]) - len(text.plain[begin : block[1]].lstrip())
    has_none = _LEAVES.match(text.plain, begin) or LOGGED.match(text.plain, begin)
    return begin, begin, "" if has_none else gives
