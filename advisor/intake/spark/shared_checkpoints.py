"""Checkpoints that several Spark queries of a program share: it starts the queries in a loop, or in
a function that it calls more than once, and the location stays the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.python import syntax
from advisor.intake.text import line_of

_OPTION, _MAX_PLACES = "checkpointlocation", 30
_REACH, _MAX_ENCLOSING = 4_000, 6
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_NAME = re.compile(r"[A-Za-z_]\w*")
_PLACE = re.compile(
    r"\.option\(\s*\"checkpointLocation\"\s*,(?P<place>[^\n]{1,300})", re.IGNORECASE
)
_FOREACH_CALL = re.compile(
    r"\.\s*(?:foreach|forEach|map|flatMap)\s*(?:\(\s*)?(?P<names>\(?[\w, :]*\)?\s*(?:->|=>)\s*)?$"
)
_LAMBDA = re.compile(r"\{\s*(?:case\s*)?(?P<names>\(?[\w, :]*\)?)\s*(?:->|=>)")
_ASSIGNMENT = re.compile(r"\b(\w+)\s*(?::\s*[\w\[\]., ]+)?=(?![=>])([^\n;]*)")
_LOOP_VARIABLE = re.compile(r"\b(\w+)\s*(?::|\bin\b|<-|=)")
_FUNCTION_HEAD = re.compile(
    r"(?:\bdef\s+|\bfun\s+|[\w>\]]\s+)(\w+)\s*\((?P<parameters>[^(){}]*)\)[^(){};]*$"
)
_BEFORE_DEFINITION = re.compile(r"(?:\bdef|\bfun|[\w\]]|(?<![-=])>)[ \t]+$")
_BEFORE_METHOD = re.compile(r"[)\w\]}]\s*\.\s*$")
_PASSED_TO_FOREACH = re.compile(
    r"\b(?:foreach|forEach|map)\s*\(\s*(?:\(?[\w, ]*\)?\s*(?:->|=>)\s*|\w+\s*::\s*)?$"
)


def shared_lines(code: str) -> Iterator[int]:
    """The lines of checkpoints that more than one query uses."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _jvm_lines(code)
    return _python_lines(tree)


def _python_lines(tree: ast.Module) -> Iterator[int]:
    scopes = [(node, names) for node in ast.walk(tree) if (names := _changing_names(node))]
    per_item = {
        _called_function(call)
        for scope, names in scopes for call in syntax.calls(scope) if syntax.names_in(call) & names
    }  # fmt: skip
    calls: dict[str, set[str]] = {}
    for call in syntax.calls(tree):
        calls.setdefault(_called_function(call), set()).add(_arguments(call))
        if syntax.method_name(call) in ("map", "foreach") and call.args:
            per_item |= syntax.names_in(call.args[0])
    for node, names in scopes:
        yield from _unchanged_places(tree, node, names)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            is_repeated = len(calls.get(node.name, ())) > 1 or node.name in per_item
            names = {inner.arg for inner in ast.walk(node.args) if isinstance(inner, ast.arg)}
            yield from _unchanged_places(tree, node, names) if is_repeated else ()


def _called_function(call: ast.Call) -> str:
    """The name of the function that is called, or passed to a thread; empty for a method of another
    call's result."""
    for keyword in call.keywords:
        if keyword.arg == "target" and isinstance(keyword.value, ast.Name):
            return keyword.value.id
    if syntax.method_name(call) == "submit" and call.args and isinstance(call.args[0], ast.Name):
        return call.args[0].id
    is_chained = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
    return "" if is_chained else syntax.method_name(call)


def _arguments(call: ast.Call) -> str:
    values = ",".join(ast.unparse(value) for value in (*call.args, *call.keywords))
    return f"{ast.unparse(call.func)}({values})"


def _changing_names(node: ast.AST) -> set[str]:
    """The names that change from one iteration of a loop to the next, and are used in its body."""
    if isinstance(node, _COMPREHENSIONS):
        return {name for loop in node.generators for name in syntax.names_in(loop.target)}
    if isinstance(node, ast.For):
        names = syntax.names_in(node.target)
        return names if any(syntax.names_in(inner) & names for inner in node.body) else set()
    if isinstance(node, ast.While):
        assigned = {
            inner.id for statement in node.body for inner in ast.walk(statement)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        }  # fmt: skip
        names = syntax.names_in(node.test) & assigned
        body_calls = (call for statement in node.body for call in syntax.calls(statement))
        return names if any(syntax.names_in(call) & names for call in body_calls) else set()
    return set()


def _unchanged_places(tree: ast.Module, scope: ast.AST, changing: set[str]) -> Iterator[int]:
    """The lines of checkpoints in a loop or a function whose location does not depend on the names
    that change."""
    for _ in range(3):  # a value that is derived from a name that changes does so, too
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and (
                syntax.names_in(node.value) & changing or _may_change(node)
            ):
                changing = changing.union(*map(syntax.names_in, node.targets))
    for call in syntax.calls(scope):
        for place in _locations(tree, call):
            if not syntax.names_in(place) & changing:
                yield call.lineno


def _may_change(node: ast.Assign) -> bool:
    """Whether a value comes from a call that may return another one each time."""
    return any(
        not call.args or not all(isinstance(argument, ast.Constant) for argument in call.args)
        for call in syntax.calls(node.value)
        if syntax.method_name(call) not in ("start", "option", "load", "format")
    )


def _locations(tree: ast.Module, call: ast.Call) -> Iterator[ast.expr]:
    """The expressions that a call states as the location of a checkpoint."""
    first = call.args[0] if call.args else None
    is_location = isinstance(first, ast.Constant) and str(first.value).lower() == _OPTION
    if syntax.method_name(call) == "option" and is_location and len(call.args) == 2:
        yield call.args[1]
    if syntax.method_name(call) not in ("options", "start", "toTable"):
        return
    for keyword in call.keywords:
        if str(keyword.arg).lower() == _OPTION:
            yield keyword.value
        elif keyword.arg is None and isinstance(keyword.value, ast.Name):
            yield from _dict_locations(tree, keyword.value.id)


def _dict_locations(tree: ast.Module, name: str) -> Iterator[ast.expr]:
    """The location in the dict of this name, which is assigned once."""
    assigned = [
        node.value for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets)
    ]  # fmt: skip
    if len(assigned) == 1 and isinstance(assigned[0], ast.Dict):
        for key, value in zip(assigned[0].keys, assigned[0].values, strict=True):
            if isinstance(key, ast.Constant) and str(key.value).lower() == _OPTION:
                yield value


def _jvm_lines(code: str) -> Iterator[int]:
    """The lines of shared checkpoints in Scala, Java and Kotlin."""
    text = Text.of(code)
    for match in islice(_PLACE.finditer(code), _MAX_PLACES):
        used_names = set(_NAME.findall(match["place"].split(").", 1)[0]))
        for start, end, head in text.around(match.start())[-_MAX_ENCLOSING:]:
            end = min(end, start + _REACH)
            changing = _loop_variables(text, start)
            is_repeated = any(re.search(rf"\b{name}\b", code[start + 1 : end]) for name in changing)
            if not changing and (head_match := _FUNCTION_HEAD.search(head)):
                changing = set(_NAME.findall(head_match["parameters"]))
                is_repeated = _is_called_again(text, code, head_match[1])
            for name, value in _ASSIGNMENT.findall(code[start:end]) if is_repeated else ():
                changing |= (
                    {name} if changing & set(_NAME.findall(value)) or "(" in value else set()
                )
            if is_repeated and not used_names & changing:
                yield line_of(code, match.start())


def _loop_variables(text: Text, start: int) -> set[str]:
    """The loop variables of the loop with this block; empty if the block is not a loop's."""
    plain = text.plain
    before = plain[max(0, start - _REACH) : start].rstrip().removesuffix("yield").rstrip()
    if before.endswith((")", "}")):
        opened = text.opened(plain.rindex(before[-1], 0, start))
        if re.search(r"\bfor\s*$", plain[max(0, opened - 10) : opened]):
            return set(_LOOP_VARIABLE.findall(plain[opened:start])) - {"int", "val", "var"}
    loop = _FOREACH_CALL.search(before[-200:])
    if loop is None:
        return set()
    parameters = _LAMBDA.match(plain, start)
    return set(_NAME.findall(loop["names"] or (parameters["names"] if parameters else "it")))


def _is_called_again(text: Text, code: str, name: str) -> bool:
    """Whether a method is called twice with different arguments, or in a loop."""
    arguments = set[str]()
    for match in islice(re.finditer(rf"\b{name}\b\s*[()]", text.plain), _MAX_PLACES):
        before = text.plain[max(0, match.start() - 80) : match.start()]
        before_name = re.sub(r"\b(?:this|self)\s*\.\s*$", "", before)
        if _BEFORE_DEFINITION.search(before_name) or _BEFORE_METHOD.search(before_name):
            continue
        around = text.around(match.start())
        if _PASSED_TO_FOREACH.search(before_name) or any(
            _loop_variables(text, start) for start, _, _ in around
        ):
            return True
        if re.search(r"\bfor\s*\([^{};]*\)\s*$", before_name):  # a loop of one statement
            return True
        arguments.add(code[match.start() : text.closed(match.end())])
    return len(arguments) > 1
