"""Methods of JVM code that are given a function, as ones that do what that does.

With `void attempt(R x, Consumer<E> f) { try { save(x); } catch (E e) { f.accept(e); } }`, of
`attempt(r, e -> log.error(e))` is made `attempt_1(r)`, and a method `attempt_1` whose handler is
`log.error(e)`. So it is in Kotlin and Scala, and with `log::error`, `tell _` or a function that a
parameter has if it is given none. Lines stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.normal_form.function_values import Function, function_of, in_place
from advisor.intake.programs.jvm.normal_form.method_inlining import in_one_line
from advisor.intake.programs.jvm.text import AS_FUNCTION, Block, Text, spliced

_ROUNDS, _MOST, _MOST_CALLS, _MOST_MADE, _LONGEST, _REACH = 2, 30, 30, 12, 3_000, 2_000
_OF_JAVA = re.compile(
    r"(?:(?<=[;{}\n])|\A)[ \t]*(?:(?:private|public|protected|static|final)\s+)*"
    r"(?:<[^<>;={}()]{1,80}>\s*)?"
    r"[A-Za-z]\w*(?:<[^;={}()]{1,160}>)?(?:\[\])?\s+(?P<name>[a-z]\w*)\s*\("
)
_OF_OTHERS = re.compile(
    r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?(?P<name>[a-z]\w*)\s*(?:\[[\w, ]{0,40}\]\s*)?\("
)
_BODY_OF_JAVA = re.compile(r"\s*(?:throws\s[\w, .]+)?\s*(?=\{)")
_BODY = re.compile(r"\s*(?::\s*[\w<>\[\]?., ]{1,80}+)?(?P<value>=(?![=>])\s*)?")
_IS_FUNCTION = re.compile(
    r"(?:\w+\s*\.\s*)*(?:\w*(?:Consumer|Function|Supplier|Predicate|Operator|Handler|Callback|Callable|Runnable"
    r"|Action|Operation|Task))\b|Function\d\b"
)
_ARROW = re.compile(r"->|=>")
_KEYWORDS = frozenset({
    "if", "else", "for", "while", "return", "throw", "new", "try", "catch", "null", "true", "false",
    "this", "val", "var", "def", "fun", "case", "match", "when", "switch", "it", "final", "in",
    "instanceof", "is", "continue", "break", "do", "finally", "super",
})  # fmt: skip
_NAMES = re.compile(r"(?<![\w.@])[a-z]\w*\b(?!\s*(?:\(|::|\{|=(?!=)|\+\+|\+=))")
_LOGS = re.compile(r"(?i)_?log(?:ger)?")
_DEFINES = re.compile(r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?$|\bnew\s+$")
_GOES_ON = re.compile(r"\s*(?:catch|finally)\b")
_IS_GIVEN = re.compile(r"(?<![=!<>])=(?![=>])")
_DECLARES = (
    r"(?:\b(?:va[lr]|final|[A-Z]\w*(?:<[^<>]*>)?)\s+|[(,{{]\s*){0}"
    r"\s*(?::(?!:)|=|\bin\b|<-|->|=>)"
)
_STATEMENT = re.compile(r"(?:[;{}\n)]|->|=>|\belse)\s*$")
_STATEMENT_ENDS = re.compile(r"[ \t]*(?:[;\n}]|\Z)")


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    kind: str
    default: str
    written: str

    @property
    def is_function(self) -> bool:
        return bool(_IS_FUNCTION.match(self.kind) or _ARROW.search(self.kind))

    @property
    def is_lazy(self) -> bool:
        """Whether it is one of Scala that is done where its name stands."""
        return self.kind.startswith("=>")


@dataclass(frozen=True, slots=True)
class _Method:
    """A method, where its name, its parameters and its body stand."""

    name: str
    named: Block
    given: Block
    body: Block
    end: int
    start: int
    parameters: tuple[_Parameter, ...]


def without_function_parameters(code: str) -> str:
    """The same program with these in place."""
    for number in range(_ROUNDS):
        made = _once(code, number)
        if made == code:
            break
        code = made
    return code


def _once(code: str, number: int) -> str:
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    is_java = not re.search(r"\b(?:fun|def)\s", text.plain)
    for method in islice(_methods(text, code, is_java=is_java), _MOST):
        variants, calls = dict[str, tuple[str, int]](), list[tuple[int, int, str]]()
        for call in islice(_calls(text, code, method), _MOST_CALLS):
            written = _variant(text, code, method, call)
            if written is None or len(variants) == _MOST_MADE:
                continue
            name, first = variants.setdefault(
                written.key, (f"{method.name}_{number}{len(variants)}", call.start)
            )
            if first == call.start:
                made = _made(text, code, method, written, name, is_java=is_java)
                if made is None:
                    variants.pop(written.key)
                    continue
                calls.append((method.start, method.start, f"{made} "))
            arguments = ", ".join(written.arguments)
            lines = "\n" * code.count("\n", call.start, call.end)
            calls.append((call.start, call.end, f"{name}({arguments}){lines}"))
        changes += calls
    return _applied(code, changes)


def _applied(code: str, changes: list[tuple[int, int, str]]) -> str:
    """The text with these changes; all that is put at one place, in its order."""
    joined = dict[tuple[int, int], str]()
    for start, end, made in changes:
        joined[start, end] = joined.get((start, end), "") + made
    return spliced(code, sorted((*span, made) for span, made in joined.items()))


def _methods(text: Text, code: str, *, is_java: bool) -> Iterator[_Method]:
    """The methods of a program that have a parameter for a function."""
    plain = text.plain
    found = [*islice((_OF_JAVA if is_java else _OF_OTHERS).finditer(plain), 10 * _MOST)]
    names = [match["name"] for match in found]
    for match in found:
        begin, end = match.end(), text.closed(match.end())
        lists = [(begin, end - 1)]
        while not is_java and plain[end : end + 1] == "(":
            lists.append((end + 1, text.closed(end + 1) - 1))
            end = lists[-1][1] + 1
        behind = (_BODY_OF_JAVA if is_java else _BODY).match(plain, end)
        if behind is None or names.count(match["name"]) > 1 or end == begin:
            continue
        at = behind.end()
        if plain[at : at + 1] == "{":
            body = text.block_of(at)
            whole = body[1] + 1
        elif is_java or not behind["value"]:
            continue
        else:
            whole = text.statement(at)[1]
            while more := _GOES_ON.match(plain, whole):
                whole = text.statement(more.end())[1]
            body = (at - 1, whole)
        parameters = tuple(
            _parameter(written, is_java=is_java) for span in lists
            for written in _parts(code, plain, *span)
        )  # fmt: skip
        if any(one.is_function for one in parameters) and whole - at < _LONGEST:
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            yield _Method(match["name"], match.span("name"), (begin, end - 1), body, whole, start,
                          parameters)  # fmt: skip


def _parts(code: str, plain: str, begin: int, end: int) -> list[str]:
    """What stands between commas, outside of brackets."""
    depth, at, found = 0, begin, list[str]()
    for here in range(begin, end):
        char = plain[here]
        is_arrow = char == ">" and plain[here - 1] in "-="
        depth += (char in "([{<") - (char in ")]}" or (char == ">" and not is_arrow))
        if depth == 0 and char == ",":
            found.append(code[at:here].strip())
            at = here + 1
    return [part for part in [*found, code[at:end].strip()] if part]


def _parameter(written: str, *, is_java: bool) -> _Parameter:
    if is_java:
        kind, _, name = written.rpartition(" ")
        return _Parameter(name.strip(), kind.removeprefix("final ").strip(), "", written)
    own, _, kind = written.partition(":")
    kind, *default = _IS_GIVEN.split(kind, maxsplit=1)
    name = own.split()[-1] if own.split() else ""
    kind = kind.strip().removeprefix("suspend ")
    return _Parameter(name, kind, "".join(default).strip(), written)


@dataclass(frozen=True, slots=True)
class _Call:
    start: int
    end: int
    given: dict[str, str]


def _calls(text: Text, code: str, method: _Method) -> Iterator[_Call]:
    """The calls of a method, with what each gives its parameters."""
    plain = text.plain
    calls = re.compile(rf"(?<![\w.@:])(?:this\s*\.\s*)?{method.name}\s*(?P<opened>[({{])")
    for match in calls.finditer(plain):
        before = plain[max(0, match.start() - 80) : match.start()]
        if method.start <= match.start() < method.end or _DEFINES.search(before):
            continue
        given, end = list[str](), match.end() - 1
        while plain[end : end + 1] == "(" and len(given) <= len(method.parameters):
            closed = text.closed(end + 1)
            given += _parts(code, plain, end + 1, closed - 1)
            end = closed
        last = re.compile(r"[ \t]*(?=\{)").match(plain, end)
        if last and len(given) < len(method.parameters):
            stop = text.block_of(last.end())[1] + 1
            given.append(code[last.end() : stop])
            end = stop
            trailing = True
        else:
            trailing = False
        pairs = _pairs(method, given, trailing=trailing)
        if pairs is not None:
            yield _Call(match.start(), end, pairs)


def _pairs(method: _Method, given: list[str], *, trailing: bool) -> dict[str, str] | None:
    """What each parameter is given; None for a call of another form."""
    names = [one.name for one in method.parameters]
    pairs, place = dict[str, str](), 0
    for number, written in enumerate(given):
        stated = re.match(r"(\w+)\s*=(?![=>])\s*", written)
        if trailing and number == len(given) - 1:
            free = [name for name in names if name not in pairs]
            pairs[free[-1] if free else ""] = written
        elif stated and stated[1] in names:
            pairs[stated[1]] = written[stated.end() :]
        elif place < len(names):
            pairs[names[place]] = written
            place += 1
        else:
            return None
    for one in method.parameters:
        if one.name not in pairs and one.default:
            pairs[one.name] = one.default
    return pairs if {*pairs} == {*names} else None


@dataclass(frozen=True, slots=True)
class _Variant:
    """What a call makes of a method: the functions of its parameters, and the other arguments."""

    functions: dict[str, Function]
    free: list[str]
    arguments: list[str]

    @property
    def key(self) -> str:
        parts = [f"{name}:{given}" for name, given in sorted(self.functions.items())]
        return "|".join([*parts, *self.free])


def _variant(text: Text, code: str, method: _Method, call: _Call) -> _Variant | None:
    functions, arguments = dict[str, Function](), list[str]()
    for one in method.parameters:
        given = call.given[one.name]
        function = None
        if one.is_function:
            function = function_of(given, text, is_lazy=one.is_lazy)
        if function:
            functions[one.name] = function
        else:
            arguments.append(given)
    if not functions:
        return None
    before = text.plain[max(0, call.start - _REACH) : call.start]
    free = list[str]()
    for function in functions.values():
        for name in _NAMES.findall(function.body):
            known = name in _KEYWORDS or name in function.names or name in free or name in arguments
            if known or _LOGS.fullmatch(name):
                continue
            if re.search(_DECLARES.format(name), before):
                free.append(name)
    return _Variant(functions, free, [*arguments, *free])


def _made(
    text: Text, code: str, method: _Method, variant: _Variant, name: str, *, is_java: bool
) -> str | None:
    """The method with these functions in the place of its parameters, in one line."""
    changes = list[tuple[int, int, str]]()
    begin, end = method.body[0], method.end
    for parameter, function in variant.functions.items():
        lazy = next(one for one in method.parameters if one.name == parameter).is_lazy
        for use in re.compile(rf"(?<![\w.]){parameter}\b(?!\s*=(?!=))").finditer(
            text.plain, begin + 1, end
        ):
            change = _used(text, code, use, function, is_lazy=lazy)
            if change is None:
                return None
            changes.append(change)
    body = spliced(
        code[begin:end], [(a - begin, b - begin, made) for a, b, made in sorted(changes)]
    )
    rest = [one.written for one in method.parameters if one.name not in variant.functions]
    word = "Object {}" if is_java else "{}: Any"
    parameters = ", ".join([*rest, *(word.format(own) for own in variant.free)])
    head = code[method.start : method.named[0]] + f"{name}({parameters})"
    between = code[method.given[1] + 1 : begin]
    if not is_java:
        between = re.sub(r"^(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\))+", "", between)
    made = f"{head}{between}{body}"
    return " ".join(made.split("\n")) if is_java else in_one_line(made).rstrip("; ") + ";"


def _used(
    text: Text, code: str, use: re.Match[str], function: Function, *, is_lazy: bool
) -> tuple[int, int, str] | None:
    """What stands in the place of one use of a function; None where that is not known."""
    plain = text.plain
    applied = re.compile(rf"\s*(?:\??\.\s*(?:{AS_FUNCTION}|get|execute)\s*)?\(").match(
        plain, use.end()
    )
    start, end, given = use.start(), use.end(), list[str]()
    if applied:
        end = text.closed(applied.end())
        given = _parts(code, plain, applied.end(), end - 1)
    elif not is_lazy:
        before = plain[max(0, start - 40) : start].rstrip()
        return (start, end, function.written) if before.endswith(("(", ",")) else None
    is_statement = bool(
        _STATEMENT.search(plain, max(0, start - 40), start) and _STATEMENT_ENDS.match(plain, end)
    )
    made = in_place(function, given, is_statement=is_statement)
    return None if made is None else (start, end, made)
