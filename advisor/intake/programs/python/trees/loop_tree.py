"""The poll loop of a Python program as a tree of statements that can be played
(`programs.simulation`). What is not read for certain ends the reading.
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

_MOST, _DEEPEST, _ROUNDS = 200, 3, 3
_NOTHING = (
    ast.Import | ast.ImportFrom | ast.Pass | ast.Global | ast.Nonlocal | ast.Assert | ast.ClassDef
    | ast.FunctionDef | ast.AsyncFunctionDef
)  # fmt: skip
_OF_NUMBERS = (
    ast.Name | ast.Load | ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop
)
_LATER = ast.Lambda | ast.Await | ast.Yield
_COPIES = frozenset({"list", "tuple", "sorted", "reversed"})
_SETS_UP = frozenset({"subscribe", "assign", "list_topics", "subscription", "assignment"})
_EXITS = frozenset({"exit", "_exit", "quit", "abort"})
_AT_LEAST, _BELOW = ast.Eq | ast.GtE | ast.Gt, ast.NotEq | ast.Lt | ast.LtE


def poll_loop_facts(tree: ast.Module) -> dict[str, int]:
    """What the functions that poll do with messages, and in which line, where they are clear."""
    consumers, found = syntax.consumer_names(tree), dict[str, int]()
    functions = error_handling.functions_of_file(tree)
    sends = Sends(tree, functions)
    for top in [tree, *functions.values()]:
        with suppress(Unclear):
            found = (
                simulation.poll_loop_facts(Reader(sends, consumers, functions).block(top.body))
                | found
            )
    return found


class Reader:
    """Reads one function after its statements."""

    def __init__(self, sends: Sends, consumers: set[str], functions: dict[str, Function]) -> None:
        self._sends = sends
        self._consumers, self._functions = consumers, functions
        self._names, self._whole = set[str](), set[str]()
        self._lists, self._marks = set[str](), set[str]()
        self._round = ""
        self._depth = self._read = 0
        self._decides = False

    def block(self, body: Iterable[ast.stmt]) -> Block:
        return [part for node in body for part in self._statement(node)]

    def _statement(self, node: ast.stmt) -> Block:
        self._read += 1
        if self._read > _MOST:
            raise Unclear
        if isinstance(node, _NOTHING):
            return []
        match node:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                return self._assigned(name, value)
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.AugAssign(target=ast.Name(name)) if name in self._marks:
                return [SetFlag(f"{self._depth}.{name}", value=True)]
            case ast.AugAssign(ast.Name(name), value=value) if self._is_number(name, value):
                return []
            case ast.Expr(value=value) | ast.Assign(value=value) | ast.AugAssign(value=value):
                return self._expression(value, is_alone=isinstance(node, ast.Expr))
            case ast.If():
                return self._if(node)
            case ast.For() | ast.While():
                return self._loop(node)
            case ast.Try():
                return self._attempt(node)
            case ast.With(items=[ast.withitem(ast.Call() as given)]):
                return self._with(given, node)
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

    def _assigned(self, name: str, value: ast.expr) -> Block:
        if any(syntax.polls(call, self._consumers) for call in syntax.calls(value)):
            if not isinstance(value, ast.Call) or not syntax.polls(value, self._consumers):
                raise Unclear
            self._names.add(name)
            self._whole = {name} if syntax.method_name(value) == "consume" else set()
            return [Poll()]
        if isinstance(value, ast.Call) and (flushed := self._flush(value)):
            self._sends.left(name)
            return flushed
        if self._is_copy(value):
            self._whole.add(name)
            return []
        if name in self._sends.marks and isinstance(value, ast.Constant):
            self._marks.add(name)
            return [SetFlag(f"{self._depth}.{name}", bool(value.value))]
        if isinstance(value, ast.List) and not value.elts:
            self._lists.add(name)
            return []
        if self._is_number(name, value):
            return []
        found = self._expression(value, is_alone=False)
        if syntax.names_in(value) & self._names:
            self._names.add(name)
        return found

    def _is_number(self, name: str, value: ast.expr) -> bool:
        """Whether a name that has nothing of a message is given what is calculated of others that
        have not: a wait, a count."""
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        is_about = names & (self._names | self._whole)
        parts = (node for node in ast.walk(value) if not isinstance(node, _OF_NUMBERS))
        return not (is_about or name in self._names) and all(
            isinstance(node, ast.Call) and syntax.method_name(node) in ("min", "max")
            for node in parts
        )

    def _is_copy(self, value: ast.expr) -> bool:
        """Whether a value is all that was polled."""
        match value:
            case ast.Call(func=ast.Name(verb), args=[ast.Name(name)]) if verb in _COPIES:
                return name in self._whole
            case ast.ListComp(
                elt=ast.Name(each),
                generators=[ast.comprehension(ast.Name(own), ast.Name(name), ifs=[])],
            ):
                return each == own and name in self._whole
            case _:
                return False

    def _expression(self, value: ast.expr, *, is_alone: bool) -> Block:
        """What an expression does; `is_alone` says that it is a statement."""
        if isinstance(value, ast.Await):
            value = value.value
        is_later = any(isinstance(node, _LATER) for node in ast.walk(value))
        sends = isinstance(value, ast.Call) and self._sends.is_send(value)
        if not sends and (is_later or self._sends.is_used(value)):
            raise Unclear
        if isinstance(value, ast.Call) and is_alone and (whole := self._alone(value)) is not None:
            return whole
        found, are_told = list[Statement](), True
        for call in syntax.calls(value):
            if syntax.receiver(call) in self._consumers or syntax.method_name(call) in _EXITS:
                raise Unclear
            about = self._is_about(call) and syntax.method_name(call) != "clear"
            if about and syntax.method_name(call) in self._functions:
                raise Unclear
            if about and syntax.error_only_on_request(call):
                raise Unclear
            if about and not (syntax.is_log(call) or only_observes(call)):
                found.append(Work(is_effect=not syntax.only_parses(call)))
            are_told = are_told and (syntax.is_log(call) or about)
        is_comprehension = any(isinstance(node, ast.comprehension) for node in ast.walk(value))
        if found and is_comprehension:
            raise Unclear
        if self._decides and not found and not (is_alone and are_told):
            raise Unclear  # it may be what is done with a message that fails
        return found

    def _alone(self, call: ast.Call) -> Block | None:
        """What a statement that is one call does, if it is known as a whole."""
        verb, whose = syntax.method_name(call), syntax.receiver(call)
        if whose in self._consumers:
            return self._of_consumer(call, verb)
        with suppress(Unclear):
            sent = self._sends.of(call)
            if sent is not None:
                is_other = any(isinstance(part, Send) for part in sent) and not self._is_about(call)
                return [] if is_other else sent
        if verb in self._functions and (not whose or whose == "self") and self._is_about(call):
            return [self._called(call)]
        if verb == "append" and whose in self._lists and not self._decides:
            self._whole.add(whose)
            return []
        return None

    def _of_consumer(self, call: ast.Call, verb: str) -> Block:
        if verb in _SETS_UP:
            return []
        if verb == "close":
            return [Close(call.lineno)]
        if verb != "commit":
            raise Unclear
        given = [*call.args, *(word.value for word in call.keywords if word.arg != "asynchronous")]
        if not given:
            return [Commit(call.lineno, whole=True)]
        if len(given) == 1 and isinstance(given[0], ast.Name) and given[0].id in self._names:
            return [Commit(call.lineno, whole=False)]
        raise Unclear

    def _called(self, call: ast.Call) -> Call:
        function = self._functions[syntax.method_name(call)]
        if self._depth == _DEEPEST or isinstance(function, ast.AsyncFunctionDef):
            raise Unclear
        own = [argument.arg for argument in function.args.args if argument.arg != "self"]
        if call.keywords or len(own) != len(call.args):
            raise Unclear
        before = self._names, self._whole, self._round, self._decides, self._marks
        pairs = list(zip(own, call.args, strict=True))
        self._whole = {name for name, it in pairs if self._is_of(it, self._whole)}
        self._names = {name for name, it in pairs if syntax.names_in(it) & self._names}
        self._round, self._depth, self._decides, self._marks = "", self._depth + 1, False, set()
        body = self.block(function.body)
        self._depth -= 1
        self._names, self._whole, self._round, self._decides, self._marks = before
        return Call(body)

    def _if(self, node: ast.If) -> Block:
        condition = self._condition(node.test)
        flushes = [part for call in syntax.calls(node.test) for part in self._flush(call)]
        before = self._decides
        self._decides = before or not (condition.of_record or condition.value is not None)
        then, other = self.block(node.body), self.block(node.orelse)
        self._decides = before
        return [*flushes, If(condition, then, other)]

    def _flush(self, call: ast.Call) -> Block:
        """A `flush` whose result is asked for."""
        return (self._sends.of(call) or []) if syntax.method_name(call) == "flush" else []

    def _condition(self, test: ast.expr) -> Condition:
        if (known := self._known(test)) is not None:
            return Condition(known)
        if asked := self._sends.asked(test) or self._marked(test):
            return asked
        negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        inner = test.operand if isinstance(test, ast.UnaryOp) else test
        is_own = isinstance(inner, ast.Call) and syntax.method_name(inner) in self._functions
        if isinstance(inner, ast.Call) and _may_refuse(inner):
            return Condition(call=refusal(inner.lineno), negated=negated)
        if isinstance(inner, ast.Call) and is_own and self._is_about(inner):
            return Condition(call=self._called(inner), negated=negated)
        names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        match test:
            case ast.Compare(ops=[op]) if self._round in names and isinstance(
                op, _AT_LEAST | _BELOW
            ):
                return Condition(isinstance(op, _AT_LEAST), is_last=True)
        if not names & (self._names | self._whole):
            if any(syntax.receiver(call) in self._consumers for call in syntax.calls(test)):
                raise Unclear
            return Condition()
        if all(syntax.only_parses(call) for call in syntax.calls(test)):
            return Condition(of_record=True)
        raise Unclear

    def _marked(self, test: ast.expr) -> Condition | None:
        """The question for a variable that is known to be true or false at each place."""
        match test:
            case ast.Name(name) if name in self._marks:
                return Condition(mark=f"{self._depth}.{name}")
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name(name)) if name in self._marks:
                return Condition(mark=f"{self._depth}.{name}", negated=True)
            case ast.Compare(
                ast.Name(name), [ast.Eq() | ast.Gt() | ast.NotEq() as op], [ast.Constant(0)]
            ) if name in self._marks:
                return Condition(mark=f"{self._depth}.{name}", negated=isinstance(op, ast.Eq))
            case _:
                return None

    def _known(self, test: ast.expr) -> bool | None:
        """What a question whether there is a message, without an error of the client, comes to."""
        match test:
            case ast.BoolOp(op=op, values=values):
                answers = [self._known(value) for value in values]
                ends = isinstance(op, ast.Or)
                if None in answers:
                    return ends if ends in answers else None
                return any(answers) if ends else all(answers)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                answer = self._known(inner)
                return None if answer is None else not answer
            case ast.Name(name):
                return True if name in self._names | self._whole else None
            case ast.Call(func=ast.Attribute(value=ast.Name(name), attr="error"), args=[]):
                return False if name in self._names else None
            case ast.Compare(ast.Name(name), [ast.Is() | ast.IsNot() as op], [ast.Constant(None)]):
                return isinstance(op, ast.IsNot) if name in self._names else None
            case _:
                return None

    def _loop(self, node: ast.For | ast.While) -> Block:
        polls = any(syntax.polls(call, self._consumers) for call in syntax.calls(node))
        if isinstance(node, ast.While):
            body = self.block(node.body)
            if node.orelse:
                raise Unclear
            if polls and not list(syntax.calls(node.test)):
                return [Loop(body)]
            if body or self._sends.are_served(node):
                raise Unclear
            return []
        match node:
            case ast.For(target=ast.Name(own), iter=ast.Name(name)) if name in self._whole:
                self._names.add(own)
                body = self.block(node.body)
                behind = self.block(node.orelse)
                return [ForEach(body, behind=behind)] if body or behind else []
            case ast.For(target=ast.Name(own), iter=ast.Call(func=ast.Name("range"))):
                before, self._round = self._round, own
                body = self.block(node.body)
                self._round = before
                return [Loop(body, _ROUNDS, self.block(node.orelse))]
            case _:
                raise Unclear

    def _attempt(self, node: ast.Try) -> Block:
        if node.orelse:
            raise Unclear
        body, handlers = self.block(node.body), list[Handler]()
        before, self._decides = self._decides, True
        for handler in node.handlers:
            own = self.block(handler.body)
            if syntax.catches_all(handler, node.body):
                handlers.append(Handler(own, handler.lineno))
        self._decides = before
        return [Try(body, handlers, self.block(node.finalbody))]

    def _with(self, given: ast.Call, node: ast.With) -> Block:
        if syntax.method_name(given) != "suppress":
            raise Unclear
        return [Try(self.block(node.body), (Handler((), node.lineno),))]

    def _return(self, value: ast.expr | None) -> Block:
        match value:
            case None:
                return [Jump("return", value=False)]
            case ast.Constant(given):
                return [Jump("return", bool(given))]
            case _:
                raise Unclear

    def _is_about(self, call: ast.Call) -> bool:
        """Whether a call is given a message, or asks one for something."""
        return bool(syntax.names_in(call) & (self._names | self._whole))

    def _is_of(self, value: ast.expr, names: set[str]) -> bool:
        return isinstance(value, ast.Name) and value.id in names


def _may_refuse(call: ast.Call) -> bool:
    """Whether a call asks a lock or a limit that may refuse (threading, Lock.acquire)."""
    given = [*call.args, *(word.value for word in call.keywords)]
    is_limited = any(ast.unparse(value) not in ("True", "-1") for value in given)
    return syntax.method_name(call) == "try_acquire" or (
        syntax.method_name(call) == "acquire" and is_limited
    )
