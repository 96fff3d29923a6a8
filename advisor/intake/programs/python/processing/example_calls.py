"""The calls of a Python program that is run with example messages (`example_run`): those of the
consumer, of lists, of tasks and of others.

Sources: concurrent.futures (`submit` returns a future that keeps the error of its task; `map` of an
executor raises it where its result is taken; `wait` raises none, and the errors of callbacks are
only logged); asyncio (`gather`, `wait`, `TaskGroup`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors.outcome_names import ACTION
from advisor.intake.programs.python.errors.sends import send_callbacks
from advisor.intake.programs.python.processing.example_expressions import Expressions, awaited
from advisor.intake.programs.python.processing.example_functions import (
    FUNCTIONS,
    METHODS,
    TABLE_METHODS,
)
from advisor.intake.programs.python.processing.example_program import (
    Bound,
    Closure,
    NotRun,
    Stopped,
)
from advisor.intake.programs.python.processing.example_sends import Sends
from advisor.intake.programs.python.processing.example_values import (
    MISSING,
    UNKNOWN,
    Exited,
    Failure,
    Future,
    Instance,
    ItemIterator,
    Message,
    PythonError,
    Queue,
    Table,
    extend,
    items,
    merged,
    of_message,
    offsets_in,
    parts,
    truth,
)
from advisor.intake.programs.python.processing.example_workers import Workers
from advisor.intake.programs.python.records.observations import only_observes

_MODULES = frozenset({"itertools", "it", "random", "heapq", "more_itertools", "collections"})
_FILTERS = frozenset({"filter", "filterfalse", "takewhile"})
"""Functions that yield the items for which their function returns true; `filterfalse` yields the
others (The Python Standard Library, itertools)."""
_FOR_EACH = ("foreach", "foreachPartition")
_SUBMITS, _WAITS = ("submit", "apply_async"), ("join", "shutdown")
_TASKS = frozenset({"create_task", "ensure_future", "run_coroutine_threadsafe", "start_soon"})
_REPOSITIONS = frozenset({"seek", "pause", "resume", "assign", "incremental_assign"})
_NEW_POSITIONS = syntax.CONSUMER_CLASSES | {"subscribe", "unsubscribe"}
"""Calls after which a consumer begins at the committed offsets."""
_EXITS = frozenset({"exit", "_exit", "quit", "abort", "kill"})
_FACTORIES: dict[str, Callable[[], Any]] = {
    "list": list, "set": list, "deque": list, "int": int, "dict": Table,
}  # fmt: skip
_STORES = frozenset({"append", "add", "put", "put_nowait", "set", "appendleft"})
_SETTERS = frozenset({"set_headers", "set_key", "set_value", "set_error"})
"""Methods of a message that change only the message in memory (confluent-kafka, Message)."""
_NOT_FAILING = frozenset({"produce", "put", "put_nowait"})
"""Calls that hand a message over to a queue; their errors do not concern the message."""


@dataclass
class Calls:
    """Runs calls. `enter` runs a function of the program."""

    expressions: Expressions
    enter: Callable[[Closure, list[Any], dict[str, Any]], Any]
    create: Callable[[ast.ClassDef, list[Any], dict[str, Any]], Instance]
    tasks: list[tuple[str, Future]] = field(default_factory=list)
    """The futures that were created, each with the receiver of the call."""
    ahead: int = 0
    """How many generators run before what they yield is processed."""

    def __post_init__(self) -> None:
        run = self.expressions
        self._program, self._memory, self._record = run.program, run.memory, run.record
        self._workers = Workers(run.memory, run.record)
        self._sends = Sends(run.record, self.enter)

    def run(self, call: ast.Call) -> Any:
        """The result of a call."""
        name, receiver = syntax.method_name(call), self.receiver(call)
        if self._record.failing and self._record.polled and name in _NEW_POSITIONS:
            raise NotRun
        if receiver in self._program.consumers:
            return self._consumer_call(call, name)
        if self._record.failing and (name in _TASKS or name in ("gather", "wait")):
            return self._task_call(call, name)
        arguments = self.expressions.values(call.args)
        keywords = {word.arg or "": self.expressions.value(word.value) for word in call.keywords}
        failing = self._record.failing
        if failing and failing.is_sent and self._program.sends(call):
            callback = next(map(self.expressions.value, send_callbacks(call)), None)
            return self._sends.call(call, failing, callback, [*arguments, *keywords.values()])
        callee = self.callee(call)
        if isinstance(callee, Bound):
            self._record.objects.add(receiver)
        if isinstance(callee, Closure):
            return self.enter(callee, arguments, keywords)
        if isinstance(callee, ast.ClassDef):
            return self.create(callee, arguments, keywords)
        func = call.func
        owner = self.expressions.value(func.value) if isinstance(func, ast.Attribute) else None
        if self._record.failing:
            result = self._worker_call(call, owner, arguments, keywords)
            if result is not MISSING:
                return result
        if failing and failing.is_sent and owner is UNKNOWN and name in _STORES:
            # a list or a flag of another file, in which a callback stores an error
            stored = self._memory.frames[0].get(receiver)
            known = stored if isinstance(stored, list) else []
            self._memory.frames[0][receiver] = known
            extend(known, arguments or [True])
            return None
        if (known := self._known_call(call, owner, arguments)) is not MISSING:
            return known
        return self._other_call(call, owner, [owner, *arguments, *keywords.values()])

    def _worker_call(
        self, call: ast.Call, owner: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """The result of a call of a thread or a queue; `MISSING` for any other."""
        name = syntax.method_name(call)
        if name in syntax.QUEUE_CLASSES:
            return Queue()
        if isinstance(owner, Queue):
            return self._workers.queue_call(owner, name, arguments, keywords)
        function = keywords.get("target", MISSING) if name == "Thread" else MISSING
        if name == "start" and isinstance(owner, Instance):
            has_start = self._program.method(owner.definition, name)
            function = MISSING if has_start else self.expressions.member(owner, "run")
        if function is not MISSING:
            given = [*items(keywords.get("args", []))]
            self._workers.run_thread(lambda: self._apply(call, function, given))
            return UNKNOWN
        return MISSING

    def _known_call(self, call: ast.Call, owner: Any, arguments: list[Any]) -> Any:
        """The result of a function or a method of lists and dicts; `MISSING` for any other."""
        name, receiver = syntax.method_name(call), self.receiver(call)
        self._program.count_items(owner, *arguments)
        if isinstance(owner, list) and name in _FOR_EACH and isinstance(arguments[0], Closure):
            for value in owner if name == "foreach" else [ItemIterator(owner)]:
                self.enter(arguments[0], [value], {})
            return None
        if isinstance(owner, list) and name in METHODS:
            return self._computed(METHODS[name], [owner, *arguments])
        if isinstance(owner, Table) and name in TABLE_METHODS:
            return self._computed(TABLE_METHODS[name], [owner, *arguments])
        if name in FUNCTIONS and (not receiver or receiver in _MODULES):
            if name in _FILTERS and isinstance(arguments[0], Closure):
                return self._filtered(name, arguments[0], items(arguments[1]))
            if name == "defaultdict" and call.args:
                arguments[0] = _FACTORIES.get(ast.unparse(call.args[0]), arguments[0])
            return self._computed(FUNCTIONS[name], arguments)
        return MISSING

    def _filtered(self, name: str, function: Closure, values: list[Any]) -> ItemIterator:
        """The items for which a function of the program returns true, or may do so."""
        results = ItemIterator()
        for value in [*values]:
            is_true = truth(self.enter(function, [value], {}))
            if is_true is not (name == "filterfalse") or is_true is None:
                results.append(value)
            elif name == "takewhile":
                break
        return results

    def receiver(self, call: ast.Call) -> str:
        """The receiver of a method call; empty for any other call."""
        return self._program.text(call.func.value) if isinstance(call.func, ast.Attribute) else ""

    def callee(self, call: ast.Call) -> Any:
        """The function or the class of the program that a call runs; `UNKNOWN` for any other."""
        receiver = self.receiver(call)
        if receiver and receiver not in syntax.OWN and not self._program.classes:
            return UNKNOWN
        function = self.expressions.value(call.func) if _is_path(call.func) else UNKNOWN
        if receiver in syntax.OWN and not isinstance(function, Closure | ast.ClassDef):
            function = self.expressions.value(ast.Name(syntax.method_name(call)))
        if isinstance(function, Instance):
            function = self.expressions.member(function, "__call__")
        is_own = not receiver or receiver in syntax.OWN or isinstance(function, Bound)
        return function if is_own else UNKNOWN

    def _other_call(self, call: ast.Call, owner: Any, values: list[Any]) -> Any:
        """The result of a call of a function that is not known."""
        name, receiver = syntax.method_name(call), self.receiver(call)
        self._record.other_objects.add(receiver)
        if (read := self._read_call(call, owner, values)) is not MISSING:
            return read
        if name in _SUBMITS:
            return self._submit(call, values)
        if name in _WAITS and isinstance(call.func, ast.Attribute):
            self._record.used |= self._record.submitted
        if name in ("map", "as_completed") and self._record.failing:
            return self._tasks_of(call, name, values[1:])
        outcome = self._effect(call, name, values)
        if receiver in syntax.OWN or not (receiver or call.args or call.keywords):
            self._record.use([*self._memory.frames[0].values()])
        return outcome

    def _read_call(self, call: ast.Call, owner: Any, values: list[Any]) -> Any:
        """The result of a call that ends the program, only logs, or only reads its arguments;
        `MISSING` for any other."""
        name = syntax.method_name(call)
        if name in _EXITS:
            raise Exited
        if isinstance(owner, Future) and self._record.failing:
            return self._future_call(owner, name, values)
        if syntax.is_log(call) or (isinstance(owner, Message) and name == "error"):
            return None
        if isinstance(owner, Message) and name in _SETTERS:
            return None
        if isinstance(owner, Message) and owner.is_polled and len(values) == 1:
            return of_message(owner, name)
        if name == "isinstance" and self._record.failing and _asks_for_error(call):
            return isinstance(values[1], Failure)
        if syntax.only_parses(call) and name not in METHODS:
            self._program.count_items(*values)
            return merged(values)
        is_future = isinstance(owner, Message) and name == "done"
        return UNKNOWN if is_future else MISSING

    def _effect(self, call: ast.Call, name: str, values: list[Any]) -> Any:
        """Runs a call whose effect is not known: it uses its messages, or fails. Returns whether it
        succeeded if the run is one where calls return that, and `UNKNOWN` otherwise."""
        record, is_decision = self._record, bool(self.expressions.decisions)
        if only_observes(call) or (is_decision and _only_failures(values)):
            record.decide(values)
            return UNKNOWN
        text, is_returned = self._program.text(call.func), False
        if record.failing and record.failing.is_returned:
            is_tested = is_decision or id(call) in self._program.tested
            is_returned = is_tested and bool(ACTION.fullmatch(name))
            if is_returned and not record.succeeds(text, values, call.lineno):
                return False
        elif name not in _NOT_FAILING:
            record.attempt(text, values, call.lineno)
        if not is_decision:
            record.call(text, values)
        record.use(values)
        return is_returned or UNKNOWN

    def _computed(self, function: Any, arguments: list[Any]) -> Any:
        try:
            return function(*arguments)
        except TypeError:
            self._record.use(arguments)
            return UNKNOWN

    # the consumer

    def _consumer_call(self, call: ast.Call, name: str) -> Any:
        arguments = [self.expressions.value(word) for word in syntax.commit_argument(call)]
        if name in syntax.POLLS:
            return self._poll(call)
        if name in _REPOSITIONS:
            raise NotRun
        if name == "close" and self._record.failed:
            self._record.closed = self._record.closed or call.lineno
        if name in syntax.COMMITS:
            end = self._record.end
            if arguments:
                end = max(offsets_in(arguments), default=-1) + 1
            self._record.commit(end, call.lineno)
        return UNKNOWN

    def _poll(self, call: ast.Call) -> Any:
        if self.ahead:
            raise NotRun  # what was polled before is not processed yet
        try:
            if syntax.polls_many(call):
                return self._record.poll(call.lineno)
            return next(iter(self._record.poll(call.lineno, 1)), None)
        except Stopped:
            self.note_held()
            for callback in self._program.callbacks:
                self.enter(Closure(callback, self._memory.frames[:1]), [], {})
            raise

    def note_held(self) -> None:
        """Notes the messages that names hold. A message that failed and that the last iteration
        left in a variable is not held."""
        failing = self._record.failing is not None
        self._record.held = self._record.held or self._memory.offsets(collected_only=failing)

    # tasks

    def _submit(self, call: ast.Call, values: list[Any]) -> Any:
        """The future of a call that a pool runs. It runs at once where messages fail, to see
        whether the program asks for its error."""
        self._record.submitted |= offsets_in(values)
        future = Future(offsets_in(values), UNKNOWN, None)
        if self._record.failing:
            try:
                future.result = self._workers.run(lambda: self._apply(call, values[1], values[2:]))
            except Exited:
                raise
            except PythonError as error:
                future.failure = error.value
        self.tasks.append((self.receiver(call), future))
        return future

    def _apply(self, call: ast.Call, function: Any, arguments: list[Any]) -> Any:
        """The result of a function that another one calls."""
        if isinstance(function, Closure):
            return self.enter(function, arguments, {})
        self._record.attempt(self._program.text(call), arguments, call.lineno)
        self._record.use(arguments)
        return UNKNOWN

    def _task_call(self, call: ast.Call, name: str) -> Any:
        """The result of `gather`, `wait` or a call that starts a task."""
        before, self.expressions.keeps_errors = self.expressions.keeps_errors, True
        values = list[Any]()
        try:
            for node in call.args:
                value = self._task(node) if name in _TASKS else self.expressions.task(node)
                values += items(value) if isinstance(node, ast.Starred) else [value]
        finally:
            self.expressions.keeps_errors = before
        if name == "wait":
            return [items(values[0]) if values else [], []]
        results = [value if isinstance(value, Future) else Future(offsets_in(value), value, None)
                   for value in values]  # fmt: skip
        if name == "gather":
            if syntax.gather_returns_errors(call):
                return [future.failure or future.result for future in results]
            return [awaited(future) for future in results]
        if not results:
            return UNKNOWN
        self.tasks.append((self.receiver(call), results[0]))
        return results[0]

    def _task(self, node: ast.expr) -> Any:
        """The result of a coroutine that runs as a task, or its error."""
        function = self.callee(node) if isinstance(node, ast.Call) else UNKNOWN
        if not isinstance(node, ast.Call) or not isinstance(function, Closure) or node.keywords:
            return self.expressions.task(node)
        arguments = self.expressions.values(node.args)
        try:
            return self._workers.run(lambda: self.enter(function, arguments, {}))
        except PythonError as error:
            return Future(frozenset(), None, error.value or Failure(frozenset()))

    def _tasks_of(self, call: ast.Call, name: str, values: list[Any]) -> Any:
        """The results of `map`, or the futures of `as_completed`."""
        if name == "as_completed":
            return [*items(values[0])] if values else UNKNOWN
        is_lazy = self.receiver(call) in {"", *self._program.executors}
        results = ItemIterator()
        for value in items(values[1]) if len(values) > 1 else []:
            try:
                results.append(self._apply(call, values[0], [value]))
            except PythonError as error:
                if not is_lazy or isinstance(error, Exited):
                    raise
                results.failure = error.value
                break
        return results

    def _future_call(self, future: Future, name: str, values: list[Any]) -> Any:
        """The result of a method of a future."""
        match name:
            case "result" | "get":
                self._record.decide(future)
                return awaited(future)
            case "exception":
                self._record.decide(future)
                return future.failure
            case "add_done_callback":
                self._callback(values[1], future)
                return None
            case _:
                return UNKNOWN

    def _callback(self, function: Any, future: Future) -> None:
        """Runs the callback of a future: its errors are only logged."""
        if not isinstance(function, Closure):
            self._record.use(future)
            return
        try:
            self.enter(function, [future], {})
        except Exited:
            raise
        except PythonError:
            pass

    def end_tasks(self, receiver: str) -> None:
        """Ends a task group. Raises the error of one of its tasks."""
        for group, future in self.tasks:
            if group == receiver:
                awaited(future)


def _is_path(node: ast.expr) -> bool:
    """Whether a callee is a name, or a path of attributes."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _only_failures(values: list[Any]) -> bool:
    """Whether a call in a condition asks only about errors."""
    messages = [part for part in parts(values) if isinstance(part, Message)]
    return bool(messages) and all(isinstance(message, Failure) for message in messages)


def _asks_for_error(call: ast.Call) -> bool:
    """Whether a call asks whether a result is an error, whatever its class."""
    classes = set[str]().union(*map(syntax.names_in, call.args[1:]))
    return len(call.args) > 1 and bool(classes & {"Exception", "BaseException"})
