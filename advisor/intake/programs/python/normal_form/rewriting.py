"""Python programs in a normal form: an indirect call becomes the direct call for which it stands.

This covers an imported class under another name (`from confluent_kafka import Producer as P`), a
method of a client that runs in a thread and is awaited (`await asyncio.to_thread(c.poll, 1)`), a
method that is looked up by name (`getattr(p, "produce")`), and `except*`. Two statements that
belong together become one.
"""

from __future__ import annotations

import ast
import copy

from advisor.intake.programs.python.normal_form.statements import Joined

_THREAD_FUNCTIONS = frozenset({"to_thread", "run_in_executor", "run_sync"})
"""Functions that run another one in a thread and can be awaited."""
_CLIENT_METHODS = frozenset({
    "poll", "consume", "commit", "store_offsets", "produce", "flush", "commit_transaction",
    "begin_transaction", "abort_transaction", "send_offsets_to_transaction", "init_transactions",
})  # fmt: skip
_LOG_METHODS = frozenset({"debug", "info", "warning", "error", "exception", "critical"})


def is_python(text: str) -> bool:
    """Whether a text is a complete Python program, whatever its docstrings contain."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def normal_form(tree: ast.Module) -> ast.Module:
    """Returns the program in the normal form."""
    aliases = {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("confluent_kafka")
        for alias in node.names
        if alias.asname
    }
    rewritten: ast.Module = _NormalForm(aliases, _bound_methods(tree), Joined(tree)).visit(tree)
    return rewritten


def _bound_methods(tree: ast.Module) -> dict[str, ast.Attribute]:
    """The methods of clients and loggers that are bound to a name: `ack = c.commit`."""
    values_by_name = dict[str, list[ast.expr]]()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values_by_name.setdefault(name, []).append(value)
            case _:
                pass
    return {
        name: values[0] for name, values in values_by_name.items()
        if len(values) == 1 and isinstance(values[0], ast.Attribute)
        and (values[0].attr in _LOG_METHODS
             or (values[0].attr in _CLIENT_METHODS and isinstance(values[0].value, ast.Name)))
    }  # fmt: skip


class _NormalForm(ast.NodeTransformer):
    def __init__(
        self, aliases: dict[str, str], bound_methods: dict[str, ast.Attribute], joined: Joined
    ) -> None:
        self._aliases, self._bound_methods, self._joined = aliases, bound_methods, joined

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        self._joined.join(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._aliases.get(node.id, node.id)
        return node

    def visit_TryStar(self, node: ast.TryStar) -> ast.AST:
        self.generic_visit(node)
        attempt = ast.Try(node.body, node.handlers, node.orelse, node.finalbody)
        return ast.copy_location(attempt, node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        match node.value:
            case ast.IfExp() as choice:
                statement = ast.If(choice.test, [ast.Expr(choice.body)], [ast.Expr(choice.orelse)])
            case ast.BoolOp(op=op, values=[test, value]):
                is_or = isinstance(op, ast.Or)
                condition = ast.UnaryOp(ast.Not(), test) if is_or else test
                statement = ast.If(condition, [ast.Expr(value)], [])
            case _:
                return node
        return ast.fix_missing_locations(ast.copy_location(statement, node))

    def visit_With(self, node: ast.With) -> ast.AST:
        self.generic_visit(node)
        return _with_entered_contexts(node)

    def visit_Await(self, node: ast.Await) -> ast.AST:
        self.generic_visit(node)
        match node.value:
            case ast.Call(func=ast.Attribute(attr=name)) as call if name in _THREAD_FUNCTIONS:
                return _client_call(call) or node
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name("getattr"), args=[object_, ast.Constant(str(name)), *_]):
                return ast.copy_location(ast.Attribute(object_, name, ast.Load()), node)
            case ast.Call(func=ast.Name(id=name)) if name in self._bound_methods:
                node.func = ast.copy_location(copy.deepcopy(self._bound_methods[name]), node)
                return node
            case _:
                return node


def _with_entered_contexts(node: ast.With) -> ast.With:
    """A `with` of an ExitStack, with the contexts that its first statements enter as its own."""
    match node:
        case ast.With(items=[ast.withitem(ast.Call() as stack, ast.Name(id=name))]) if (
            ast.unparse(stack.func).rpartition(".")[2] == "ExitStack"
        ):
            while len(node.body) > 1 and (context := _entered_context(node.body[0], name)):
                node.items.append(context)
                node.body = node.body[1:]
        case _:
            pass
    return node


def _entered_context(statement: ast.stmt, stack: str) -> ast.withitem | None:
    """The context that a statement enters by an ExitStack; None for any other statement."""
    target = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    match statement:
        case ast.Expr(value=call) | ast.Assign(value=call):
            pass
        case _:
            return None
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="enter_context"), args=[context]
        ) if name == stack:
            return ast.withitem(context, target)
        case _:
            return None


def _client_call(call: ast.Call) -> ast.Call | None:
    """The call that runs in another thread, if it is a client's; else None."""
    for index, argument in enumerate(call.args[:2]):
        match argument:
            case ast.Attribute(attr=name) if name in _CLIENT_METHODS:
                inner_call = ast.Call(argument, call.args[index + 1 :], call.keywords)
                return ast.copy_location(inner_call, call)
            case ast.Lambda(body=ast.Call(func=ast.Attribute(attr=name)) as inner_call) if (
                name in _CLIENT_METHODS
            ):
                return inner_call
            case ast.Call(func=ast.Name("partial") | ast.Attribute(attr="partial"), args=[
                ast.Attribute(attr=name) as function, *rest
            ]) if name in _CLIENT_METHODS:  # fmt: skip
                return ast.copy_location(ast.Call(function, rest, argument.keywords), call)
    return None
