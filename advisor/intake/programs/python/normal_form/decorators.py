"""Functions with decorators of the same file, as what these make of them.

A decorator puts another function in the place of the one that it is given (The Python Language
Reference, 8.7). That one is followed, and calls the first by a name of its own.
"""

from __future__ import annotations

import ast
from copy import deepcopy

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters

_OF = "{}__{}"
"""How the function is named that a decorator was given."""


def unfold(tree: ast.Module) -> ast.Module:
    """The same program without decorators whose functions it has itself."""
    wrappers = {node.name: found for node in ast.walk(tree) if isinstance(node, Function)
                and (found := _wrappers(node))}  # fmt: skip
    unfolded: ast.Module = _Unfold(wrappers).visit(tree) if wrappers else tree
    return unfolded


_Wrapper = tuple[Function, str]
"""The function that a decorator puts in the place of another, and its name for that one."""


def _wrappers(decorator: Function) -> list[_Wrapper]:
    """What a decorator may return: functions in it that call what one around them is given."""
    found = list[_Wrapper]()
    for outer in (node for node in ast.walk(decorator) if isinstance(node, Function)):
        for inner in (node for node in outer.body if isinstance(node, Function)):
            called = {
                syntax.method_name(call)
                for call in syntax.calls(inner)
                if not syntax.receiver(call)
            }
            found += [(inner, name) for name in parameters(outer) if name in called]
    return found


class _Unfold(ast.NodeTransformer):
    def __init__(self, wrappers: dict[str, list[_Wrapper]]) -> None:
        self._wrappers = wrappers

    def _visit(self, node: Function) -> Function | list[Function]:
        self.generic_visit(node)
        made, rest = [node], list[ast.expr]()
        for given in reversed(node.decorator_list):
            name = ast.unparse(given.func if isinstance(given, ast.Call) else given)
            ours = self._wrappers.get(name.rpartition(".")[2], [])
            same = [other for other in ours if type(other[0]) is type(node)]
            if ours:
                made.append(_around(made[-1], *(same or ours)[0], len(made)))
            else:
                rest.append(given)
        node.decorator_list = rest[::-1]
        return made

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Function | list[Function]:
        return self._visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Function | list[Function]:
        return self._visit(node)


def _around(function: Function, wrapper: Function, called: str, number: int) -> Function:
    """A wrapper in the place of a function, which gets another name."""
    outer = deepcopy(wrapper)
    outer.name, outer.decorator_list = function.name, []
    function.name = _OF.format(function.name, number)
    takes_any = bool(outer.args.vararg) and parameters(outer) in ([], ["self"])
    if takes_any:
        outer.args = deepcopy(function.args)
    own = [name for name in parameters(function) if name not in syntax.OWN]
    for call in syntax.calls(outer):
        if syntax.method_name(call) == called and not syntax.receiver(call):
            call.func = ast.copy_location(ast.Name(function.name, ast.Load()), call.func)
            call.args = [node for node in call.args if getattr(node, "id", "") not in syntax.OWN]
            if takes_any:
                given = [ast.copy_location(ast.Name(name, ast.Load()), call) for name in own]
                call.args, call.keywords = [*given], []
    return outer
