"""Checkpoints that several Spark queries of a program share: it starts them in a loop, or in a
function that it calls more than once, and the place stays the same.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.python import words
from advisor.intake.text import line_of

_OPTION, _MOST = "checkpointlocation", 30
_REACH, _MOST_AROUND = 4_000, 6
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_NAME = re.compile(r"[A-Za-z_]\w*")
_PLACE = re.compile(
    r"\.option\(\s*\"checkpointLocation\"\s*,(?P<place>[^\n]{1,300})", re.IGNORECASE
)
_EACH = re.compile(
    r"\.\s*(?:foreach|forEach|map|flatMap)\s*(?:\(\s*)?(?P<names>\(?[\w, :]*\)?\s*(?:->|=>)\s*)?$"
)
_LAMBDA = re.compile(r"\{\s*(?:case\s*)?(?P<names>\(?[\w, :]*\)?)\s*(?:->|=>)")
_SET = re.compile(r"\b(\w+)\s*(?::\s*[\w\[\]., ]+)?=(?![=>])([^\n;]*)")
_BOUND = re.compile(r"\b(\w+)\s*(?::|\bin\b|<-|=)")
_DEFINED = re.compile(r"(?:\bdef\s+|\bfun\s+|[\w>\]]\s+)(\w+)\s*\((?P<given>[^(){}]*)\)[^(){};]*$")
_DEFINITION = re.compile(r"(?:\bdef|\bfun|[\w\]]|(?<![-=])>)[ \t]+$")
_CALL_OF_OTHER = re.compile(r"[)\w\]}]\s*\.\s*$")
_HANDED_EACH = re.compile(
    r"\b(?:foreach|forEach|map)\s*\(\s*(?:\(?[\w, ]*\)?\s*(?:->|=>)\s*|\w+\s*::\s*)?$"
)


def fixed_places(code: str) -> Iterator[int]:
    """The lines of checkpoints that one query after another is given."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _in_other_languages(code)
    return _in_python(tree)


def _in_python(tree: ast.Module) -> Iterator[int]:
    scopes = [(node, own) for node in ast.walk(tree) if (own := _changes(node))]
    per_item = {
        _own_function(call)
        for scope, own in scopes for call in words.calls(scope) if words.names_in(call) & own
    }  # fmt: skip
    calls: dict[str, set[str]] = {}
    for call in words.calls(tree):
        calls.setdefault(_own_function(call), set()).add(_given(call))
        if words.verb(call) in ("map", "foreach") and call.args:
            per_item |= words.names_in(call.args[0])
    for node, own in scopes:
        yield from _fixed(tree, node, own)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            again = len(calls.get(node.name, ())) > 1 or node.name in per_item
            own = {inner.arg for inner in ast.walk(node.args) if isinstance(inner, ast.arg)}
            yield from _fixed(tree, node, own) if again else ()


def _own_function(call: ast.Call) -> str:
    """The function of the file that is called, or handed to a thread; not a method of a query."""
    for given in call.keywords:
        if given.arg == "target" and isinstance(given.value, ast.Name):
            return given.value.id
    if words.verb(call) == "submit" and call.args and isinstance(call.args[0], ast.Name):
        return call.args[0].id
    is_of_call = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
    return "" if is_of_call else words.verb(call)


def _given(call: ast.Call) -> str:
    values = ",".join(ast.unparse(value) for value in (*call.args, *call.keywords))
    return f"{ast.unparse(call.func)}({values})"


def _changes(node: ast.AST) -> set[str]:
    """The names that change from one round of a loop to the next, and are used in it."""
    if isinstance(node, _COMPREHENSIONS):
        return {name for loop in node.generators for name in words.names_in(loop.target)}
    if isinstance(node, ast.For):
        own = words.names_in(node.target)
        return own if any(words.names_in(inner) & own for inner in node.body) else set()
    if isinstance(node, ast.While):
        stored = {
            inner.id for part in node.body for inner in ast.walk(part)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        }  # fmt: skip
        own = words.names_in(node.test) & stored
        used = (call for part in node.body for call in words.calls(part))
        return own if any(words.names_in(call) & own for call in used) else set()
    return set()


def _fixed(tree: ast.Module, scope: ast.AST, own: set[str]) -> Iterator[int]:
    """The checkpoints in a loop or a function that are the same each time."""
    for _ in range(3):  # what is made of a name that changes does so, too
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and (words.names_in(node.value) & own or _asks(node)):
                own = own.union(*map(words.names_in, node.targets))
    for call in words.calls(scope):
        for place in _places(tree, call):
            if not words.names_in(place) & own:
                yield call.lineno


def _asks(node: ast.Assign) -> bool:
    """Whether a value comes from a call that may give another one each time."""
    return any(
        not call.args or not all(isinstance(argument, ast.Constant) for argument in call.args)
        for call in words.calls(node.value)
        if words.verb(call) not in ("start", "option", "load", "format")
    )


def _places(tree: ast.Module, call: ast.Call) -> Iterator[ast.expr]:
    """What a call states as the place of a checkpoint."""
    first = call.args[0] if call.args else None
    is_place = isinstance(first, ast.Constant) and str(first.value).lower() == _OPTION
    if words.verb(call) == "option" and is_place and len(call.args) == 2:
        yield call.args[1]
    if words.verb(call) not in ("options", "start", "toTable"):
        return
    for given in call.keywords:
        if str(given.arg).lower() == _OPTION:
            yield given.value
        elif given.arg is None and isinstance(given.value, ast.Name):
            yield from _in_dict(tree, given.value.id)


def _in_dict(tree: ast.Module, name: str) -> Iterator[ast.expr]:
    """The place in a dict of this name, which is written down once."""
    stated = [
        node.value for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets)
    ]  # fmt: skip
    if len(stated) == 1 and isinstance(stated[0], ast.Dict):
        for key, value in zip(stated[0].keys, stated[0].values, strict=True):
            if isinstance(key, ast.Constant) and str(key.value).lower() == _OPTION:
                yield value


def _in_other_languages(code: str) -> Iterator[int]:
    """The same in Scala, Java and Kotlin."""
    text = Text.of(code)
    for match in islice(_PLACE.finditer(code), _MOST):
        used = set(_NAME.findall(match["place"].split(").", 1)[0]))
        for start, end, head in text.around(match.start())[-_MOST_AROUND:]:
            end = min(end, start + _REACH)
            own = _bound(text, start)
            again = any(re.search(rf"\b{name}\b", code[start + 1 : end]) for name in own)
            if not own and (defined := _DEFINED.search(head)):
                own = set(_NAME.findall(defined["given"]))
                again = _is_called_again(text, code, defined[1])
            for name, value in _SET.findall(code[start:end]) if again else ():
                own |= {name} if own & set(_NAME.findall(value)) or "(" in value else set()
            if again and not used & own:
                yield line_of(code, match.start())


def _bound(text: Text, start: int) -> set[str]:
    """The names that a loop with this block gives to what it is about; none for no loop."""
    plain = text.plain
    before = plain[max(0, start - _REACH) : start].rstrip().removesuffix("yield").rstrip()
    if before.endswith((")", "}")):
        opened = text.opened(plain.rindex(before[-1], 0, start))
        if re.search(r"\bfor\s*$", plain[max(0, opened - 10) : opened]):
            return set(_BOUND.findall(plain[opened:start])) - {"int", "val", "var"}
    loop = _EACH.search(before[-200:])
    if loop is None:
        return set()
    inside = _LAMBDA.match(plain, start)
    return set(_NAME.findall(loop["names"] or (inside["names"] if inside else "it")))


def _is_called_again(text: Text, code: str, name: str) -> bool:
    """Whether a method is called twice with other arguments, or for each of several."""
    given = set[str]()
    for match in islice(re.finditer(rf"\b{name}\b\s*[()]", text.plain), _MOST):
        before = text.plain[max(0, match.start() - 80) : match.start()]
        own = re.sub(r"\b(?:this|self)\s*\.\s*$", "", before)
        if _DEFINITION.search(own) or _CALL_OF_OTHER.search(own):
            continue
        around = text.around(match.start())
        if _HANDED_EACH.search(own) or any(_bound(text, start) for start, _, _ in around):
            return True
        if re.search(r"\bfor\s*\([^{};]*\)\s*$", own):  # a loop of one statement
            return True
        given.add(code[match.start() : text.closed(match.end())])
    return len(given) > 1
