"""The poll loop of a Python program as a tree of statements for the simulation
(`programs.simulation`). Reading stops at code whose effect is uncertain.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import suppress

from advisor.intake.programs import simulation
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors import error_handling
from advisor.intake.programs.python.records.observations import only_observes
from advisor.intake.programs.python.trees.conditions import is_open_circuit, may_refuse
from advisor.intake.programs.python.trees.send_tree import Sends
from advisor.intake.programs.trees import (
    Block,
    Call,
    Close,
    Commit,
    Condition,
    ForEach,
    Handler,
    If,
    Jump,
    Loop,
    Poll,
    Send,
    SetFlag,
    Statement,
    Try,
    Unclear,
    Work,
    refusal,
)

_MAX_STATEMENTS, _MAX_DEPTH, _LOOP_ROUNDS = 200, 3, 3
_NO_EFFECT = (
    ast.Import | ast.ImportFrom | ast.Pass | ast.Global | ast.Nonlocal | ast.Assert | ast.ClassDef
    | ast.FunctionDef | ast.AsyncFunctionDef
)  # fmt: skip
_ARITHMETIC = (
    ast.Name | ast.Load | ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop
)
_DEFERRED = ast.Lambda | ast.Await | ast.Yield
_COPY_FUNCTIONS = frozenset({"list", "tuple", "sorted", "reversed"})
_SETUP_METHODS = frozenset({"subscribe", "assign", "list_topics", "subscription", "assignment"})
_EXIT_FUNCTIONS = frozenset({"exit", "_exit", "quit", "abort"})
_AT_LEAST, _LESS_THAN = ast.Eq | ast.GtE | ast.Gt, ast.NotEq | ast.Lt | ast.LtE


def poll_loop_facts(tree: ast.Module) -> dict[str, int]:
    """The facts about the functions that poll, with their lines, as far as the code is certain."""
    consumers, facts = syntax.consumer_names(tree), dict[str, int]()
    functions = error_handling.functions_of_file(tree)
    sends = Sends(tree, functions)
    for scope in [tree, *functions.values()]:
        with suppress(Unclear):
            facts = (
                simulation.poll_loop_facts(Reader(sends, consumers, functions).block(scope.body))
                | facts
            )
    return facts


class Reader:
    """Reads the statements of one function in order."""

    def __init__(self, sends: Sends, consumers: set[str], functions: dict[str, Function]) -> None:
        self._sends = sends
        self._consumers, self._functions = consumers, functions
        self._messages, self._batches = set[str](), set[str]()
        self._buffers, self._flags = set[str](), set[str]()
        self._counter = ""
        self._depth = self._count = self._attempts = self._loops = 0
        self._handling = False
        """Whether the statements may handle the error of a message."""

    def block(self, body: Iterable[ast.stmt]) -> Block:
        return [statement for node in body for statement in self._statement(node)]

    def _statement(self, node: ast.stmt) -> Block:
        self._count += 1
        if self._count > _MAX_STATEMENTS:
            raise Unclear
        if isinstance(node, _NO_EFFECT):
            return []
        match node:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                return self._assignment(name, value)
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.AugAssign(target=ast.Name(name)) if name in self._flags:
                return [SetFlag(f"{self._depth}.{name}", value=True)]
            case ast.AugAssign(ast.Name(name), value=value) if self._is_calculation(name, value):
                return []
            case ast.Expr(value=value) | ast.Assign(value=value) | ast.AugAssign(value=value):
                return self._expression(value, is_alone=isinstance(node, ast.Expr))
            case ast.If():
                return self._if(node)
            case ast.For() | ast.While():
                return self._loop(node)
            case ast.Try():
                return self._try(node)
            case ast.With(items=[ast.withitem(ast.Call() as call)]):
                return self._with(call, node)
            case ast.Return():
                return self._return(node.value)
            case ast.Raise():
                return [Jump("throw")]
            case ast.Break():
                return [Jump("break")]
            case ast.Continue():
                return [Jump("continue")]
            case _:
                raise Unclear

    def _assignment(self, name: str, value: ast.expr) -> Block:
        if self._loops and name in self._consumers:
            raise Unclear  # a new consumer begins at the committed offset
        if any(syntax.polls(call, self._consumers) for call in syntax.calls(value)):
            if not isinstance(value, ast.Call) or not syntax.polls(value, self._consumers):
                raise Unclear
            self._messages.add(name)
            self._batches = {name} if syntax.method_name(value) == "consume" else set()
            return [Poll()]
        if isinstance(value, ast.Call) and (flush := self._flush(value)):
            self._sends.add_flush_result(name)
            return flush
        if self._is_batch_copy(value):
            self._batches.add(name)
            return []
        if name in self._sends.flags and isinstance(value, ast.Constant):
            self._flags.add(name)
            return [SetFlag(f"{self._depth}.{name}", bool(value.value))]
        if isinstance(value, ast.List) and not value.elts:
            self._check_cleared(name)
            self._buffers.add(name)
            return []
        if self._is_calculation(name, value):
            return []
        statements = self._expression(value, is_alone=False)
        if syntax.names_in(value) & self._messages:
            self._messages.add(name)
        return statements

    def _is_calculation(self, name: str, value: ast.expr) -> bool:
        """Whether a name that does not depend on a message is set to a value that is calculated
        from names that do not either: a wait, a count."""
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        depends = names & (self._messages | self._batches)
        others = (node for node in ast.walk(value) if not isinstance(node, _ARITHMETIC))
        return not (depends or name in self._messages) and all(
            isinstance(node, ast.Call) and syntax.method_name(node) in ("min", "max")
            for node in others
        )

    def _is_batch_copy(self, value: ast.expr) -> bool:
        """Whether a value is a copy of all messages of a poll."""
        match value:
            case ast.Call(func=ast.Name(function), args=[ast.Name(name)]) if (
                function in _COPY_FUNCTIONS
            ):
                return name in self._batches
            case ast.ListComp(
                elt=ast.Name(element),
                generators=[ast.comprehension(ast.Name(target), ast.Name(name), ifs=[])],
            ):
                return element == target and name in self._batches
            case _:
                return False

    def _expression(self, value: ast.expr, *, is_alone: bool) -> Block:
        """The statements of an expression; `is_alone` says that it is a statement itself."""
        if isinstance(value, ast.Await):
            value = value.value
        if isinstance(value, ast.Call) and syntax.method_name(value) == "clear":
            self._check_cleared(syntax.receiver(value))
        is_deferred = any(isinstance(node, _DEFERRED) for node in ast.walk(value))
        is_send = isinstance(value, ast.Call) and self._sends.is_send(value)
        if not is_send and (is_deferred or self._sends.uses_errors(value)):
            raise Unclear
        if (
            isinstance(value, ast.Call)
            and is_alone
            and (call_statements := self._call_statement(value)) is not None
        ):
            return call_statements
        statements, are_harmless = list[Statement](), True
        for call in syntax.calls(value):
            if (
                syntax.receiver(call) in self._consumers
                or syntax.method_name(call) in _EXIT_FUNCTIONS
            ):
                raise Unclear
            uses_message = self._uses_message(call) and syntax.method_name(call) != "clear"
            if uses_message and syntax.method_name(call) in self._functions:
                raise Unclear
            if uses_message and syntax.error_only_on_request(call):
                raise Unclear
            if uses_message and not (syntax.is_log(call) or only_observes(call)):
                statements.append(Work(is_effect=not syntax.only_parses(call)))
            are_harmless = are_harmless and (syntax.is_log(call) or uses_message)
        is_comprehension = any(isinstance(node, ast.comprehension) for node in ast.walk(value))
        if statements and is_comprehension:
            raise Unclear
        if self._handling and not statements and not (is_alone and are_harmless):
            raise Unclear  # it may handle the error of a message
        return statements

    def _call_statement(self, call: ast.Call) -> Block | None:
        """The statements of a call that is a statement itself, if they are known; None
        otherwise."""
        verb, receiver = syntax.method_name(call), syntax.receiver(call)
        if receiver in self._consumers:
            return self._consumer_call(call, verb)
        with suppress(Unclear):
            statements = self._sends.producer_call(call)
            if statements is not None:
                is_other = any(
                    isinstance(statement, Send) for statement in statements
                ) and not self._uses_message(call)
                return [] if is_other else statements
        if (
            verb in self._functions
            and (not receiver or receiver == "self")
            and self._uses_message(call)
        ):
            return [self._call(call)]
        if verb == "append" and receiver in self._buffers and not self._handling:
            self._batches.add(receiver)
            return []
        return None

    def _consumer_call(self, call: ast.Call, verb: str) -> Block:
        if verb in _SETUP_METHODS:
            return []
        if verb == "close":
            return [Close(call.lineno)]
        if verb != "commit":
            raise Unclear
        arguments = [
            *call.args,
            *(word.value for word in call.keywords if word.arg != "asynchronous"),
        ]
        if not arguments:
            return [Commit(call.lineno, whole=True)]
        if (
            len(arguments) == 1
            and isinstance(arguments[0], ast.Name)
            and arguments[0].id in self._messages
        ):
            return [Commit(call.lineno, whole=False)]
        raise Unclear

    def _call(self, call: ast.Call) -> Call:
        function = self._functions[syntax.method_name(call)]
        if self._depth == _MAX_DEPTH or isinstance(function, ast.AsyncFunctionDef):
            raise Unclear
        parameters = [parameter.arg for parameter in function.args.args if parameter.arg != "self"]
        if call.keywords or len(parameters) != len(call.args):
            raise Unclear
        before = self._messages, self._batches, self._counter, self._handling, self._flags
        pairs = list(zip(parameters, call.args, strict=True))
        self._batches = {name for name, value in pairs if self._is_in(value, self._batches)}
        self._messages = {name for name, value in pairs if syntax.names_in(value) & self._messages}
        self._counter, self._depth, self._handling, self._flags = "", self._depth + 1, False, set()
        body = self.block(function.body)
        self._depth -= 1
        self._messages, self._batches, self._counter, self._handling, self._flags = before
        return Call(body)

    def _if(self, node: ast.If) -> Block:
        condition = self._condition(node.test)
        flushes = [statement for call in syntax.calls(node.test) for statement in self._flush(call)]
        before = self._handling
        self._handling = before or not (condition.of_record or condition.value is not None)
        then, other = self.block(node.body), self.block(node.orelse)
        self._handling = before
        return [*flushes, If(condition, then, other)]

    def _flush(self, call: ast.Call) -> Block:
        """A `flush` whose result is checked."""
        return (
            (self._sends.producer_call(call) or []) if syntax.method_name(call) == "flush" else []
        )

    def _condition(self, test: ast.expr) -> Condition:
        if (known := self._known_value(test)) is not None:
            return Condition(known)
        if condition := self._sends.condition(test) or self._flag_condition(test):
            return condition
        negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        inner = test.operand if isinstance(test, ast.UnaryOp) else test
        calls_function = (
            isinstance(inner, ast.Call) and syntax.method_name(inner) in self._functions
        )
        if is_open_circuit(inner):
            return Condition(call=refusal(inner.lineno), negated=not negated)
        if isinstance(inner, ast.Call) and may_refuse(inner):
            return Condition(call=refusal(inner.lineno), negated=negated)
        if isinstance(inner, ast.Call) and calls_function and self._uses_message(inner):
            return Condition(call=self._call(inner), negated=negated)
        names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        match test:
            case ast.Compare(ops=[op]) if self._counter in names and isinstance(
                op, _AT_LEAST | _LESS_THAN
            ):
                return Condition(isinstance(op, _AT_LEAST), is_last=True)
        if not names & (self._messages | self._batches):
            if any(syntax.receiver(call) in self._consumers for call in syntax.calls(test)):
                raise Unclear
            return Condition()
        if all(syntax.only_parses(call) for call in syntax.calls(test)):
            return Condition(of_record=True)
        raise Unclear

    def _flag_condition(self, test: ast.expr) -> Condition | None:
        """The condition on a flag variable, whose value the simulation knows."""
        match test:
            case ast.Name(name) if name in self._flags:
                return Condition(flag=f"{self._depth}.{name}")
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name(name)) if name in self._flags:
                return Condition(flag=f"{self._depth}.{name}", negated=True)
            case ast.Compare(
                ast.Name(name), [ast.Eq() | ast.Gt() | ast.NotEq() as op], [ast.Constant(0)]
            ) if name in self._flags:
                return Condition(flag=f"{self._depth}.{name}", negated=isinstance(op, ast.Eq))
            case _:
                return None

    def _known_value(self, test: ast.expr) -> bool | None:
        """The value of a condition that checks for a message without an error of the client; None
        if it is unknown."""
        match test:
            case ast.BoolOp(op=op, values=values):
                results = [self._known_value(value) for value in values]
                decisive = isinstance(op, ast.Or)
                if None in results:
                    return decisive if decisive in results else None
                return any(results) if decisive else all(results)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                result = self._known_value(inner)
                return None if result is None else not result
            case ast.Name(name):
                return True if name in self._messages | self._batches else None
            case ast.Call(func=ast.Attribute(value=ast.Name(name), attr="error"), args=[]):
                return False if name in self._messages else None
            case ast.Compare(ast.Name(name), [ast.Is() | ast.IsNot() as op], [ast.Constant(None)]):
                return isinstance(op, ast.IsNot) if name in self._messages else None
            case _:
                return None

    def _loop(self, node: ast.For | ast.While) -> Block:
        polls = any(syntax.polls(call, self._consumers) for call in syntax.calls(node))
        if isinstance(node, ast.While):
            self._loops += 1
            body = self.block(node.body)
            self._loops -= 1
            if node.orelse:
                raise Unclear
            if polls and not list(syntax.calls(node.test)):
                return [Loop(body)]
            if body or self._sends.uses_producer(node):
                raise Unclear
            return []
        match node:
            case ast.For(target=ast.Name(variable), iter=ast.Name(name)) if name in self._batches:
                self._messages.add(variable)
                body = self.block(node.body)
                orelse = self.block(node.orelse)
                return [ForEach(body, orelse=orelse)] if body or orelse else []
            case ast.For(target=ast.Name(variable), iter=ast.Call(func=ast.Name("range"))):
                before, self._counter = self._counter, variable
                body = self.block(node.body)
                self._counter = before
                return [Loop(body, _LOOP_ROUNDS, self._handler_block(node.orelse))]
            case _:
                raise Unclear

    def _try(self, node: ast.Try) -> Block:
        if node.orelse:
            raise Unclear
        self._attempts += 1
        body, handlers = self.block(node.body), list[Handler]()
        self._attempts -= 1
        for handler in node.handlers:
            statements = self._handler_block(handler.body)
            if syntax.catches_all(handler, node.body):
                handlers.append(Handler(statements, handler.lineno))
        return [Try(body, handlers, self.block(node.finalbody))]

    def _check_cleared(self, name: str) -> None:
        """Raises `Unclear` for a buffer that keeps its messages if an attempt fails."""
        if self._attempts and name in self._batches & self._buffers:
            raise Unclear

    def _handler_block(self, body: Iterable[ast.stmt]) -> Block:
        """Statements that may handle the error of a message."""
        before, self._handling = self._handling, True
        block = self.block(body)
        self._handling = before
        return block

    def _with(self, manager: ast.Call, node: ast.With) -> Block:
        if syntax.method_name(manager) != "suppress":
            raise Unclear
        return [Try(self.block(node.body), (Handler((), node.lineno),))]

    def _return(self, value: ast.expr | None) -> Block:
        match value:
            case None:
                return [Jump("return", value=False)]
            case ast.Constant(returned):
                return [Jump("return", bool(returned))]
            case _:
                raise Unclear

    def _uses_message(self, call: ast.Call) -> bool:
        """Whether a call has a message as an argument, or is a method of one."""
        return bool(syntax.names_in(call) & (self._messages | self._batches))

    def _is_in(self, value: ast.expr, names: set[str]) -> bool:
        return isinstance(value, ast.Name) and value.id in names
