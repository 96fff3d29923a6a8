"""Sends of a Python program with confluent-kafka whose errors are not handled.

The client reports a failed send only to its callback, which `poll()` or `flush()` calls
(confluent-kafka, Producer.produce; its AIOProducer returns a future). `produce()` raises only for a
full queue and for messages that it refuses immediately.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from advisor.intake.programs.facts import ABANDONED_TRANSACTION, DROPPED, ONLY_WRITTEN, RESULT
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors import error_branches, exits, outbox
from advisor.intake.programs.python.errors import futures as python_futures
from advisor.intake.programs.python.errors.callbacks import (
    Function,
    ignores_error,
    marks_sent,
    only_logs,
    only_raises,
    without_bound_arguments,
)

_CALLBACK_KEYWORDS = frozenset({"callback", "on_delivery"})
"""Keyword arguments that take the callback of a send."""
_CALLBACK_POSITIONS = {"produce": 4, "produce_batch": 3}
"""Methods that send, and the position of the callback among their arguments."""
_AIO_PRODUCERS = frozenset({"AIOProducer"})
PRODUCERS = frozenset({"Producer", "SerializingProducer", "AvroProducer"})
_UNKNOWN_CALLBACK = (
    "the file does not show whether this send has a callback. Write callback=… here, or give the "
    "settings as properties and state what the program does with a send that fails "
    "(application.delivery.errors)"
)
_EXIT_ERRORS = frozenset({"KeyboardInterrupt", "SystemExit", "CancelledError"})
"""Exceptions that end a program."""
_REFUSED = (
    "a message that the client refuses, for example because its queue is full, is skipped here"
)
_PURGED = "purge() here drops the messages that are not sent yet"
_NEVER_SERVED = "nothing calls poll() or flush(), so that no callback learns of a send that fails"
_NOT_FLUSHED = (
    "the program ends without waiting for the messages that are still queued: flush() without a "
    "timeout waits for them; with one it returns how many remain, which the program must check"
)


def commits_transactions(tree: ast.Module) -> bool:
    """Whether a program commits transactions: a failed send in one fails with it."""
    return any(syntax.method_name(call) == "commit_transaction" for call in syntax.calls(tree))


def unchecked_send(tree: ast.Module, *, in_config: bool) -> tuple[int, str]:
    """The line of the first send that fails unnoticed, and the reason; 0 if there is none. A send
    in a transaction that is committed fails with the transaction. `in_config` is true if the
    client's dict has a callback."""
    if commits_transactions(tree):
        return min(
            ((line, ABANDONED_TRANSACTION) for line in _abandoned_transactions(tree)),
            default=(0, ""),
        )
    sends = _Sends(tree, in_config=in_config)
    lines = [(line, reason) for reason, faults in (
        (RESULT, sends.unchecked_results()), (DROPPED, sends.ignored_errors()),
        (ONLY_WRITTEN, sends.logged_errors()), (ONLY_WRITTEN, sends.swallowed_errors()),
        (_PURGED, sends.purges()), (_REFUSED, sends.refused_sends()),
        (_NEVER_SERVED, sends.never_served()), (_NOT_FLUSHED, sends.unflushed_sends()),
    ) for line in faults]  # fmt: skip
    return min(lines, default=(0, ""))


def open_sends(tree: ast.Module) -> tuple[int, str]:
    """The line of the first send whose callback the file does not show, and the reason; 0 if there
    is none, or if transactions are committed."""
    if commits_transactions(tree):
        return 0, ""
    return _Sends(tree, in_config=False).unknown_callback(), _UNKNOWN_CALLBACK


def leaves_unsent_rows(tree: ast.Module, *, in_config: bool) -> bool:
    """Whether the program marks what it sends only after it is sent, so that it sends the rest
    again."""
    callbacks = _Sends(tree, in_config=in_config).callbacks()
    return any(outbox.attempts(tree)) or any(map(marks_sent, callbacks))


def _abandoned_transactions(tree: ast.Module) -> Iterator[int]:
    """Yields the lines where a transaction is aborted and the program continues, without a loop
    that begins it again. A program that polls may read its messages again: `transactions` checks
    those."""
    if syntax.consumer_names(tree):
        return
    loops = (node for node in syntax.nodes(tree) if isinstance(node, ast.While))
    in_loops = {id(inner) for loop in loops for inner in ast.walk(loop)}
    tries = (
        node
        for node in syntax.nodes(tree)
        if isinstance(node, ast.Try) and id(node) not in in_loops
    )
    for attempt, handler in ((node, clause) for node in tries for clause in node.handlers):
        aborts = [
            call
            for call in syntax.calls(handler)
            if syntax.method_name(call) == "abort_transaction"
        ]
        verbs = (syntax.method_name(call) for node in attempt.body for call in syntax.calls(node))
        ends_program = handler.type and ast.unparse(handler.type).rpartition(".")[2] in _EXIT_ERRORS
        if not aborts and ("commit_transaction" not in verbs or ends_program):
            continue
        if any(syntax.only_logs_and_continues(branch, aborts.__contains__, in_function=True)
               for branch in error_branches.branches(handler, attempt)):  # fmt: skip
            yield (aborts[0] if aborts else handler).lineno


class _Sends:
    """The sends of a program."""

    def __init__(self, tree: ast.Module, *, in_config: bool) -> None:
        self._tree, self._in_config = tree, in_config
        self._producers = syntax.names_created_by(tree, PRODUCERS)
        self._aio = syntax.names_created_by(tree, _AIO_PRODUCERS)
        self._expression_statements = {
            id(node.value) for node in syntax.nodes(tree) if isinstance(node, ast.Expr)
        }  # fmt: skip
        self._functions: dict[str, list[Function]] = {}
        for node in syntax.nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._functions.setdefault(node.name, []).append(node)
        self._callables = _callable_objects(tree)
        for name, function in self._callables.items():
            self._functions.setdefault(name, []).append(function)
        self._names_callbacks = any(
            isinstance(key, ast.Constant) and key.value in _CALLBACK_KEYWORDS
            for node in syntax.nodes(tree) if isinstance(node, ast.Dict) for key in node.keys
        )  # fmt: skip
        self._outbox = {id(attempt) for attempt in outbox.attempts(tree)}
        self._calls = [call for call in syntax.calls(tree) if self._is_send(call)]

    def _is_send(self, call: ast.Call) -> bool:
        """Whether a call is a send of a client, and not a method of a class of the file."""
        receiver = syntax.receiver(call)
        if syntax.method_name(call) not in _CALLBACK_POSITIONS or receiver in self._aio:
            return False
        is_producer = receiver in self._producers or "producer" in receiver.lower()
        return (
            is_producer
            if syntax.method_name(call) in self._functions
            else is_producer or id(call) in self._expression_statements
        )

    def unchecked_results(self) -> Iterator[int]:
        """Yields the lines of sends without a callback, and of AIOProducer's whose future is not
        read."""
        if self._in_config:
            return
        yield from (
            call.lineno
            for call in self._calls
            if not (_has_callback(call) or self._may_have_callback(call))
        )
        aio_sends = filter(self._is_aio_send, syntax.calls(self._tree))
        yield from python_futures.unread_futures(
            self._tree, (call for call in aio_sends if not _has_callback(call))
        )
        if not any(map(_has_callback, syntax.calls(self._tree))):
            yield from self._method_references()

    def unknown_callback(self) -> int:
        """The line of the first send whose callback is unknown; 0 if there is none."""
        return min(
            (call.lineno for call in self._calls if self._may_have_callback(call)), default=0
        )

    def _may_have_callback(self, call: ast.Call) -> bool:
        """Whether `*args`, `**kwargs` or the messages of a batch may hold a callback."""
        if _has_callback(call):
            return False
        unpacked = [keyword.value for keyword in call.keywords if keyword.arg is None]
        starred = any(isinstance(argument, ast.Starred) for argument in call.args)
        return starred or bool(unpacked) or (_is_batch(call) and self._names_callbacks)

    def _is_aio_send(self, call: ast.Call) -> bool:
        return syntax.method_name(call) == "produce" and syntax.receiver(call) in self._aio

    def _method_references(self) -> Iterator[int]:
        """Yields the lines where the method itself is passed or assigned."""
        called = {id(call.func) for call in syntax.calls(self._tree)}
        for node in syntax.nodes(self._tree):
            if not isinstance(node, ast.Attribute) or id(node) in called:
                continue
            if node.attr == "produce" and ast.unparse(node.value) in self._producers:
                yield node.lineno

    def callbacks(self) -> Iterator[Function]:
        """Yields the functions of the file that are callbacks of sends."""
        names = set[str]()
        for callback in (callback for call in self._calls for callback in send_callbacks(call)):
            if isinstance(callback, ast.Lambda):
                yield callback
            elif (
                isinstance(callback, ast.Call)
                and syntax.method_name(callback) == "partial"
                and callback.args
            ):
                functions = self._functions.get(
                    ast.unparse(callback.args[0]).rpartition(".")[2], []
                )
                yield from (
                    without_bound_arguments(function, len(callback.args) - 1)
                    for function in functions[:1]
                )
            elif syntax.method_name(callback) in self._callables:
                yield self._callables[syntax.method_name(callback)]
            elif isinstance(callback, ast.Name | ast.Attribute):
                names.add(ast.unparse(callback).rpartition(".")[2])
        for name in sorted(names):
            if len(functions := self._functions.get(name, [])) == 1:
                yield functions[0]

    def ignored_errors(self) -> Iterator[int]:
        """Yields the lines of callbacks that ignore their error."""
        return (function.lineno for function in self.callbacks() if ignores_error(function))

    def logged_errors(self) -> Iterator[int]:
        """Yields the lines of callbacks that only log an error, or count it where nothing reads
        it."""
        for function in self.callbacks():
            if only_logs(function, self._read_names(function), self._functions):
                yield function.lineno

    def swallowed_errors(self) -> Iterator[int]:
        """Yields the lines of handlers that only log an error which a callback raises."""
        if not any(map(only_raises, self.callbacks())):
            return
        consumers = syntax.consumer_names(self._tree)
        for node in syntax.nodes(self._tree):
            attempt = syntax.suppress_as_try(node) if isinstance(node, ast.With) else node
            if not isinstance(attempt, ast.Try) or id(attempt) in self._outbox:
                continue
            serving_calls = [call for statement in attempt.body for call in syntax.calls(statement)
                             if syntax.method_name(call) in ("poll", "flush")
                             and syntax.receiver(call) not in consumers]  # fmt: skip
            for handler in attempt.handlers if serving_calls else ():
                if _catches_refusal(handler) and syntax.only_logs_and_continues(
                    handler.body, lambda call: False, in_function=True
                ):
                    yield handler.lineno

    def _read_names(self, function: Function) -> set[str]:
        """The names that code outside of a callback reads, or that the file does not assign."""
        inside = {id(node) for node in ast.walk(function)}
        names = [node for node in syntax.nodes(self._tree) if isinstance(node, ast.Name)]
        assigned = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        read = {
            node.id
            for node in names
            if id(node) not in inside and not isinstance(node.ctx, ast.Store)
        }
        return read | {node.id for node in names if node.id not in assigned}

    def refused_sends(self) -> Iterator[int]:
        """Yields the lines of handlers that swallow the error of a full queue."""
        sends = {id(call) for call in self._calls}
        for node in syntax.nodes(self._tree):
            if not isinstance(node, ast.Try) or id(node) in self._outbox:
                continue
            nodes = [
                inner for statement in [*node.body, *node.orelse] for inner in ast.walk(statement)
            ]
            has_send = any(id(inner) in sends for inner in nodes)
            leaves = any(isinstance(inner, ast.Break | ast.Return) for inner in nodes)
            for handler in node.handlers if has_send and not leaves else ():
                if _catches_refusal(handler) and syntax.only_logs_and_continues(
                    handler.body, lambda call: False, in_function=True
                ):
                    yield handler.lineno

    def purges(self) -> Iterator[int]:
        """Yields the lines where queued messages are purged."""
        for call in syntax.calls(self._tree):
            if syntax.method_name(call) == "purge" and syntax.receiver(call) in self._producers:
                yield call.lineno

    def never_served(self) -> Iterator[int]:
        """Yields the lines of sends if the file never calls `poll()` or `flush()`, nor passes the
        producer on. A file without the callbacks themselves is only a part of a program."""
        if not any(self.callbacks()):
            return
        consumers = syntax.consumer_names(self._tree)
        polls = any(
            syntax.method_name(call) in ("poll", "flush") and syntax.receiver(call) not in consumers
            for call in syntax.calls(self._tree)
        )
        if polls or exits.waits_for_queue(self._tree, self._producers):
            return
        yield from (call.lineno for call in self._sends_of_file())

    def _sends_of_file(self) -> Iterator[ast.Call]:
        """Yields the sends of producers that are not passed to other code."""
        withs = (node for node in syntax.nodes(self._tree) if isinstance(node, ast.withitem))
        calls = syntax.calls(self._tree)
        daemon_arguments = exits.daemon_arguments(self._tree)
        arguments = [value for call in calls for value in (*call.args, *call.keywords)
                     if id(value) not in daemon_arguments]  # fmt: skip
        returned = [node for node in syntax.nodes(self._tree) if isinstance(node, ast.Return)]
        used = chain(arguments, returned, (item.context_expr for item in withs))
        names = {ast.unparse(inner) for node in used for inner in ast.walk(node)
                 if isinstance(inner, ast.Name | ast.Attribute)}  # fmt: skip
        if self._producers.isdisjoint(names):
            yield from (call for call in self._calls if syntax.receiver(call) in self._producers)

    def unflushed_sends(self) -> Iterator[int]:
        """Yields the lines of sends that may remain in the queue when the program ends."""
        sends = self._sends_of_file() if any(self.callbacks()) else ()
        yield from exits.unflushed_sends(self._tree, self._producers, sends)


def _callable_objects(tree: ast.Module) -> dict[str, Function]:
    """The `__call__` methods of the file's classes, by the names of the classes and of their
    instances."""
    methods = dict[str, Function]()
    for node in (node for node in syntax.nodes(tree) if isinstance(node, ast.ClassDef)):
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and method.name == "__call__":
                names = syntax.names_created_by(tree, frozenset({node.name}))
                methods |= {name.rpartition(".")[2]: method for name in (node.name, *names)}
    return methods


def _has_callback(call: ast.Call) -> bool:
    position = _CALLBACK_POSITIONS.get(syntax.method_name(call), len(call.args))
    positional = call.args[position : position + 1]
    return any(map(_is_callback, call.keywords)) or any(
        not _is_none(argument) for argument in positional
    )


def _is_batch(call: ast.Call) -> bool:
    return syntax.method_name(call) == "produce_batch"


def _is_none(value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_none(value.body) or _is_none(value.orelse)
    return isinstance(value, ast.Constant) and value.value is None


def _is_callback(keyword: ast.keyword) -> bool:
    return keyword.arg in _CALLBACK_KEYWORDS and not _is_none(keyword.value)


def send_callbacks(call: ast.Call) -> list[ast.expr]:
    """The callback arguments of a send."""
    callbacks = [
        keyword.value for keyword in call.keywords if keyword.arg and _is_callback(keyword)
    ]
    position = _CALLBACK_POSITIONS.get(syntax.method_name(call), len(call.args))
    return callbacks + call.args[position : position + 1]


def _catches_refusal(handler: ast.ExceptHandler) -> bool:
    caught = ast.unparse(handler.type or ast.Pass())
    return syntax.catches_all(handler) or "BufferError" in caught or "KafkaException" in caught
