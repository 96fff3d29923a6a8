"""Methods that only return a function, merged with that function.

With `Consumer<R> of(K k) { return r -> k.send(r); }`, `of(k).accept(r)` becomes `of(k, r)`, and the
method becomes `void of(K k, Object r) { k.send(r); }`. The same applies to `of(k)(r)` in Kotlin and
Scala, also with two parameter lists, to `s.accept(r)` with `s = of(k)`, and to `rs.forEach(of(k))`.
Line numbers do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import AS_FUNCTION, Text, spliced

_MOST_FACTORIES, _MOST_CALLS, _LONGEST_LINE, _LONGEST_FACTORY = 20, 40, 200, 3_000
_LAMBDA = r"(?P<inner>\(\s*[^(){}]{0,120}\)|\w+)\s*(?:->|=>)\s*"
_JAVA_FACTORY = re.compile(
    r"(?P<type>\b[A-Z]\w*(?:<[^;={}()]{1,160}>)?)\s+(?P<name>[a-z]\w*)\s*"
    rf"\((?P<parameters>[^(){{}}]{{0,300}})\)\s*\{{\s*return\s+(?:{_LAMBDA}|(?P<receiver>\w+)\s*::\s*(?P<method>\w+)\s*;)"
)
_KOTLIN_FACTORY = re.compile(
    r"\bfun\s+(?P<name>\w+)\s*\((?P<parameters>[^(){}]{0,300})\)\s*"
    r"(?::\s*\((?P<types>[^(){}]{0,120})\)\s*->\s*[\w<>?., ]{1,80})?(?:=\s*|\{\s*return\s+)"
    r"\{(?:\s*(?P<inner>\w+(?:\s*:\s*[\w<>?., ]{1,60})?(?:\s*,\s*\w+)*)\s*->)?"
)
_SCALA_FACTORY = re.compile(
    r"\bdef\s+(?P<name>\w+)\s*\((?P<parameters>[^(){}]{0,300})\)\s*"
    rf"(?::[^={{}}\n]{{1,80}}=>[^={{}}\n]{{1,80}})?=\s*(?P<brace>\{{\s*)?{_LAMBDA}(?!>)"
)
_CURRIED = re.compile(
    r"\bdef\s+(?P<name>\w+)\s*\((?P<parameters>[^(){}]{1,300})\)\s*"
    r"\((?P<inner>(?!\s*implicit\b)[^(){}]{1,300})\)\s*(?::[^={}\n]{1,80})?=(?![=>])"
)
_VOID_FUNCTION = re.compile(
    r"(?:Bi|Int|Long)?Consumer\b|Runnable\b|\w*(?:Handler|Listener|Callback)\b"
)
_APPLICATION = re.compile(rf"\s*(?:\.\s*{AS_FUNCTION}\s*)?\(|\s*\.\s*get\s*\(")
_FOR_EACH = re.compile(r"\.\s*for[Ee]ach\s*\(\s*$")
_VARIABLE = re.compile(
    r"(?<=[;{}\n])[ \t]*(?:(?:private|public|static|final|lazy)\s+)*"
    r"(?:va[lr]|[A-Z]\w*(?:<[^;={}()]{1,160}>)?)\s+(?P<name>\w+)\s*(?::[^=;{}\n]{1,160}(?:=>[^=;{}\n]{1,80})?)?=\s*$"
)

Change = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class _Factory:
    """A method that returns a function: its name, its span and the source that replaces it."""

    name: str
    start: int
    end: int
    replacement: str


def without_function_factories(code: str) -> str:
    """Returns the program with such methods and their calls merged."""
    text, changes = Text.of(code), list[Change]()
    is_scala, is_kotlin = (re.search(rf"\b{word}\s", code) for word in ("def", "fun"))
    factories = (
        _scala_factories if is_scala else _kotlin_factories if is_kotlin else _java_factories
    )
    head = "it => " if is_scala else "" if is_kotlin else "it -> "
    for factory in islice(factories(text, code), _MOST_FACTORIES):
        calls = _merged_calls(text, code, factory, head)
        if calls:
            changes += [(factory.start, factory.end, factory.replacement), *calls]
    return spliced(code, sorted(changes))


def _java_factories(text: Text, code: str) -> Iterator[_Factory]:
    for match in _JAVA_FACTORY.finditer(text.plain):
        block = text.block(match.end() - 1)
        if block[1] - match.start() > _LONGEST_FACTORY:
            continue
        if match["method"]:
            body, inner = f"return {match['receiver']}.{match['method']}(it);", "Object it"
            end = match.end()
        else:
            names = re.sub(r"[()]", "", match["inner"]).split(",")
            inner = ", ".join(f"Object {name.split()[-1]}" for name in names if name.strip())
            is_block = text.plain[match.end() : match.end() + 1] == "{"
            last = text.block_of(match.end())[1] if is_block else text.statement(match.end())[1]
            block = text.block(match.start("inner"))
            body = (
                code[match.end() + 1 : last] if is_block else f"return {code[match.end() : last]};"
            )
            end = last + 1
        if text.plain[end : block[1]].strip("; \n"):
            continue
        result = "Object"
        if _VOID_FUNCTION.match(match["type"]):
            result, body = "void", re.sub(r"^return\s", "", body)
        parameters = ", ".join(
            filter(None, (code[slice(*match.span("parameters"))].strip(), inner))
        )
        replacement = f"{result} {match['name']}({parameters}) {{ {body}"
        lines = code.count("\n", match.start(), block[1]) - replacement.count("\n")
        yield _Factory(match["name"], match.start(), block[1], replacement + "\n" * lines)


def _kotlin_factories(text: Text, code: str) -> Iterator[_Factory]:
    for match in _KOTLIN_FACTORY.finditer(text.plain):
        brace = max(at for at in range(match.start(), match.end()) if text.plain[at] == "{")
        block = text.block_of(brace)
        outer = text.block(brace)
        has_return = "return" in match[0]
        types = [kind for kind in (match["types"] or "").split(",") if kind.strip()]
        inner = match["inner"] or ("it" if len(types) == 1 else "")
        inner_parameters = [
            name if ":" in name else f"{name.strip()}: Any" for name in inner.split(",") if name
        ]
        parameters = ", ".join(
            filter(None, (code[slice(*match.span("parameters"))].strip(), *inner_parameters))
        )
        replacement = f"fun {match['name']}({parameters}) {{{code[match.end() : block[1]]}}}"
        end = outer[1] + 1 if has_return else block[1] + 1
        lines = code.count("\n", match.start(), end) - replacement.count("\n")
        yield _Factory(match["name"], match.start(), end, replacement + "\n" * max(0, lines))


def _scala_factories(text: Text, code: str) -> Iterator[_Factory]:
    for match in _CURRIED.finditer(text.plain):
        parameters = (
            f"{code[slice(*match.span('parameters'))]}, {code[slice(*match.span('inner'))]}"
        )
        rest = code[match.end("inner") + 1 : match.end()]
        replacement = f"def {match['name']}({parameters}){rest}"
        yield _Factory(match["name"], match.start(), match.end(), replacement)
    for match in _SCALA_FACTORY.finditer(text.plain):
        names = re.sub(r"[()]", "", match["inner"]).split(",")
        inner = (name if ":" in name else f"{name.strip()}: Any" for name in names if name.strip())
        parameters = ", ".join(
            filter(None, (code[slice(*match.span("parameters"))].strip(), *inner))
        )
        begin, end = text.statement(match.end())
        if match["brace"]:
            begin, end = match.end(), text.block(match.end())[1]
        if not match["brace"] and text.plain[begin : begin + 1] == "{":
            begin, end = begin + 1, text.block_of(begin)[1]
        after = end + (match["brace"] is not None or text.plain[end : end + 1] == "}")
        replacement = f"def {match['name']}({parameters}) = {{ {code[begin:end]} }}"
        lines = code.count("\n", match.start(), after) - replacement.count("\n")
        yield _Factory(match["name"], match.start(), after, replacement + "\n" * max(0, lines))


def _merged_calls(text: Text, code: str, factory: _Factory, head: str) -> list[Change]:
    """Returns the changes that pass all arguments to the method itself. Empty if one of its calls
    is not supported."""
    changes, plain = list[Change](), text.plain
    calls = [
        match
        for match in islice(
            re.finditer(rf"(?<![\w.])(?:this\s*\.\s*)?{factory.name}\s*\(", plain), _MOST_CALLS
        )
        if not factory.start <= match.start() < factory.end
    ]
    for match in calls:
        closed = text.closed(match.end())
        first = code[match.end() : closed - 1].strip()
        before = plain[max(0, match.start() - _LONGEST_LINE) : match.start()]
        if applied := _APPLICATION.match(plain, closed):
            changes.append(
                (match.start(), *_merged_call(text, code, factory.name, first, applied.end()))
            )
        elif for_each := _FOR_EACH.search(before):
            call = f"{factory.name}({', '.join(filter(None, (first, 'it')))})"
            begin = match.start() - (len(before) - for_each.start())
            is_java = head.endswith("-> ")
            loop = f".forEach({head}{{ {call}; }})" if is_java else f".foreach {{ {head}{call} }}"
            loop = loop if head else f".forEach {{ {call} }}"
            changes.append((begin, closed + 1, loop))
        elif variable := _VARIABLE.search(before):
            uses = _variable_calls(
                text, code, factory.name, first, (variable["name"], closed, head)
            )
            if not uses:
                return []
            begin = match.start() - (len(before) - variable.start())
            end = closed + (plain[closed : closed + 1] == ";")
            changes += [(begin, end, "\n" * code.count("\n", begin, end)), *uses]
        else:
            return []
    return changes


def _merged_call(text: Text, code: str, name: str, first: str, at: int) -> tuple[int, str]:
    """Returns the end of a call of the returned function, and the call with all arguments."""
    end = text.closed(at)
    second = code[at : end - 1].strip()
    return end, f"{name}({', '.join(filter(None, (first, second)))})"


def _variable_calls(
    text: Text, code: str, name: str, first: str, variable: tuple[str, int, str]
) -> list[Change]:
    """Returns the changes for the calls of a variable that holds the function: its name, where its
    declaration ends, and the head of a lambda. Empty if a use of it is not supported."""
    variable_name, begin, head = variable
    changes = list[Change]()
    for match in islice(re.finditer(rf"\b{variable_name}\b", text.plain[begin:]), _MOST_CALLS):
        at, end = begin + match.start(), begin + match.end()
        before = text.plain[max(0, at - _LONGEST_LINE) : at]
        if applied := _APPLICATION.match(text.plain, end):
            changes.append((at, *_merged_call(text, code, name, first, applied.end())))
        elif _FOR_EACH.search(before):
            call = f"{name}({', '.join(filter(None, (first, 'it')))})"
            changes.append((at, end, f"{head or 'it -> '}{call}"))
        else:
            return []
    return changes
