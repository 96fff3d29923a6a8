"""The expressions of a Python program that is run with example messages (`example_run`)."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.processing.example_program import (
    Closure,
    Frame,
    Jump,
    NotRun,
    Program,
    Stopped,
    is_generator,
)
from advisor.intake.programs.python.processing.example_values import (
    FUNCTIONS,
    METHODS,
    SAMPLE,
    UNKNOWN,
    ItemIterator,
    Message,
    PythonError,
    element,
    extend,
    items,
    merged,
    number,
    offsets_in,
    operation,
    parts,
    truth,
)

_MOST_STEPS, _ITEMS_A_STEP, _MOST_CALLS = 150_000, 100, 4
_CLOCK = re.compile(r"\b(?:time|monotonic|perf_counter|now|utcnow|done|random|randint)\(")
_MODULES = frozenset({"itertools", "it", "random", "heapq", "more_itertools", "collections"})
_FOR_EACH = ("foreach", "foreachPartition")
_SUBMITS, _WAITS = ("submit", "apply_async"), ("join", "shutdown")
_REPOSITIONS = frozenset({"seek", "pause", "resume", "assign", "incremental_assign"})


@dataclass
class Expressions:
    """The state of a run, and the values of expressions.

    `polls` are the numbers of messages that the polls return. `choices` are the results of
    decisions, by their text, and `free` those that depend on a message, on the time or on chance.
    """

    program: Program
    polls: Sequence[int]
    choices: dict[str, bool]
    free: set[str] = field(default_factory=set)
    used: set[int] = field(default_factory=set)
    submitted: set[int] = field(default_factory=set)
    """The messages that were handed over to a pool."""
    committed: dict[int, int] = field(default_factory=dict)
    """The line of the first commit that covers each message that was not used before."""
    polled: list[tuple[range, int]] = field(default_factory=list)
    """The offsets of each poll, and its line."""
    frames: list[Frame] = field(default_factory=list)
    held: frozenset[int] = frozenset()
    """The messages that names still hold at the end."""
    callers: list[list[Frame]] = field(default_factory=list)
    """The frames of the functions that wait for others to return."""
    yields: list[Callable[[Any], Any]] = field(default_factory=list)
    """What the generators that are running do with each value that they yield."""
    waits: Counter[str] = field(default_factory=Counter)
    """How often each condition on the time was asked."""
    ahead: int = 0
    """How many generators run before what they yield is processed."""

    def offsets_of_names(self) -> frozenset[int]:
        """The offsets of the messages that names hold."""
        frames = [frame for frames in (self.frames, *self.callers) for frame in frames]
        return offsets_in([value for frame in frames for value in frame.values()])

    def block(self, body: Iterable[ast.stmt]) -> None:
        """Runs statements."""
        raise NotImplementedError

    def use(self, value: Any) -> None:
        """Notes that the messages in a value are used."""
        for part in parts(value):
            self.step()
            if isinstance(part, Message):
                self.used |= part.offsets

    def step(self, count: int = 1) -> None:
        """Counts steps: a run that takes too long is given up."""
        self.program.steps += count
        if self.program.steps > _MOST_STEPS:
            raise NotRun

    def count_items(self, *values: Any) -> None:
        """Counts the steps of an operation that copies or reads all items of lists."""
        self.step(sum(len(value) for value in values if isinstance(value, list)) // _ITEMS_A_STEP)

    def decision(self, test: ast.expr, *, is_kept: Callable[[bool], bool] | None = None) -> bool:
        """The result of a condition: its value, or else the choice of this run. A message that
        decides is used, unless `is_kept` says that the program goes on with it."""
        value = self.value(test)
        if (known := truth(value)) is not None:
            return known
        text = self.program.text(test)
        choice = self.choices.setdefault(text, True)
        if offsets_in(value) or _CLOCK.search(text):
            self.free.add(text)
        if not choice and _CLOCK.search(text):
            self.waits[text] += 1
            choice = self.waits[text] % len(self.polls) == len(self.polls) - 2
        if not (is_kept and is_kept(choice)):
            self.use(value)
        return choice

    # names

    def read(self, name: str) -> Any:
        """The value of a name, which may be dotted."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        function = self.program.functions.get(name)
        return Closure(function, self.frames[:1]) if function else UNKNOWN

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assigns a value to a target; one that is stored elsewhere counts as used."""
        match target:
            case ast.Name(name):
                self._frame_of(name)[name] = value
            case ast.Attribute():
                self.frames[0][self.program.text(target)] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(targets, value)
            case ast.Starred(value=inner):
                self.assign(inner, value)
            case _:
                self.use(value)

    def _frame_of(self, name: str) -> Frame:
        """The frame in which an assignment to a name is stored."""
        if f"global {name}" not in self.frames[-1]:
            return self.frames[-1]
        outer = (frame for frame in reversed(self.frames[:-1]) if name in frame)
        return next(outer, self.frames[0])

    def _unpack(self, targets: list[ast.expr], value: Any) -> None:
        if not isinstance(value, list):
            for target in targets:
                self.assign(target, value)
            return
        starred = [n for n, node in enumerate(targets) if isinstance(node, ast.Starred)]
        if starred:
            begin, end = starred[0], len(value) - len(targets) + starred[0] + 1
            value = [*value[:begin], value[begin:end], *value[end:]]
        if len(value) != len(targets):
            raise PythonError
        for target, part in zip(targets, value, strict=True):
            self.assign(target, part)

    # values

    def value(self, node: ast.expr | None) -> Any:
        """The value of an expression."""
        self.step()
        match node:
            case None:
                return None
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.read(name)
            case ast.Attribute(value=owner):
                value = self.read(self.program.text(node))
                return self._attribute(owner, node.attr) if value is UNKNOWN else value
            case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
                return self.values(elts)
            case ast.Subscript(value=source, slice=index):
                values = self.value(source)
                self.count_items(values)
                return element(values, self.index(index))
            case ast.Call():
                return self._call(node)
            case ast.Await(value=inner) | ast.Starred(value=inner):
                return self.value(inner)
            case ast.NamedExpr(target=target, value=inner):
                value = self.value(inner)
                self.assign(target, value)
                return value
            case ast.Lambda():
                return Closure(node, [*self.frames])
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehension(node)
            case _:
                return self._operation(node)

    def _attribute(self, owner: ast.expr, name: str) -> Any:
        value = self.value(owner)
        return value if isinstance(value, list) and name == "rdd" else merged((value,))

    def _operation(self, node: ast.expr) -> Any:
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                return operation(type(op).__name__, *self._sides(left, right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return operation(type(op).__name__, *self._sides(left, right))
            case ast.UnaryOp(op=op, operand=inner):
                value = self.value(inner)
                if isinstance(op, ast.Not):
                    known = truth(value)
                    return value if known is None else not known
                return -value if isinstance(value, int) and isinstance(op, ast.USub) else value
            case ast.BoolOp(op=op, values=values):
                for operand in values[:-1]:
                    if self.decision(operand) == isinstance(op, ast.Or):
                        return isinstance(op, ast.Or)
                return self.value(values[-1])
            case ast.IfExp(test=test, body=then, orelse=other):
                return self.value(then if self.decision(test) else other)
            case ast.Yield(value=inner) if self.yields:
                self.yields[-1](self.value(inner))
            case ast.YieldFrom(value=inner) if self.yields:
                for value in items(self.value(inner)):
                    self.yields[-1](value)
            case ast.Yield(value=inner):
                self.use(self.value(inner))
            case _:
                names = (part for part in ast.walk(node) if isinstance(part, ast.Call | ast.Name))
                return merged([self.value(part) for part in names])
        return UNKNOWN

    def _sides(self, *nodes: ast.expr) -> list[Any]:
        """The values of two operands. Next to a number, an unknown name is a number, too."""
        values = [self.value(node) for node in nodes]
        self.count_items(*values)
        if not any(isinstance(value, int) for value in values):
            return values
        return [
            SAMPLE if value is UNKNOWN and isinstance(node, ast.Name | ast.Attribute) else value
            for node, value in zip(nodes, values, strict=True)
        ]

    def values(self, nodes: Iterable[ast.expr]) -> list[Any]:
        """The values of list elements or arguments, with starred ones expanded."""
        values = list[Any]()
        for node in nodes:
            value = self.value(node)
            extend(values, items(value) if isinstance(node, ast.Starred) else [value])
        return values

    def index(self, node: ast.expr) -> Any:
        """The value of an index or a slice."""
        if not isinstance(node, ast.Slice):
            return self.value(node)
        bounds = [
            None if bound is None else number(self.value(bound))
            for bound in (node.lower, node.upper, node.step)
        ]
        return slice(*bounds)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> list[Any]:
        results = ItemIterator() if isinstance(node, ast.GeneratorExp) else list[Any]()
        self.frames.append({})
        try:
            self._generators(node.generators, node.elt, results)
        finally:
            self.frames.pop()
        return results

    def _generators(
        self, generators: list[ast.comprehension], result: ast.expr, results: list[Any]
    ) -> None:
        if not generators:
            results.append(self.value(result))
            return
        for value in items(self.value(generators[0].iter)):
            self.assign(generators[0].target, value)
            if all(self.decision(test, is_kept=bool) for test in generators[0].ifs):
                self._generators(generators[1:], result, results)

    # calls

    def _call(self, call: ast.Call) -> Any:
        name, receiver = syntax.method_name(call), self._receiver(call)
        if receiver in self.program.consumers:
            return self._consumer_call(call, name)
        arguments = self.values(call.args)
        keywords = {word.arg or "": self.value(word.value) for word in call.keywords}
        if function := self.closure(call):
            return self._enter(function, arguments, keywords)
        owner = self.value(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, list) and name in _FOR_EACH and isinstance(arguments[0], Closure):
            for value in owner if name == "foreach" else [ItemIterator(owner)]:
                self._enter(arguments[0], [value], {})
            return None
        self.count_items(*arguments)
        if isinstance(owner, list) and name in METHODS:
            return self._computed(METHODS[name], [owner, *arguments])
        if name in FUNCTIONS and (not receiver or receiver in _MODULES):
            return self._computed(FUNCTIONS[name], arguments)
        return self._other_call(call, owner, [owner, *arguments, *keywords.values()])

    def _receiver(self, call: ast.Call) -> str:
        return self.program.text(call.func.value) if isinstance(call.func, ast.Attribute) else ""

    def closure(self, call: ast.Call) -> Closure | None:
        """The function of the program that a call runs; None for any other."""
        receiver = self._receiver(call)
        if receiver and receiver not in syntax.OWN:
            return None
        function = self.value(call.func)
        if receiver and not isinstance(function, Closure):
            function = self.read(syntax.method_name(call))
        return function if isinstance(function, Closure) else None

    def _other_call(self, call: ast.Call, owner: Any, values: list[Any]) -> Any:
        """The result of a call of a function that is not known."""
        name, receiver = syntax.method_name(call), self._receiver(call)
        if syntax.is_log(call) or (isinstance(owner, Message) and name == "error"):
            return None
        if syntax.only_parses(call) and name not in METHODS:
            return merged(values)
        if name in _SUBMITS:
            self.submitted |= offsets_in(values)
            return merged(values)
        if isinstance(owner, Message) and name == "done":
            return UNKNOWN
        if name in _WAITS and isinstance(call.func, ast.Attribute):
            self.used |= self.submitted
        self.use(values)
        if receiver in syntax.OWN or not (receiver or call.args or call.keywords):
            self.use([*self.frames[0].values()])
        return UNKNOWN

    def _computed(self, function: Any, arguments: list[Any]) -> Any:
        try:
            return function(*arguments)
        except TypeError:
            self.use(arguments)
            return UNKNOWN

    def _consumer_call(self, call: ast.Call, name: str) -> Any:
        arguments = [self.value(word) for word in syntax.commit_argument(call)]
        if name in syntax.POLLS:
            return self._poll(call)
        if name in _REPOSITIONS:
            raise NotRun
        if name in syntax.COMMITS:
            end = self.polled[-1][0].stop if self.polled else 0
            if arguments:
                end = max(offsets_in(arguments), default=-1) + 1
            for offset in range(end):
                if offset not in self.used:
                    self.committed.setdefault(offset, call.lineno)
        return UNKNOWN

    def _poll(self, call: ast.Call) -> Any:
        if self.ahead:
            raise NotRun  # what was polled before is not processed yet
        if len(self.polled) == len(self.polls):
            self.held = self.offsets_of_names()
            for callback in self.program.callbacks:
                self.run_function(Closure(callback, self.frames[:1]), [], {})
            raise Stopped
        if syntax.polls_many(call):
            return self.messages(call.lineno)
        return [*self.messages(call.lineno, 1), None][0]

    def messages(self, line: int, most: int | None = None) -> list[Message]:
        """Returns the messages of the next poll."""
        begin = self.polled[-1][0].stop if self.polled else 0
        count = self.polls[len(self.polled)]
        offsets = range(begin, begin + (count if most is None else min(count, most)))
        self.polled.append((offsets, line))
        return [Message(frozenset((offset,)), is_polled=True) for offset in offsets]

    def _enter(self, function: Closure, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of a function of the program; a generator runs to its end."""
        if not is_generator(function.node):
            return self.run_function(function, arguments, keywords)
        values = ItemIterator()
        self.ahead += 1
        self.yields.append(values.append)
        self.run_function(function, arguments, keywords)
        self.yields.pop()
        self.ahead -= 1
        return values

    def run_function(
        self, function: Closure, arguments: list[Any], keywords: Mapping[str, Any]
    ) -> Any:
        """Runs a function of the program, and returns its result."""
        node = function.node
        names = parameters(node) if isinstance(node, Function) else [a.arg for a in node.args.args]
        names = [name for name in names if name not in syntax.OWN]
        is_other = len(arguments) > len(names) or getattr(node, "decorator_list", [])
        if is_other or len(self.callers) == _MOST_CALLS:
            self.use([*arguments, *keywords.values(), *self.frames[0].values()])
            return UNKNOWN
        frame = dict.fromkeys(names, UNKNOWN) | self._defaults(node) | dict(keywords)
        frame |= dict(zip(names, arguments, strict=False))
        self.callers.append(self.frames)
        self.frames = [*function.frames, frame]
        result = None
        try:
            if isinstance(node, ast.Lambda):
                result = self.value(node.body)
            else:
                self.block(node.body)
        except Jump as jump:
            result = jump.value
        except PythonError:
            self.frames = self.callers.pop()
            raise
        self.frames = self.callers.pop()
        return result

    def _defaults(self, node: Function | ast.Lambda) -> Frame:
        values = node.args.defaults
        names = [argument.arg for argument in node.args.args[len(node.args.args) - len(values) :]]
        return {name: self.value(value) for name, value in zip(names, values, strict=True)}
