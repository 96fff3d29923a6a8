"""Specialization of JVM methods with a function parameter for the functions that calls pass.

With `void attempt(R x, Consumer<E> f) { try { save(x); } catch (E e) { f.accept(e); } }`,
`attempt(r, e -> log.error(e))` becomes `attempt_1(r)`, and the program gets a method `attempt_1`
whose handler is `log.error(e)`. The same applies to Kotlin and Scala, to `log::error` and `tell _`,
and to the default value of a parameter. Line numbers do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.normal_form.function_values import (
    Function,
    inline_call,
    parse_function,
)
from advisor.intake.programs.jvm.normal_form.method_inlining import join_lines
from advisor.intake.programs.jvm.surroundings import HANDLER_CLAUSE
from advisor.intake.programs.jvm.text import AS_FUNCTION, Block, Text, spliced

_ROUNDS, _MOST_METHODS, _MOST_CALLS, _MOST_VARIANTS = 2, 30, 30, 12
_LONGEST, _REACH = 3_000, 2_000
_JAVA_METHOD = re.compile(
    r"(?:(?<=[;{}\n])|\A)[ \t]*(?:(?:private|public|protected|static|final)\s+)*"
    r"(?:<[^<>;={}()]{1,80}>\s*)?"
    r"[A-Za-z]\w*(?:<[^;={}()]{1,160}>)?(?:\[\])?\s+(?P<name>[a-z]\w*)\s*\("
)
_METHOD = re.compile(
    r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?(?P<name>[a-z]\w*)\s*(?:\[[\w, ]{0,40}\]\s*)?\("
)
_JAVA_BODY = re.compile(r"\s*(?:throws\s[\w, .]+)?\s*(?=\{)")
_BODY = re.compile(r"\s*(?::\s*[\w<>\[\]?., ]{1,80}+)?(?P<value>=(?![=>])\s*)?")
_FUNCTION_TYPE = re.compile(
    r"(?:\w+\s*\.\s*)*(?:\w*(?:Consumer|Function|Supplier|Predicate|Operator|Handler|Callback|Callable|Runnable"
    r"|Action|Operation|Task))\b|Function\d\b"
)
_ARROW = re.compile(r"->|=>")
_INTERFACE = re.compile(r"\b(?:interface|trait)\s+(\w+)")
_COMBINATORS = (
    r"(?:andThen|compose|negate|and|or|not|equals|hashCode|toString|let|also|takeIf|run|curried|tupled"
    r"|lift|isDefinedAt|orElse|applyOrElse)\b"
)
"""Methods of a function that do not simply call it."""
_KEYWORDS = frozenset({
    "if", "else", "for", "while", "return", "throw", "new", "try", "catch", "null", "true", "false",
    "this", "val", "var", "def", "fun", "case", "match", "when", "switch", "it", "final", "in",
    "instanceof", "is", "continue", "break", "do", "finally", "super",
})  # fmt: skip
_APPLICATION = re.compile(rf"\s*(?:\??\.\s*(?:{AS_FUNCTION}\b|(?!{_COMBINATORS})\w+)\s*)?\(")
"""A call of a function: by the one method of its interface, whatever that is called."""
_VARIABLE = re.compile(r"(?<![\w.@])[a-z]\w*\b(?!\s*(?:\(|::|\{|=(?!=)|\+\+|\+=))")
_LOGGER = re.compile(r"(?i)_?log(?:ger)?")
_DEFINITION = re.compile(r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?$|\bnew\s+$")
_EQUALS_SIGN = re.compile(r"(?<![=!<>])=(?![=>])")
_DECLARATION = (
    r"(?:\b(?:va[lr]|final|[A-Z]\w*(?:<[^<>]*>)?)\s+|[(,{{]\s*){0}"
    r"\s*(?::(?!:)|=|\bin\b|<-|->|=>)"
)
_STATEMENT_START = re.compile(r"(?:[;{}\n)]|->|=>|\belse)\s*$")
_STATEMENT_END = re.compile(r"[ \t]*(?:[;\n}]|\Z)")


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    type: str
    default: str
    source: str
    is_function: bool

    @property
    def is_lazy(self) -> bool:
        """Whether it is a by-name parameter of Scala, which is evaluated at each use."""
        return self.type.startswith("=>")


@dataclass(frozen=True, slots=True)
class _Method:
    """A method, with the spans of its name, its parameters and its body."""

    name: str
    name_span: Block
    parameter_span: Block
    body: Block
    end: int
    start: int
    parameters: tuple[_Parameter, ...]


def without_function_parameters(code: str) -> str:
    """Returns the program with specialized methods and their calls."""
    for number in range(_ROUNDS):
        specialized = _specialize(code, number)
        if specialized == code:
            break
        code = specialized
    return code


def _specialize(code: str, number: int) -> str:
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    is_java = not re.search(r"\b(?:fun|def)\s", text.plain)
    for method in islice(_methods(text, code, is_java=is_java), _MOST_METHODS):
        variants, calls = dict[str, tuple[str, int]](), list[tuple[int, int, str]]()
        for call in islice(_calls(text, code, method), _MOST_CALLS):
            variant = _variant(text, code, method, call)
            if variant is None or len(variants) == _MOST_VARIANTS:
                continue
            name, first = variants.setdefault(
                variant.key, (f"{method.name}_{number}{len(variants)}", call.start)
            )
            if first == call.start:
                method_source = _specialized_method(
                    text, code, method, variant, name, is_java=is_java
                )
                if method_source is None:
                    variants.pop(variant.key)
                    continue
                calls.append((method.start, method.start, f"{method_source} "))
            arguments = ", ".join(variant.arguments)
            lines = "\n" * code.count("\n", call.start, call.end)
            calls.append((call.start, call.end, f"{name}({arguments}){lines}"))
        changes += calls
    return _with_changes(code, changes)


def _with_changes(code: str, changes: list[tuple[int, int, str]]) -> str:
    """Returns the program with these changes. Insertions at the same offset keep their order."""
    joined = dict[tuple[int, int], str]()
    for start, end, replacement in changes:
        joined[start, end] = joined.get((start, end), "") + replacement
    return spliced(code, sorted((*span, replacement) for span, replacement in joined.items()))


def _methods(text: Text, code: str, *, is_java: bool) -> Iterator[_Method]:
    """Yields the methods of a program that have a function parameter."""
    plain = text.plain
    matches = [*islice((_JAVA_METHOD if is_java else _METHOD).finditer(plain), 10 * _MOST_METHODS)]
    names = [match["name"] for match in matches]
    interfaces = {match[1] for match in _INTERFACE.finditer(plain)}
    for match in matches:
        begin, end = match.end(), text.closed(match.end())
        lists = [(begin, end - 1)]
        while not is_java and plain[end : end + 1] == "(":
            lists.append((end + 1, text.closed(end + 1) - 1))
            end = lists[-1][1] + 1
        head = (_JAVA_BODY if is_java else _BODY).match(plain, end)
        if head is None or names.count(match["name"]) > 1 or end == begin:
            continue
        at = head.end()
        if plain[at : at + 1] == "{":
            body = text.block_of(at)
            body_end = body[1] + 1
        elif is_java or not head["value"]:
            continue
        else:
            body_end = text.statement(at)[1]
            while clause := HANDLER_CLAUSE.match(plain, body_end):
                body_end = text.statement(clause.end())[1]
            body = (at - 1, body_end)
        parameters = tuple(
            _parameter(source, interfaces, is_java=is_java) for span in lists
            for source in _split(code, plain, *span)
        )  # fmt: skip
        if any(parameter.is_function for parameter in parameters) and body_end - at < _LONGEST:
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            yield _Method(match["name"], match.span("name"), (begin, end - 1), body, body_end,
                          start, parameters)  # fmt: skip


def _split(code: str, plain: str, begin: int, end: int) -> list[str]:
    """Returns the expressions between commas, outside of brackets."""
    depth, at, parts = 0, begin, list[str]()
    for position in range(begin, end):
        char = plain[position]
        is_arrow = char == ">" and plain[position - 1] in "-="
        depth += (char in "([{<") - (char in ")]}" or (char == ">" and not is_arrow))
        if depth == 0 and char == ",":
            parts.append(code[at:position].strip())
            at = position + 1
    return [part for part in [*parts, code[at:end].strip()] if part]


def _parameter(source: str, interfaces: Set[str], *, is_java: bool) -> _Parameter:
    """Reads a parameter. A type that the file declares as an interface may be a function's."""
    default = ""
    if is_java:
        type_, _, name = source.rpartition(" ")
        type_ = type_.removeprefix("final ").strip()
    else:
        names, _, type_ = source.partition(":")
        type_, *defaults = _EQUALS_SIGN.split(type_, maxsplit=1)
        name = names.split()[-1] if names.split() else ""
        type_, default = type_.strip().removeprefix("suspend "), "".join(defaults).strip()
    class_name = re.split(r"[<\[?]", type_.rpartition(".")[2])[0]
    is_function = bool(
        _FUNCTION_TYPE.match(type_) or _ARROW.search(type_) or class_name in interfaces
    )
    return _Parameter(name.strip(), type_, default, source, is_function)


@dataclass(frozen=True, slots=True)
class _Call:
    start: int
    end: int
    arguments: dict[str, str]


def _calls(text: Text, code: str, method: _Method) -> Iterator[_Call]:
    """Yields the calls of a method, with their arguments by parameter name."""
    plain = text.plain
    calls = re.compile(rf"(?<![\w.@:])(?:this\s*\.\s*)?{method.name}\s*(?P<opened>[({{])")
    for match in calls.finditer(plain):
        before = plain[max(0, match.start() - 80) : match.start()]
        if method.start <= match.start() < method.end or _DEFINITION.search(before):
            continue
        arguments, end = list[str](), match.end() - 1
        while plain[end : end + 1] == "(" and len(arguments) <= len(method.parameters):
            closed = text.closed(end + 1)
            arguments += _split(code, plain, end + 1, closed - 1)
            end = closed
        block_start = re.compile(r"[ \t]*(?=\{)").match(plain, end)
        if block_start and len(arguments) < len(method.parameters):
            stop = text.block_of(block_start.end())[1] + 1
            arguments.append(code[block_start.end() : stop])
            end = stop
            trailing = True
        else:
            trailing = False
        by_name = _arguments_by_name(method, arguments, trailing=trailing)
        if by_name is not None:
            yield _Call(match.start(), end, by_name)


def _arguments_by_name(
    method: _Method, arguments: list[str], *, trailing: bool
) -> dict[str, str] | None:
    """Returns the arguments by parameter name, or None if the call is not supported."""
    names = [parameter.name for parameter in method.parameters]
    by_name, position = dict[str, str](), 0
    for number, argument in enumerate(arguments):
        keyword = re.match(r"(\w+)\s*=(?![=>])\s*", argument)
        if trailing and number == len(arguments) - 1:
            free_names = [name for name in names if name not in by_name]
            by_name[free_names[-1] if free_names else ""] = argument
        elif keyword and keyword[1] in names:
            by_name[keyword[1]] = argument[keyword.end() :]
        elif position < len(names):
            by_name[names[position]] = argument
            position += 1
        else:
            return None
    for parameter in method.parameters:
        if parameter.name not in by_name and parameter.default:
            by_name[parameter.name] = parameter.default
    return by_name if {*by_name} == {*names} else None


@dataclass(frozen=True, slots=True)
class _Variant:
    """A specialization of a method: functions, their free variables, and the other arguments."""

    functions: dict[str, Function]
    free: list[str]
    arguments: list[str]

    @property
    def key(self) -> str:
        parts = [f"{name}:{function}" for name, function in sorted(self.functions.items())]
        return "|".join([*parts, *self.free])


def _variant(text: Text, code: str, method: _Method, call: _Call) -> _Variant | None:
    functions, arguments = dict[str, Function](), list[str]()
    for parameter in method.parameters:
        argument = call.arguments[parameter.name]
        function = None
        if parameter.is_function:
            function = parse_function(argument, text, is_lazy=parameter.is_lazy)
        if function:
            functions[parameter.name] = function
        else:
            arguments.append(argument)
    if not functions:
        return None
    before = text.plain[max(0, call.start - _REACH) : call.start]
    free_names = list[str]()
    for function in functions.values():
        for name in _VARIABLE.findall(function.body):
            is_bound = (
                name in _KEYWORDS
                or name in function.names
                or name in free_names
                or name in arguments
            )
            if is_bound or _LOGGER.fullmatch(name):
                continue
            if re.search(_DECLARATION.format(name), before):
                free_names.append(name)
    return _Variant(functions, free_names, [*arguments, *free_names])


def _specialized_method(
    text: Text, code: str, method: _Method, variant: _Variant, name: str, *, is_java: bool
) -> str | None:
    """Returns the method with these functions in place, in one line. None if not supported."""
    changes = list[tuple[int, int, str]]()
    begin, end = method.body[0], method.end
    for parameter_name, function in variant.functions.items():
        lazy = next(
            parameter for parameter in method.parameters if parameter.name == parameter_name
        ).is_lazy
        for use in re.compile(rf"(?<![\w.]){parameter_name}\b(?!\s*=(?!=))").finditer(
            text.plain, begin + 1, end
        ):
            change = _replaced_use(text, code, use, function, is_lazy=lazy)
            if change is None:
                return None
            changes.append(change)
    body = spliced(
        code[begin:end],
        [
            (start - begin, stop - begin, specialized)
            for start, stop, specialized in sorted(changes)
        ],
    )
    sources = [
        parameter.source
        for parameter in method.parameters
        if parameter.name not in variant.functions
    ]
    word = "Object {}" if is_java else "{}: Any"
    parameters = ", ".join([*sources, *(word.format(free_name) for free_name in variant.free)])
    head = code[method.start : method.name_span[0]] + f"{name}({parameters})"
    between = code[method.parameter_span[1] + 1 : begin]
    if not is_java:
        between = re.sub(r"^(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\))+", "", between)
    specialized = f"{head}{between}{body}"
    return (
        " ".join(specialized.split("\n")) if is_java else join_lines(specialized).rstrip("; ") + ";"
    )


def _replaced_use(
    text: Text, code: str, use: re.Match[str], function: Function, *, is_lazy: bool
) -> tuple[int, int, str] | None:
    """Returns the change that replaces a use of a function, or None if it is not supported."""
    plain = text.plain
    application = _APPLICATION.match(plain, use.end())
    start, end, arguments = use.start(), use.end(), list[str]()
    if application:
        end = text.closed(application.end())
        arguments = _split(code, plain, application.end(), end - 1)
    elif not is_lazy:
        before = plain[max(0, start - 40) : start].rstrip()
        return (start, end, function.source) if before.endswith(("(", ",")) else None
    is_statement = bool(
        _STATEMENT_START.search(plain, max(0, start - 40), start)
        and _STATEMENT_END.match(plain, end)
    )
    inlined = inline_call(function, arguments, is_statement=is_statement)
    return None if inlined is None else (start, end, inlined)
