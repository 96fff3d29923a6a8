"""Sends of a Python program as statements that can be played (`programs.trees`), and questions for
what their callbacks keep. What is not known for certain is `Unclear`.
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

_ENDS = frozenset({"exit", "_exit", "abort", "kill"})
_KEEPS = frozenset({"append", "add", "put", "put_nowait", "set", "appendleft"})
_TARGETS = ast.Name | ast.Attribute | ast.Subscript
_NONE = (None, 0, False)


class Sends:
    """The sends of a program, the names that their callbacks keep errors in, and other `marks`."""

    def __init__(self, tree: ast.Module, functions: Mapping[str, clients.Function]) -> None:
        self._functions = functions
        self._producers = syntax.names_created_by(tree, python_sends.PRODUCERS)
        self.marks = flag_names(tree)
        self._left = set[str]()
        """The names of what a `flush` has left."""
        self.calls = [call for call in syntax.calls(tree) if self.is_send(call)]
        keys = (
            key for node in syntax.nodes(tree) if isinstance(node, ast.Dict) for key in node.keys
        )
        called = {syntax.method_name(call) for call in syntax.calls(tree)}
        self._is_open = "commit_transaction" in called or any(
            isinstance(key, ast.Constant) and key.value == "on_delivery" for key in keys
        )
        """Whether somebody else may hear of a send."""
        stored = (node for node in syntax.nodes(tree) if isinstance(node, _TARGETS)
                  and isinstance(node.ctx, ast.Store))  # fmt: skip
        self._of_file = {*map(ast.unparse, stored)}
        self._may_ask = any(map(self._is_elsewhere, syntax.calls(tree)))
        """Whether something that is not in the file may ask for what is kept."""
        self._kept = set[str]()
        for call in self.calls:
            for given in python_sends.send_callbacks(call):
                if function := self._function(given):
                    self._kept |= self._does(function)[1]

    def _is_elsewhere(self, call: ast.Call) -> bool:
        """Whether a call that is given nothing is of a function of another file."""
        whose, _, name = ast.unparse(call.func).rpartition(".")
        is_plain = whose in ("", "self") and name.islower() and name not in dir(builtins)
        return is_plain and not (call.args or call.keywords) and name not in self._functions

    def _is_ours(self, call: ast.Call) -> bool:
        whose = syntax.receiver(call)
        return whose in self._producers or "producer" in whose.lower()

    def is_send(self, call: ast.Call) -> bool:
        """Whether a call gives a message to a producer."""
        return syntax.method_name(call) == "produce" and self._is_ours(call)

    def of(self, call: ast.Call) -> Block | None:
        """What a call of a producer does; None for any other call. Raises `Unclear`."""
        if self.is_send(call):
            return [self._send(call)]
        if not self._is_ours(call):
            return None
        match syntax.method_name(call):
            case "flush":
                return [Flush(is_limited=_is_limited(call))]
            case "poll":
                return []
            case _:
                raise Unclear

    def are_served(self, node: ast.AST) -> bool:
        """Whether something is called of a producer, or one is handed on."""
        given = (value for call in syntax.calls(node) for value in call.args)
        return any(map(self._is_ours, syntax.calls(node))) or any(
            isinstance(part, ast.Name | ast.Attribute) and ast.unparse(part) in self._producers
            for value in given for part in ast.walk(value)
        )  # fmt: skip

    def left(self, name: str) -> None:
        """Takes a name for what a `flush` has left."""
        self._left.add(name)

    def _send(self, call: ast.Call) -> Send:
        starred = any(isinstance(given, ast.Starred) for given in call.args)
        if starred or self._is_open or any(word.arg is None for word in call.keywords):
            raise Unclear
        given = python_sends.send_callbacks(call)
        if not given:
            return Send(call.lineno, SendErrors.NOBODY)
        function = self._function(given[0])
        does, names = self._does(function) if function else (None, frozenset[str]())
        if does is None:
            raise Unclear
        return Send(call.lineno, does, names)

    def _function(self, given: ast.expr) -> callbacks.Function | None:
        if isinstance(given, ast.Lambda):
            return given
        if isinstance(given, ast.Name | ast.Attribute):
            return self._functions.get(ast.unparse(given).rpartition(".")[2])
        return None

    def _does(self, function: callbacks.Function) -> tuple[SendErrors | None, frozenset[str]]:
        """What a callback does with an error, and the names that it keeps it in."""
        names, heard = set[str](), SendErrors.NOBODY
        for node in callbacks.error_statements(function):
            name = _kept_in(node)
            call = node.value if isinstance(node, ast.Expr) else node
            if isinstance(node, ast.Raise):
                heard = SendErrors.THROWN
            elif isinstance(call, ast.Call) and syntax.method_name(call) in _ENDS:
                return SendErrors.ENDED, frozenset()
            elif name and (name in self._of_file or not self._may_ask):
                names.add(name)
            elif not _is_harmless(node):
                return None, frozenset()
        if heard is SendErrors.NOBODY and names:
            heard = SendErrors.STORED
        return heard, frozenset(names)

    def is_used(self, value: ast.expr) -> bool:
        """Whether an expression is about what callbacks keep, and no line of a log."""
        is_log = isinstance(value, ast.Call) and syntax.is_log(value)
        names = {ast.unparse(node) for node in ast.walk(value) if isinstance(node, _TARGETS)}
        is_emptied = isinstance(value, ast.Call) and syntax.method_name(value) == "clear"
        return not (is_log or is_emptied or self._kept.isdisjoint(names))

    def asked(self, test: ast.expr) -> Condition | None:
        """A question whether a callback has kept an error, or whether a `flush` has left some."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.asked(test.operand)
            return inner and Condition(
                error=inner.error, is_left=inner.is_left, negated=not inner.negated
            )
        negated = False
        match test:
            case ast.Compare(asked, [op], [ast.Constant(value)]) if value in _NONE:
                if not isinstance(op, ast.Gt | ast.NotEq | ast.IsNot | ast.Eq | ast.Is):
                    return None
                test, negated = asked, isinstance(op, ast.Eq | ast.Is)
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
        if name in self._kept:
            return Condition(error=name, negated=negated)
        is_flush = isinstance(test, ast.Call) and syntax.method_name(test) == "flush"
        if name in self._left or (is_flush and isinstance(test, ast.Call) and self._is_ours(test)):
            return Condition(is_left=True, negated=negated)
        if self.is_used(test):
            raise Unclear
        return None


def _is_limited(call: ast.Call) -> bool:
    given = [*call.args, *(word.value for word in call.keywords)]
    return any(ast.unparse(value) not in ("-1", "None") for value in given)


def _kept_in(node: ast.AST) -> str:
    """The name that a statement of a callback keeps an error in; empty for any other."""
    match node:
        case ast.Assign(targets=[target], value=value) if isinstance(target, _TARGETS):
            is_empty = isinstance(value, ast.Constant) and value.value in _NONE
            return "" if is_empty or any(syntax.calls(value)) else ast.unparse(target)
        case ast.AugAssign(target=target, op=ast.Add()):
            return ast.unparse(target)
        case ast.Expr(value=ast.Call() as call) | (ast.Call() as call):
            return syntax.receiver(call) if syntax.method_name(call) in _KEEPS else ""
        case _:
            return ""


def _is_harmless(node: ast.AST) -> bool:
    if isinstance(node, ast.Global | ast.Nonlocal | ast.Pass | ast.Return):
        return not any(syntax.calls(node))
    value = node.value if isinstance(node, ast.Expr) else node
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and syntax.is_log(value))
