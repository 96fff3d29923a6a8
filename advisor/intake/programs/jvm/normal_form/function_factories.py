"""Methods that only make a function, as ones that are given what that is given, too.

With `Consumer<R> of(K k) { return r -> k.send(r); }`, `of(k).accept(r)` is `of(k, r)` of the method
`void of(K k, Object r) { k.send(r); }`. So is `of(k)(r)` of Kotlin and Scala, also with two lists
of parameters, `s.accept(r)` of `s = of(k)`, and `rs.forEach(of(k))`. Lines stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import AS_FUNCTION, Text, spliced

_MOST, _MOST_CALLS, _LONGEST_LINE, _LONGEST = 20, 40, 200, 3_000
_LAMBDA = r"(?P<own>\(\s*[^(){}]{0,120}\)|\w+)\s*(?:->|=>)\s*"
_OF_JAVA = re.compile(
    r"(?P<type>\b[A-Z]\w*(?:<[^;={}()]{1,160}>)?)\s+(?P<name>[a-z]\w*)\s*"
    rf"\((?P<given>[^(){{}}]{{0,300}})\)\s*\{{\s*return\s+(?:{_LAMBDA}|(?P<of>\w+)\s*::\s*(?P<verb>\w+)\s*;)"
)
_OF_KOTLIN = re.compile(
    r"\bfun\s+(?P<name>\w+)\s*\((?P<given>[^(){}]{0,300})\)\s*"
    r"(?::\s*\((?P<types>[^(){}]{0,120})\)\s*->\s*[\w<>?., ]{1,80})?(?:=\s*|\{\s*return\s+)"
    r"\{(?:\s*(?P<own>\w+(?:\s*:\s*[\w<>?., ]{1,60})?(?:\s*,\s*\w+)*)\s*->)?"
)
_OF_SCALA = re.compile(
    r"\bdef\s+(?P<name>\w+)\s*\((?P<given>[^(){}]{0,300})\)\s*"
    rf"(?::[^={{}}\n]{{1,80}}=>[^={{}}\n]{{1,80}})?=\s*(?P<opened>\{{\s*)?{_LAMBDA}(?!>)"
)
_CURRIED = re.compile(
    r"\bdef\s+(?P<name>\w+)\s*\((?P<given>[^(){}]{1,300})\)\s*"
    r"\((?P<own>(?!\s*implicit\b)[^(){}]{1,300})\)\s*(?::[^={}\n]{1,80})?=(?![=>])"
)
_OF_NOTHING = re.compile(
    r"(?:Bi|Int|Long)?Consumer\b|Runnable\b|\w*(?:Handler|Listener|Callback)\b"
)
_APPLIED = re.compile(rf"\s*(?:\.\s*{AS_FUNCTION}\s*)?\(|\s*\.\s*get\s*\(")
_EACH = re.compile(r"\.\s*for[Ee]ach\s*\(\s*$")
_NAMED = re.compile(
    r"(?<=[;{}\n])[ \t]*(?:(?:private|public|static|final|lazy)\s+)*"
    r"(?:va[lr]|[A-Z]\w*(?:<[^;={}()]{1,160}>)?)\s+(?P<name>\w+)\s*(?::[^=;{}\n]{1,160}(?:=>[^=;{}\n]{1,80})?)?=\s*$"
)

Change = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class _Made:
    """A method that makes a function: its name, its place, and what stands there."""

    name: str
    start: int
    end: int
    written: str


def without_function_factories(code: str) -> str:
    """The same program with such methods, and their calls, in this form."""
    text, changes = Text.of(code), list[Change]()
    is_scala, is_kotlin = (re.search(rf"\b{word}\s", code) for word in ("def", "fun"))
    find = _of_scala if is_scala else _of_kotlin if is_kotlin else _of_java
    head = "it => " if is_scala else "" if is_kotlin else "it -> "
    for made in islice(find(text, code), _MOST):
        calls = _calls(text, code, made, head)
        if calls:
            changes += [(made.start, made.end, made.written), *calls]
    return spliced(code, sorted(changes))


def _of_java(text: Text, code: str) -> Iterator[_Made]:
    for match in _OF_JAVA.finditer(text.plain):
        block = text.block(match.end() - 1)
        if block[1] - match.start() > _LONGEST:
            continue
        if match["verb"]:
            body, own = f"return {match['of']}.{match['verb']}(it);", "Object it"
            end = match.end()
        else:
            names = re.sub(r"[()]", "", match["own"]).split(",")
            own = ", ".join(f"Object {name.split()[-1]}" for name in names if name.strip())
            is_block = text.plain[match.end() : match.end() + 1] == "{"
            last = text.block_of(match.end())[1] if is_block else text.statement(match.end())[1]
            block = text.block(match.start("own"))
            body = (
                code[match.end() + 1 : last] if is_block else f"return {code[match.end() : last]};"
            )
            end = last + 1
        if text.plain[end : block[1]].strip("; \n"):
            continue
        kind = "Object"
        if _OF_NOTHING.match(match["type"]):
            kind, body = "void", re.sub(r"^return\s", "", body)
        given = ", ".join(filter(None, (code[slice(*match.span("given"))].strip(), own)))
        written = f"{kind} {match['name']}({given}) {{ {body}"
        lines = code.count("\n", match.start(), block[1]) - written.count("\n")
        yield _Made(match["name"], match.start(), block[1], written + "\n" * lines)


def _of_kotlin(text: Text, code: str) -> Iterator[_Made]:
    for match in _OF_KOTLIN.finditer(text.plain):
        opened = max(at for at in range(match.start(), match.end()) if text.plain[at] == "{")
        block = text.block_of(opened)
        outer = text.block(opened)
        is_block = "return" in match[0]
        types = [kind for kind in (match["types"] or "").split(",") if kind.strip()]
        own = match["own"] or ("it" if len(types) == 1 else "")
        names = [name if ":" in name else f"{name.strip()}: Any" for name in own.split(",") if name]
        given = ", ".join(filter(None, (code[slice(*match.span("given"))].strip(), *names)))
        written = f"fun {match['name']}({given}) {{{code[match.end() : block[1]]}}}"
        end = outer[1] + 1 if is_block else block[1] + 1
        lines = code.count("\n", match.start(), end) - written.count("\n")
        yield _Made(match["name"], match.start(), end, written + "\n" * max(0, lines))


def _of_scala(text: Text, code: str) -> Iterator[_Made]:
    for match in _CURRIED.finditer(text.plain):
        joined = f"{code[slice(*match.span('given'))]}, {code[slice(*match.span('own'))]}"
        rest = code[match.end("own") + 1 : match.end()]
        written = f"def {match['name']}({joined}){rest}"
        yield _Made(match["name"], match.start(), match.end(), written)
    for match in _OF_SCALA.finditer(text.plain):
        names = re.sub(r"[()]", "", match["own"]).split(",")
        own = (name if ":" in name else f"{name.strip()}: Any" for name in names if name.strip())
        given = ", ".join(filter(None, (code[slice(*match.span("given"))].strip(), *own)))
        begin, end = text.statement(match.end())
        if match["opened"]:
            begin, end = match.end(), text.block(match.end())[1]
        if not match["opened"] and text.plain[begin : begin + 1] == "{":
            begin, end = begin + 1, text.block_of(begin)[1]
        behind = end + (match["opened"] is not None or text.plain[end : end + 1] == "}")
        written = f"def {match['name']}({given}) = {{ {code[begin:end]} }}"
        lines = code.count("\n", match.start(), behind) - written.count("\n")
        yield _Made(match["name"], match.start(), behind, written + "\n" * max(0, lines))


def _calls(text: Text, code: str, made: _Made, head: str) -> list[Change]:
    """The calls of what a method makes, in the place of its calls; nothing where one is of another
    form."""
    changes, plain = list[Change](), text.plain
    calls = [
        match
        for match in islice(
            re.finditer(rf"(?<![\w.])(?:this\s*\.\s*)?{made.name}\s*\(", plain), _MOST_CALLS
        )
        if not made.start <= match.start() < made.end
    ]
    for match in calls:
        closed = text.closed(match.end())
        first = code[match.end() : closed - 1].strip()
        before = plain[max(0, match.start() - _LONGEST_LINE) : match.start()]
        if applied := _APPLIED.match(plain, closed):
            changes.append((match.start(), *_joined(text, code, made.name, first, applied.end())))
        elif each := _EACH.search(before):
            own = f"{made.name}({', '.join(filter(None, (first, 'it')))})"
            begin = match.start() - (len(before) - each.start())
            is_java = head.endswith("-> ")
            loop = f".forEach({head}{{ {own}; }})" if is_java else f".foreach {{ {head}{own} }}"
            loop = loop if head else f".forEach {{ {own} }}"
            changes.append((begin, closed + 1, loop))
        elif named := _NAMED.search(before):
            uses = _uses(text, code, made.name, first, (named["name"], closed, head))
            if not uses:
                return []
            begin = match.start() - (len(before) - named.start())
            end = closed + (plain[closed : closed + 1] == ";")
            changes += [(begin, end, "\n" * code.count("\n", begin, end)), *uses]
        else:
            return []
    return changes


def _joined(text: Text, code: str, name: str, first: str, opened: int) -> tuple[int, str]:
    """Where a call of what was made ends, and that call with both arguments."""
    end = text.closed(opened)
    second = code[opened : end - 1].strip()
    return end, f"{name}({', '.join(filter(None, (first, second)))})"


def _uses(text: Text, code: str, name: str, first: str, of: tuple[str, int, str]) -> list[Change]:
    """The calls of a function by the name that it has; nothing where one is of another form."""
    known, begin, head = of
    changes = list[Change]()
    for match in islice(re.finditer(rf"\b{known}\b", text.plain[begin:]), _MOST_CALLS):
        at, end = begin + match.start(), begin + match.end()
        before = text.plain[max(0, at - _LONGEST_LINE) : at]
        if applied := _APPLIED.match(text.plain, end):
            changes.append((at, *_joined(text, code, name, first, applied.end())))
        elif _EACH.search(before):
            own = f"{name}({', '.join(filter(None, (first, 'it')))})"
            changes.append((at, end, f"{head or 'it -> '}{own}"))
        else:
            return []
    return changes
