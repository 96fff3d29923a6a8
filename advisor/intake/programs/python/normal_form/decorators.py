"""Functions with decorators of the same file, in the form that the decorators give them.

A decorator replaces the decorated function with another one (The Python Language Reference, 8.7).
The reader follows the replacement, which calls the decorated function under a new name.
"""

from __future__ import annotations

import ast
from copy import deepcopy

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters

_DECORATED_NAME = "{}__{}"
"""The new name of a decorated function."""


def unfold(tree: ast.Module) -> ast.Module:
    """Returns the program without the decorators that it defines itself."""
    wrappers = {node.name: node_wrappers for node in ast.walk(tree) if isinstance(node, Function)
                and (node_wrappers := _wrappers(node))}  # fmt: skip
    wrappers |= {node.name: node_wrappers for node in ast.walk(tree)
                 if isinstance(node, ast.ClassDef)
                 and (node_wrappers := _wrappers_of_class(node))}  # fmt: skip
    unfolded: ast.Module = _Unfold(wrappers).visit(tree) if wrappers else tree
    return unfolded


_Wrapper = tuple[Function, str]
"""The function that replaces a decorated one, and its name for that function."""


def _wrappers(decorator: Function) -> list[_Wrapper]:
    """The functions that a decorator may return: those inside it that call a parameter of an
    enclosing function."""
    wrappers = list[_Wrapper]()
    for outer in (node for node in ast.walk(decorator) if isinstance(node, Function)):
        for inner in (node for node in outer.body if isinstance(node, Function)):
            called = {
                syntax.method_name(call)
                for call in syntax.calls(inner)
                if not syntax.receiver(call)
            }
            wrappers += [(inner, name) for name in parameters(outer) if name in called]
    return wrappers


def _wrappers_of_class(class_: ast.ClassDef) -> list[_Wrapper]:
    """The `__call__` of a class whose constructor only stores the decorated function, with its name
    for that function."""
    methods = {node.name: node for node in class_.body if isinstance(node, Function)}
    init, call = methods.get("__init__"), methods.get("__call__")
    names = parameters(init)[1:] if init else []
    if init is None or call is None or len(names) != 1:
        return []
    fields = {
        ast.unparse(target) for node in init.body if isinstance(node, ast.Assign)
        and ast.unparse(node.value) == names[0] for target in node.targets
    }  # fmt: skip
    wrapper = deepcopy(call)
    for inner in syntax.calls(wrapper):
        if ast.unparse(inner.func) in fields:
            inner.func = ast.copy_location(ast.Name(names[0], ast.Load()), inner.func)
    if wrapper.args.args[:1]:
        wrapper.args.args = wrapper.args.args[1:]
    called = {syntax.method_name(inner) for inner in syntax.calls(wrapper)}
    return [(wrapper, names[0])] if names[0] in called else []


class _Unfold(ast.NodeTransformer):
    def __init__(self, wrappers: dict[str, list[_Wrapper]]) -> None:
        self._wrappers = wrappers

    def _visit(self, node: Function) -> Function | list[Function]:
        self.generic_visit(node)
        unfolded, other_decorators = [node], list[ast.expr]()
        for decorator in reversed(node.decorator_list):
            name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            wrappers = self._wrappers.get(name.rpartition(".")[2], [])
            same_kind = [other for other in wrappers if type(other[0]) is type(node)]
            if wrappers:
                unfolded.append(_wrapped(unfolded[-1], *(same_kind or wrappers)[0], len(unfolded)))
            else:
                other_decorators.append(decorator)
        node.decorator_list = other_decorators[::-1]
        return unfolded

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Function | list[Function]:
        return self._visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Function | list[Function]:
        return self._visit(node)


def _wrapped(function: Function, wrapper: Function, inner_name: str, number: int) -> Function:
    """Returns a copy of a wrapper that replaces a function. The function gets another name."""
    outer = deepcopy(wrapper)
    outer.name, outer.decorator_list = function.name, []
    function.name = _DECORATED_NAME.format(function.name, number)
    takes_any = bool(outer.args.vararg) and parameters(outer) in ([], ["self"])
    if takes_any:
        outer.args = deepcopy(function.args)
    names = [name for name in parameters(function) if name not in syntax.OWN]
    for call in syntax.calls(outer):
        if syntax.method_name(call) == inner_name and not syntax.receiver(call):
            call.func = ast.copy_location(ast.Name(function.name, ast.Load()), call.func)
            call.args = [node for node in call.args if getattr(node, "id", "") not in syntax.OWN]
            if takes_any:
                arguments = [ast.copy_location(ast.Name(name, ast.Load()), call) for name in names]
                call.args, call.keywords = [*arguments], []
    return outer
