"""Sends of a Python program as statements for the simulation (`programs.trees`), and conditions on
the errors that their callbacks store. Code whose effect is uncertain raises `Unclear`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping

from advisor.intake.programs.python import clients, syntax
from advisor.intake.programs.python.errors import callbacks
from advisor.intake.programs.python.errors import sends as python_sends
from advisor.intake.programs.python.trees.flag_variables import flag_names
from advisor.intake.programs.trees import Block, Condition, Flush, Send, SendErrors, Unclear

_EXIT_FUNCTIONS = frozenset({"exit", "_exit", "abort", "kill"})
_STORING_METHODS = frozenset({"append", "add", "put", "put_nowait", "set", "appendleft"})
_TARGETS = ast.Name | ast.Attribute | ast.Subscript
_NO_ERROR = (None, 0, False)


class Sends:
    """The sends of a program, the names in which their callbacks store errors, and other
    `flags`."""

    def __init__(self, tree: ast.Module, functions: Mapping[str, clients.Function]) -> None:
        self._functions = functions
        self._producers = syntax.names_created_by(tree, python_sends.PRODUCERS)
        self.flags = flag_names(tree)
        self._flush_results = set[str]()
        """The names that hold the result of a `flush`."""
        self.calls = [call for call in syntax.calls(tree) if self.is_send(call)]
        keys = (
            key for node in syntax.nodes(tree) if isinstance(node, ast.Dict) for key in node.keys
        )
        called = {syntax.method_name(call) for call in syntax.calls(tree)}
        self._may_be_checked_elsewhere = "commit_transaction" in called or any(
            isinstance(key, ast.Constant) and key.value == "on_delivery" for key in keys
        )
        """Whether other code may learn of a failed send."""
        targets = (node for node in syntax.nodes(tree) if isinstance(node, _TARGETS)
                   and isinstance(node.ctx, ast.Store))  # fmt: skip
        self._assigned_names = {*map(ast.unparse, targets)}
        self._may_be_read_elsewhere = any(map(self._is_external_call, syntax.calls(tree)))
        """Whether code outside of the file may read the stored errors."""
        self._error_names = set[str]()
        for call in self.calls:
            for callback in python_sends.send_callbacks(call):
                if function := self._callback(callback):
                    self._error_names |= self._callback_effect(function)[1]

    def _is_external_call(self, call: ast.Call) -> bool:
        """Whether a call without arguments is to a function of another file."""
        owner, _, name = ast.unparse(call.func).rpartition(".")
        is_plain = owner in ("", "self") and name.islower() and name not in dir(builtins)
        return is_plain and not (call.args or call.keywords) and name not in self._functions

    def _is_producer_call(self, call: ast.Call) -> bool:
        receiver = syntax.receiver(call)
        return receiver in self._producers or "producer" in receiver.lower()

    def is_send(self, call: ast.Call) -> bool:
        """Whether a call passes a message to a producer."""
        return syntax.method_name(call) == "produce" and self._is_producer_call(call)

    def producer_call(self, call: ast.Call) -> Block | None:
        """The statements of a call to a producer; None for any other call. Raises `Unclear`."""
        if self.is_send(call):
            return [self._send(call)]
        if not self._is_producer_call(call):
            return None
        match syntax.method_name(call):
            case "flush":
                return [Flush(is_limited=_has_timeout(call))]
            case "poll":
                return []
            case _:
                raise Unclear

    def uses_producer(self, node: ast.AST) -> bool:
        """Whether a node calls a producer, or passes one to a function."""
        arguments = (value for call in syntax.calls(node) for value in call.args)
        return any(map(self._is_producer_call, syntax.calls(node))) or any(
            isinstance(inner, ast.Name | ast.Attribute) and ast.unparse(inner) in self._producers
            for value in arguments for inner in ast.walk(value)
        )  # fmt: skip

    def add_flush_result(self, name: str) -> None:
        """Adds a name that holds the result of a `flush`."""
        self._flush_results.add(name)

    def _send(self, call: ast.Call) -> Send:
        starred = any(isinstance(argument, ast.Starred) for argument in call.args)
        if (
            starred
            or self._may_be_checked_elsewhere
            or any(keyword.arg is None for keyword in call.keywords)
        ):
            raise Unclear
        arguments = python_sends.send_callbacks(call)
        if not arguments:
            return Send(call.lineno, SendErrors.UNCHECKED)
        function = self._callback(arguments[0])
        effect, names = self._callback_effect(function) if function else (None, frozenset[str]())
        if effect is None:
            raise Unclear
        return Send(call.lineno, effect, names)

    def _callback(self, value: ast.expr) -> callbacks.Function | None:
        if isinstance(value, ast.Lambda):
            return value
        if isinstance(value, ast.Name | ast.Attribute):
            return self._functions.get(ast.unparse(value).rpartition(".")[2])
        return None

    def _callback_effect(
        self, function: callbacks.Function
    ) -> tuple[SendErrors | None, frozenset[str]]:
        """What a callback does with an error, and the names in which it stores the error."""
        names, effect = set[str](), SendErrors.UNCHECKED
        for node in callbacks.error_statements(function):
            name = _error_target(node)
            call = node.value if isinstance(node, ast.Expr) else node
            if isinstance(node, ast.Raise):
                effect = SendErrors.THROWN
            elif isinstance(call, ast.Call) and syntax.method_name(call) in _EXIT_FUNCTIONS:
                return SendErrors.ENDED, frozenset()
            elif name and (name in self._assigned_names or not self._may_be_read_elsewhere):
                names.add(name)
            elif not _is_harmless(node):
                return None, frozenset()
        if effect is SendErrors.UNCHECKED and names:
            effect = SendErrors.VARIABLE
        return effect, frozenset(names)

    def uses_errors(self, value: ast.expr) -> bool:
        """Whether an expression uses the errors that callbacks store, and is not only a log
        call."""
        is_log = isinstance(value, ast.Call) and syntax.is_log(value)
        names = {ast.unparse(node) for node in ast.walk(value) if isinstance(node, _TARGETS)}
        is_emptied = isinstance(value, ast.Call) and syntax.method_name(value) == "clear"
        return not (is_log or is_emptied or self._error_names.isdisjoint(names))

    def condition(self, test: ast.expr) -> Condition | None:
        """A condition on an error that a callback stores, or on the result of a `flush`."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.condition(test.operand)
            return inner and Condition(
                error=inner.error, is_unsent=inner.is_unsent, negated=not inner.negated
            )
        negated = False
        match test:
            case ast.Compare(left, [op], [ast.Constant(value)]) if value in _NO_ERROR:
                if not isinstance(op, ast.Gt | ast.NotEq | ast.IsNot | ast.Eq | ast.Is):
                    return None
                test, negated = left, isinstance(op, ast.Eq | ast.Is)
            case _:
                pass
        if isinstance(test, ast.Call) and syntax.method_name(test) in (
            "len",
            "any",
            "bool",
            "is_set",
        ):
            func = test.func
            test = test.args[0] if test.args else func.value if isinstance(
                func, ast.Attribute) else test  # fmt: skip
        name = ast.unparse(test) if isinstance(test, _TARGETS) else ""
        if name in self._error_names:
            return Condition(error=name, negated=negated)
        is_flush = isinstance(test, ast.Call) and syntax.method_name(test) == "flush"
        if name in self._flush_results or (
            is_flush and isinstance(test, ast.Call) and self._is_producer_call(test)
        ):
            return Condition(is_unsent=True, negated=negated)
        if self.uses_errors(test):
            raise Unclear
        return None


def _has_timeout(call: ast.Call) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(ast.unparse(value) not in ("-1", "None") for value in arguments)


def _error_target(node: ast.AST) -> str:
    """The name in which a statement of a callback stores an error; empty for any other
    statement."""
    match node:
        case ast.Assign(targets=[target], value=value) if isinstance(target, _TARGETS):
            is_empty = isinstance(value, ast.Constant) and value.value in _NO_ERROR
            return "" if is_empty or any(syntax.calls(value)) else ast.unparse(target)
        case ast.AugAssign(target=target, op=ast.Add()):
            return ast.unparse(target)
        case ast.Expr(value=ast.Call() as call) | (ast.Call() as call):
            return syntax.receiver(call) if syntax.method_name(call) in _STORING_METHODS else ""
        case _:
            return ""


def _is_harmless(node: ast.AST) -> bool:
    if isinstance(node, ast.Global | ast.Nonlocal | ast.Pass | ast.Return):
        return not any(syntax.calls(node))
    value = node.value if isinstance(node, ast.Expr) else node
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and syntax.is_log(value))
