"""Sends of a Python program with confluent-kafka whose errors nobody takes.

The client tells of a send that failed by its callback alone, from within `poll()` or `flush()`
(confluent-kafka, Producer.produce; its AIOProducer gives a future). `produce()` raises only for a
full queue and for what it refuses at once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from advisor.intake.programs.facts import ABANDONED_TRANSACTION, DROPPED, ONLY_WRITTEN, RESULT
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors import error_branches, exits
from advisor.intake.programs.python.errors import futures as python_futures
from advisor.intake.programs.python.errors.callbacks import (
    Function,
    ignores_error,
    only_logs,
    only_raises,
    without_bound_arguments,
)

_TAKES = frozenset({"callback", "on_delivery"})
"""Keywords that hear of a send."""
_POSITIONS = {"produce": 4, "produce_batch": 3}
"""What sends, and where among its arguments the callback is."""
_AIO = frozenset({"AIOProducer"})
PRODUCERS = frozenset({"Producer", "SerializingProducer", "AvroProducer"})
_UNREAD = (
    "whether this send has a callback is not in the file. Write callback=… out here, or give the "
    "settings as properties and say what becomes of a send that fails (application.delivery.errors)"
)
_ENDS = frozenset({"KeyboardInterrupt", "SystemExit", "CancelledError"})
"""What ends a program."""
_FULL = "a message that the client refuses, as for a full queue, is passed over here"
_PURGED = "purge() drops here what is not sent yet"
_NEVER = "nothing calls poll() or flush(), so that nothing hears of a send that fails"
_LEFT = (
    "the program ends without having waited for what is still queued: flush() without a timeout "
    "waits for it, and with one returns how many messages are left, which has to be looked at"
)


def unchecked_send(tree: ast.Module, *, in_config: bool) -> tuple[int, str]:
    """The first send that fails unnoticed, and why; 0 if there is none. One in a transaction that
    is committed fails with it. `in_config` says that the client's dict has a callback."""
    if any(syntax.method_name(call) == "commit_transaction" for call in syntax.calls(tree)):
        return min(((line, ABANDONED_TRANSACTION) for line in _given_up(tree)), default=(0, ""))
    sends = _Sends(tree, in_config=in_config)
    lines = [(line, reason) for reason, own in (
        (RESULT, sends.without_result()), (DROPPED, sends.dropped()),
        (ONLY_WRITTEN, sends.only_written()), (ONLY_WRITTEN, sends.swallowed()),
        (_PURGED, sends.purged()), (_FULL, sends.refused()), (_NEVER, sends.never_served()),
        (_LEFT, sends.left_behind()),
    ) for line in own]  # fmt: skip
    return min(lines, default=(0, ""))


def open_sends(tree: ast.Module) -> tuple[int, str]:
    """The first send of which the file does not say whether it has a callback; 0 if there is none,
    or if transactions are committed."""
    if any(syntax.method_name(call) == "commit_transaction" for call in syntax.calls(tree)):
        return 0, ""
    return _Sends(tree, in_config=False).of_unknown_callback(), _UNREAD


def _given_up(tree: ast.Module) -> Iterator[int]:
    """Where a transaction is aborted and the program goes on, with no loop to make it again. Where
    it polls, too, what is read again decides (`transactions`)."""
    if syntax.consumer_names(tree):
        return
    loops = (node for node in syntax.nodes(tree) if isinstance(node, ast.While))
    again = {id(inner) for loop in loops for inner in ast.walk(loop)}
    tries = (
        part for part in syntax.nodes(tree) if isinstance(part, ast.Try) and id(part) not in again
    )
    for attempt, handler in ((own, each) for own in tries for each in own.handlers):
        aborts = [
            call
            for call in syntax.calls(handler)
            if syntax.method_name(call) == "abort_transaction"
        ]
        tried = (syntax.method_name(call) for node in attempt.body for call in syntax.calls(node))
        is_end = handler.type and ast.unparse(handler.type).rpartition(".")[2] in _ENDS
        if not aborts and ("commit_transaction" not in tried or is_end):
            continue
        if any(syntax.only_logs_and_continues(way, aborts.__contains__, in_function=True)
               for way in error_branches.branches(handler, attempt)):  # fmt: skip
            yield (aborts[0] if aborts else handler).lineno


class _Sends:
    """The sends of a program."""

    def __init__(self, tree: ast.Module, *, in_config: bool) -> None:
        self._tree, self._in_config = tree, in_config
        self._producers = syntax.names_created_by(tree, PRODUCERS)
        self._aio = syntax.names_created_by(tree, _AIO)
        self._alone = {
            id(node.value) for node in syntax.nodes(tree) if isinstance(node, ast.Expr)
        }  # fmt: skip
        self._functions: dict[str, list[Function]] = {}
        for node in syntax.nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._functions.setdefault(node.name, []).append(node)
        self._objects = _called_as_functions(tree)
        for name, function in self._objects.items():
            self._functions.setdefault(name, []).append(function)
        self._names_callbacks = any(
            isinstance(key, ast.Constant) and key.value in _TAKES
            for node in syntax.nodes(tree) if isinstance(node, ast.Dict) for key in node.keys
        )  # fmt: skip
        self._calls = [call for call in syntax.calls(tree) if self._is_send(call)]

    def _is_send(self, call: ast.Call) -> bool:
        """Whether this is a send of a client, and none of a class of the file."""
        whose = syntax.receiver(call)
        if syntax.method_name(call) not in _POSITIONS or whose in self._aio:
            return False
        sure = whose in self._producers or "producer" in whose.lower()
        return (
            sure if syntax.method_name(call) in self._functions else sure or id(call) in self._alone
        )

    def without_result(self) -> Iterator[int]:
        """Sends without a callback, and of AIOProducer those whose future is let go."""
        if self._in_config:
            return
        yield from (
            call.lineno for call in self._calls if not (_hears(call) or self._is_open(call))
        )
        of_aio = filter(self._is_of_aio, syntax.calls(self._tree))
        yield from python_futures.unread_futures(
            self._tree, (call for call in of_aio if not _hears(call))
        )
        if not any(map(_hears, syntax.calls(self._tree))):
            yield from self._aliases()

    def of_unknown_callback(self) -> int:
        """The line of the first send whose callback may be anything; 0 if there is none."""
        return min((call.lineno for call in self._calls if self._is_open(call)), default=0)

    def _is_open(self, call: ast.Call) -> bool:
        """Whether a callback may be among what `*args` and `**kwargs` bring, or in the messages
        of a batch."""
        if _hears(call):
            return False
        spread = [word.value for word in call.keywords if word.arg is None]
        starred = any(isinstance(given, ast.Starred) for given in call.args)
        return starred or bool(spread) or (_is_batch(call) and self._names_callbacks)

    def _is_of_aio(self, call: ast.Call) -> bool:
        return syntax.method_name(call) == "produce" and syntax.receiver(call) in self._aio

    def _aliases(self) -> Iterator[int]:
        """Where the method is handed on."""
        called = {id(call.func) for call in syntax.calls(self._tree)}
        for node in syntax.nodes(self._tree):
            if not isinstance(node, ast.Attribute) or id(node) in called:
                continue
            if node.attr == "produce" and ast.unparse(node.value) in self._producers:
                yield node.lineno

    def callbacks(self) -> Iterator[Function]:
        """The functions of the file that sends call back."""
        names = set[str]()
        for given in (given for call in self._calls for given in send_callbacks(call)):
            if isinstance(given, ast.Lambda):
                yield given
            elif (
                isinstance(given, ast.Call)
                and syntax.method_name(given) == "partial"
                and given.args
            ):
                own = self._functions.get(ast.unparse(given.args[0]).rpartition(".")[2], [])
                yield from (
                    without_bound_arguments(function, len(given.args) - 1) for function in own[:1]
                )
            elif syntax.method_name(given) in self._objects:
                yield self._objects[syntax.method_name(given)]
            elif isinstance(given, ast.Name | ast.Attribute):
                names.add(ast.unparse(given).rpartition(".")[2])
        for name in sorted(names):
            if len(same := self._functions.get(name, [])) == 1:
                yield same[0]

    def dropped(self) -> Iterator[int]:
        """Callbacks that do nothing with an error."""
        return (function.lineno for function in self.callbacks() if ignores_error(function))

    def only_written(self) -> Iterator[int]:
        """Callbacks that only write of an error, or count it where nothing looks."""
        for function in self.callbacks():
            if only_logs(function, self._looked_at(function), self._functions):
                yield function.lineno

    def swallowed(self) -> Iterator[int]:
        """Where an error that a callback raises is only written of by whoever serves it."""
        if not any(map(only_raises, self.callbacks())):
            return
        consumers = syntax.consumer_names(self._tree)
        for node in syntax.nodes(self._tree):
            attempt = syntax.suppress_as_try(node) if isinstance(node, ast.With) else node
            if not isinstance(attempt, ast.Try):
                continue
            served = [call for one in attempt.body for call in syntax.calls(one)
                      if syntax.method_name(call) in ("poll", "flush")
                      and syntax.receiver(call) not in consumers]  # fmt: skip
            for handler in attempt.handlers if served else ():
                if _catches_refusal(handler) and syntax.only_logs_and_continues(
                    handler.body, lambda call: False, in_function=True
                ):
                    yield handler.lineno

    def _looked_at(self, function: Function) -> set[str]:
        """The names that code outside of a callback reads, and those that are not of the file."""
        inside = {id(node) for node in ast.walk(function)}
        names = [node for node in syntax.nodes(self._tree) if isinstance(node, ast.Name)]
        set_here = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        read = {
            node.id
            for node in names
            if id(node) not in inside and not isinstance(node.ctx, ast.Store)
        }
        return read | {node.id for node in names if node.id not in set_here}

    def refused(self) -> Iterator[int]:
        """Where a full queue's error is passed over."""
        ours = {id(call) for call in self._calls}
        for node in syntax.nodes(self._tree):
            if not isinstance(node, ast.Try):
                continue
            inner = [part for one in [*node.body, *node.orelse] for part in ast.walk(one)]
            sends = any(id(part) in ours for part in inner)
            ends_loop = any(isinstance(part, ast.Break | ast.Return) for part in inner)
            for handler in node.handlers if sends and not ends_loop else ():
                if _catches_refusal(handler) and syntax.only_logs_and_continues(
                    handler.body, lambda call: False, in_function=True
                ):
                    yield handler.lineno

    def purged(self) -> Iterator[int]:
        """Where what is queued is thrown away."""
        for call in syntax.calls(self._tree):
            if syntax.method_name(call) == "purge" and syntax.receiver(call) in self._producers:
                yield call.lineno

    def never_served(self) -> Iterator[int]:
        """Sends where nothing of the file calls what calls back, or has the producer. A file
        without the callbacks themselves is a piece of a program."""
        if not any(self.callbacks()):
            return
        consumers = syntax.consumer_names(self._tree)
        polls = any(
            syntax.method_name(call) in ("poll", "flush") and syntax.receiver(call) not in consumers
            for call in syntax.calls(self._tree)
        )
        if polls or exits.waits_for_queue(self._tree, self._producers):
            return
        yield from (call.lineno for call in self._of_file())

    def _of_file(self) -> Iterator[ast.Call]:
        """Sends of producers that nothing else is given."""
        withs = (node for node in syntax.nodes(self._tree) if isinstance(node, ast.withitem))
        calls = syntax.calls(self._tree)
        aside = exits.daemon_arguments(self._tree)
        given = [value for call in calls for value in (*call.args, *call.keywords)
                 if id(value) not in aside]  # fmt: skip
        returned = [node for node in syntax.nodes(self._tree) if isinstance(node, ast.Return)]
        used = chain(given, returned, (item.context_expr for item in withs))
        names = {ast.unparse(inner) for node in used for inner in ast.walk(node)
                 if isinstance(inner, ast.Name | ast.Attribute)}  # fmt: skip
        if self._producers.isdisjoint(names):
            yield from (call for call in self._calls if syntax.receiver(call) in self._producers)

    def left_behind(self) -> Iterator[int]:
        """Sends that a program may leave in its queue when it ends."""
        sends = self._of_file() if any(self.callbacks()) else ()
        yield from exits.unflushed_sends(self._tree, self._producers, sends)


def _called_as_functions(tree: ast.Module) -> dict[str, Function]:
    """What objects of the file do that are called (`__call__`), by the names of their classes and
    their own."""
    found = dict[str, Function]()
    for node in (node for node in syntax.nodes(tree) if isinstance(node, ast.ClassDef)):
        for own in node.body:
            if isinstance(own, ast.FunctionDef) and own.name == "__call__":
                names = syntax.names_created_by(tree, frozenset({node.name}))
                found |= {name.rpartition(".")[2]: own for name in (node.name, *names)}
    return found


def _hears(call: ast.Call) -> bool:
    position = _POSITIONS.get(syntax.method_name(call), len(call.args))
    heard = call.args[position : position + 1]
    return any(map(_is_callback, call.keywords)) or any(not _is_none(given) for given in heard)


def _is_batch(call: ast.Call) -> bool:
    return syntax.method_name(call) == "produce_batch"


def _is_none(value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_none(value.body) or _is_none(value.orelse)
    return isinstance(value, ast.Constant) and value.value is None


def _is_callback(word: ast.keyword) -> bool:
    return word.arg in _TAKES and not _is_none(word.value)


def send_callbacks(call: ast.Call) -> list[ast.expr]:
    """What a send is given to call back."""
    own = [word.value for word in call.keywords if word.arg and _is_callback(word)]
    position = _POSITIONS.get(syntax.method_name(call), len(call.args))
    return own + call.args[position : position + 1]


def _catches_refusal(handler: ast.ExceptHandler) -> bool:
    taken = ast.unparse(handler.type or ast.Pass())
    return syntax.catches_all(handler) or "BufferError" in taken or "KafkaException" in taken
