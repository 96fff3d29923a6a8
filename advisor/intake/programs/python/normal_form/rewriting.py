"""Python programs in a normal form: an indirect call is replaced by the call that it stands for.

A class under another name (`from confluent_kafka import Producer as P`), a method of a client that
is run in a thread and waited for (`await asyncio.to_thread(c.poll, 1)`), one that is asked for by
its name (`getattr(p, "produce")`), and `except*`. What two statements say is said in one.
"""

from __future__ import annotations

import ast
import copy

from advisor.intake.programs.python.normal_form.statements import Joined

_THREADS = frozenset({"to_thread", "run_in_executor", "run_sync"})
"""What runs a function elsewhere, for an `await`."""
_METHODS = frozenset({
    "poll", "consume", "commit", "store_offsets", "produce", "flush", "commit_transaction",
    "begin_transaction", "abort_transaction", "send_offsets_to_transaction", "init_transactions",
})  # fmt: skip


def is_python(text: str) -> bool:
    """Whether a text is a whole program of Python, whatever its docstrings hold."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def normal_form(tree: ast.Module) -> ast.Module:
    """The same program, in fewer words."""
    aliases = {
        name.asname: name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("confluent_kafka")
        for name in node.names
        if name.asname
    }
    plain_tree: ast.Module = _Plain(aliases, _bound(tree), Joined(tree)).visit(tree)
    return plain_tree


def _bound(tree: ast.Module) -> dict[str, ast.Attribute]:
    """The methods of clients that have a name of their own: `ack = c.commit`."""
    found = dict[str, list[ast.expr]]()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
            case _:
                pass
    return {
        name: values[0] for name, values in found.items()
        if len(values) == 1 and isinstance(values[0], ast.Attribute)
        and values[0].attr in _METHODS and isinstance(values[0].value, ast.Name)
    }  # fmt: skip


class _Plain(ast.NodeTransformer):
    def __init__(
        self, aliases: dict[str, str], bound: dict[str, ast.Attribute], joined: Joined
    ) -> None:
        self._aliases, self._bound, self._joined = aliases, bound, joined

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        self._joined.join(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._aliases.get(node.id, node.id)
        return node

    def visit_TryStar(self, node: ast.TryStar) -> ast.AST:
        self.generic_visit(node)
        own = ast.Try(node.body, node.handlers, node.orelse, node.finalbody)
        return ast.copy_location(own, node)

    def visit_Await(self, node: ast.Await) -> ast.AST:
        self.generic_visit(node)
        match node.value:
            case ast.Call(func=ast.Attribute(attr=name)) as call if name in _THREADS:
                return _run(call) or node
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name("getattr"), args=[whose, ast.Constant(str(name)), *_]):
                return ast.copy_location(ast.Attribute(whose, name, ast.Load()), node)
            case ast.Call(func=ast.Name(id=name)) if name in self._bound:
                node.func = ast.copy_location(copy.deepcopy(self._bound[name]), node)
                return node
            case _:
                return node


def _run(call: ast.Call) -> ast.Call | None:
    """The call that is run elsewhere, where it is a client's."""
    for at, given in enumerate(call.args[:2]):
        match given:
            case ast.Attribute(attr=name) if name in _METHODS:
                own = ast.Call(given, call.args[at + 1 :], call.keywords)
                return ast.copy_location(own, call)
            case ast.Lambda(body=ast.Call(func=ast.Attribute(attr=name)) as own) if (
                name in _METHODS
            ):
                return own
            case ast.Call(func=ast.Name("partial") | ast.Attribute(attr="partial"), args=[
                ast.Attribute(attr=name) as function, *rest
            ]) if name in _METHODS:  # fmt: skip
                return ast.copy_location(ast.Call(function, rest, given.keywords), call)
    return None
