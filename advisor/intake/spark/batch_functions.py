"""A function of `foreachBatch` or `foreach` that passes over its errors, in Python, Scala or Java.

A batch whose function returns is done, and its offsets are committed (ForeachBatchSink.scala,
MicroBatchExecution.scala): only an error that leaves it has the batch tried again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from advisor.catalog import Component
from advisor.intake.programs.databases import refuse_uncommitted
from advisor.intake.programs.facts import passed_over
from advisor.intake.programs.jvm.concurrency import ASKS, HAND, ONLY_WAITS
from advisor.intake.programs.jvm.errors import chain_errors
from advisor.intake.programs.jvm.errors import handlers as jvm_handlers
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.normal_form.rewriting import normal_form
from advisor.intake.programs.jvm.processing import databases as jvm_databases
from advisor.intake.programs.jvm.processing import publishers
from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.programs.python import words
from advisor.intake.programs.python.errors import error_handling
from advisor.intake.programs.python.errors import sends as python_sends
from advisor.intake.programs.python.errors.async_clients import AsyncClients
from advisor.intake.programs.python.normal_form.inlined import inlined
from advisor.intake.programs.python.processing import databases as python_databases
from advisor.intake.programs.python.processing import partial_polls
from advisor.intake.programs.python.records.buffers import Buffers
from advisor.intake.reading import Reading
from advisor.intake.spark import batch_writes, batch_writes_jvm
from advisor.intake.text import line_of

_FUNCTIONS = ("foreachBatch", "foreach")
_HANDED = re.compile(r"\.\s*(?:foreachBatch|foreach)\s*[({]")
_NAMED = re.compile(r"\s*(?:\w+\s*(?:::|\.)\s*)*(\w+)(?:\s+_)?\s*")
_MOST, _DEEPEST_CALL = 20, 3
_ASIDE = (
    "what a batch brought is handed on here, and nothing waits for it: the query takes the batch "
    "as done while it may still fail. Wait for the threads, or flush() the producer, before the "
    "function returns"
)
_ACKS = ("acks", "request.required.acks")
_BESIDE = (
    "these acks are of a producer beside Spark's, which has its own. State all for it, or ask for "
    "that producer by itself"
)
_TAKES_PARTS = frozenset({"limit", "sample", "tail"})
_PARTLY = re.compile(r"\.\s*(?:limit|sample)\s*\([^()]{0,80}\)[^;{}]{0,400}?\.\s*write\b")
_SINKS = frozenset({"save", "saveAsTable", "insertInto", "append", "foreach", "foreachPartition"})
_REPLACED = (
    "each batch replaces here what the batches before it wrote (SaveMode.Overwrite), or is passed "
    "over because they wrote (SaveMode.Ignore). Append, or write each batch to a place of its own, "
    "with its id in the path or by replaceWhere"
)
_OVERWRITES = re.compile(
    r"\.\s*mode\s*\(\s*(?:\w+\s*\.\s*)*(?:\"(?:overwrite|ignore)\"|Overwrite|Ignore)\s*\)([^;{}\n]*(?:\n\s*\.[^;{}\n]*)*)"
)
_ANYTHING = re.compile("")
_OF_ONE_BATCH = re.compile(r"(?i)batch|epoch|\bid\b")
_KEEPS_OTHERS = re.compile(
    r"replaceWhere|partitionOverwriteMode|\b(?:sql|execute\w*|merge)\s*\("
    r"|outputMode\s*\(\s*(?:[\"']complete[\"']|OutputMode\s*\.\s*Complete)"
)
"""What says that other rows stay, that the table is on the way, or that a batch has all rows."""
_INSERTS_OVER = re.compile(r"(?i)\binsert\s+overwrite\b(?![\s\S]{0,300}\bpartition\b)")
_BY_PARTITION = "partitionOverwriteMode"
_PASSED = (
    "an error of a batch is passed over here: the query takes the batch as done, and what failed "
    "is lost. Raise it again, so that the query fails and begins with this batch"
)


_KEPT = (
    "rows are put by here and written with later ones, and close() does nothing with those that "
    "are left: the query takes them as done. Write what is left in close()"
)
_PUTS_BY = r"\b(\w+)\s*(?:\.\s*(?:add|append|addOne|offer)\s*\(|\+=)[^;{{}}\n]*\b(?:{0})\b"


def functions(reading: Reading, code: str) -> None:
    """Refuses functions that are given batches or rows, and pass over any error."""
    try:
        tree = inlined(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        code = normal_form(code)
        _aside_in_other_languages(reading, code)
        at = jvm_databases.uncommitted(code)
        refuse_uncommitted(reading, line_of(code, at) if at >= 0 else 0)
        lines = [line_of(code, at) for at in _in_other_languages(code)]
        line, reason = _sent_in_other_languages(code)
    else:
        given = _given(tree)
        _own_producer(reading, tree)
        refuse_uncommitted(reading, python_databases.uncommitted(tree))
        line, reason = python_sends.unheard(tree, in_config=_has_callback(tree))
        every = [*given, *_lambdas(tree)]
        lines = [line for node in given for line in _passed_over(node)]
        lines += [line for node in every for line in _unasked(node)]
        sessions = partial_polls.sessions(tree)
        lines += [line for node in every for line in _unread_results(node, sessions)]
        replaced = [*_replacements(every, code)]
        if replaced:
            reading.wrong(Component.APPLICATION, "processing", min(replaced), _REPLACED)
        left = [(line, batch_writes.PART) for node in every for line in _parts(node)]
        left += [(line, _KEPT) for line in _kept_rows(tree)]
        if left := left or [*batch_writes.faults(tree)]:
            reading.wrong(Component.APPLICATION, "processing", *min(left))
        clients, buffers = AsyncClients(tree), Buffers(tree)
        if aside := [line for node in every for line in _not_waited_for(node, clients, buffers)]:
            reading.wrong(Component.APPLICATION, "processing", min(aside), _ASIDE)
    if line:
        reading.wrong(Component.APPLICATION, "delivery.errors", line, reason)
    if lines:
        passed_over(reading, min(lines), _PASSED)


def _replacements(functions: list[ast.AST], code: str) -> Iterator[int]:
    """Where a batch takes the place of what others wrote."""
    if not _KEEPS_OTHERS.search(code):
        yield from (line for node in functions for line in _replaced(node))
    if _BY_PARTITION not in code:
        calls = (call for node in functions for call in words.calls(node))
        yield from (
            call.lineno
            for call in calls
            if words.verb(call) == "sql" and _INSERTS_OVER.search(ast.unparse(call))
        )


def _has_callback(tree: ast.Module) -> bool:
    """Whether a dict of a client has a callback of its own."""
    return any(isinstance(node, ast.Constant) and node.value == "on_delivery"
               for node in ast.walk(tree))  # fmt: skip


def _sent_in_other_languages(code: str) -> tuple[int, str]:
    """The first send of a producer of Scala or Java that fails unnoticed, and why."""
    at, reason = jvm_sends.unheard(Text.of(code))
    return (line_of(code, at) if reason else 0), reason


def _parts(function: ast.AST) -> Iterator[int]:
    """Where only a part of a batch is written."""
    for call in words.calls(function):
        is_sink = words.verb(call) in _SINKS
        whole = call.func.value if is_sink and isinstance(call.func, ast.Attribute) else None
        inner = words.calls(whole) if whole else ()
        yield from (part.lineno for part in inner if words.verb(part) in _TAKES_PARTS)
    for node in ast.walk(function):
        if isinstance(node, ast.For) and words.verb(node.iter) in ("take", "head", "tail"):
            yield node.lineno


def _is_called(own: dict[str, ast.FunctionDef], name: str) -> bool:
    """Whether close() is this method, or calls it."""
    called = words.calls(own["close"]) if "close" in own else ()
    return name == "close" or any(words.verb(call) == name for call in called)


def _kept_rows(tree: ast.Module) -> Iterator[int]:
    """Where an object puts a row by that close() does nothing with (ForeachWriter)."""
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        own = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
        if not ("open" in own and "process" in own):
            continue
        ends = [method for name, method in own.items() if _is_called(own, name)]
        closing = {inner.attr for method in ends for inner in ast.walk(method)
                   if isinstance(inner, ast.Attribute)}  # fmt: skip
        for call in words.calls(own["process"]):
            is_put = words.verb(call) in ("append", "extend", "add")
            if is_put and words.receiver(call).startswith("self."):
                field = words.receiver(call).removeprefix("self.")
                yield from () if field in closing else (call.lineno,)


def _replaced(function: ast.AST) -> Iterator[int]:
    """Where a batch is written over what others wrote, or only where none did, to a place that
    does not depend on it."""
    arguments = function.args.args if isinstance(function, ast.FunctionDef | ast.Lambda) else []
    names = {argument.arg for argument in arguments[1:]}
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    if not arguments or names & used:
        return
    for call in words.calls(function):
        modes = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
        is_mode = words.verb(call) == "mode" or any(word.arg == "mode" for word in call.keywords)
        if is_mode and any(
            isinstance(mode, ast.Constant) and mode.value in ("overwrite", "ignore")
            for mode in modes
        ):
            yield call.lineno


def _unasked(function: ast.AST) -> Iterator[int]:
    """Where an error stays in a future of which nothing asks (concurrent.futures)."""
    pools = words.made_of(function, words.EXECUTORS)
    unread = {id(node) for node in words.unread(function)}
    asks = words.asks(function)
    for call in words.calls(function):
        is_lazy = words.verb(call) == "map" and words.receiver(call) in pools
        if (is_lazy and id(call) in unread) or (words.keeps_error(call) and not asks):
            yield call.lineno


def _unread_results(function: ast.AST, sessions: set[str]) -> Iterator[int]:
    """Where a result says what became of a batch, and nothing reads it."""
    lost = partial_polls.unread_results(function, (), sessions)
    yield from (call.lineno for call in words.calls(function) if id(call) in lost)


def _own_producer(reading: Reading, tree: ast.Module) -> None:
    """Refuses a producer beside Spark's that does not wait for the copies of what it sends."""
    for call in words.calls(tree):
        dicts = [value for value in call.args if isinstance(value, ast.Dict)]
        if not words.verb(call).endswith("Producer"):
            continue
        stated = [pair for node in dicts for pair in zip(node.keys, node.values, strict=True)]
        stated += [(ast.Constant(word.arg), word.value) for word in call.keywords]
        for key, value in stated:
            name = key.value if isinstance(key, ast.Constant) else ""
            if name in _ACKS and ast.unparse(value).strip("'\"") not in ("all", "-1"):
                reading.wrong(Component.PRODUCER, "acks", value.lineno, _BESIDE)


def _given(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions that get batches or rows, and those of the file that they call."""
    calls = [call for call in words.calls(tree) if words.verb(call) in _FUNCTIONS]
    known: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.walk(tree):
        own = [node] if isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.ClassDef):  # an object with open(), process() and close()
            own = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            known.setdefault(node.name, []).extend(own)
    given = list[ast.FunctionDef]()
    values: list[ast.AST] = [value for call in calls for value in call.args]
    for _ in range(_DEEPEST_CALL):
        names = {
            inner.id if isinstance(inner, ast.Name) else inner.attr
            for value in values for inner in ast.walk(value)
            if isinstance(inner, ast.Name | ast.Attribute)
        }  # fmt: skip
        added = [node for name in sorted(names & known.keys()) for node in known[name]]
        added = [node for node in added if node not in given]
        given += added
        inner = [call for node in added for call in words.calls(node)]
        values = [value for call in inner for value in (call.func, *call.args)]
    return given


def _lambdas(tree: ast.Module) -> list[ast.AST]:
    """The functions without a name, and the coroutines, that get batches or rows."""
    calls = [call for call in words.calls(tree) if words.verb(call) in _FUNCTIONS]
    values = [value for call in calls for value in call.args]
    names = {value.id for value in values if isinstance(value, ast.Name)}
    coroutines = (node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef))
    return [
        *(value for value in values if isinstance(value, ast.Lambda)),
        *(node for node in coroutines if node.name in names),
    ]


def _not_waited_for(function: ast.AST, clients: AsyncClients, buffers: Buffers) -> Iterator[int]:
    """Where threads, or a producer, have what a batch brought when its function returns; a
    coroutine is never begun."""
    if isinstance(function, ast.AsyncFunctionDef):
        yield function.lineno
        return
    calls = [*words.calls(function)]
    waits = any(map(words.waits, calls))
    unread = {id(node) for node in words.unread(function)}
    flushes = [call for call in calls if words.verb(call) == "flush"]
    flushed = any(words.waits_for_all(call) or id(call) not in unread for call in flushes)
    for call in calls:
        sends = words.verb(call) == "produce" and not flushed
        is_left = id(call) in unread and clients.leaves(call)
        if sends or is_left or (buffers.hands(call) and not waits):
            yield call.lineno


def _blocks(text: Text) -> Iterator[list[Block]]:
    """What each query hands its batches or rows to, with the methods that it calls."""
    for match in islice(_HANDED.finditer(text.plain), _MOST):
        end = text.closed(match.end())
        named = _NAMED.fullmatch(text.plain[match.end() : end - 1])
        bodies = text.bodies(named[1]) if named else []
        inner = [block for body in bodies for block in text.reached(body)]
        yield [*text.reached((match.end() - 1, end)), *inner]


def _in_other_languages(code: str) -> Iterator[int]:
    """Where a function in Scala or Java passes over any error of a batch."""
    text = Text.of(code)
    silent = [*jvm_handlers.silent(text, in_function=True)]
    for functions in _blocks(text):
        for body in functions:
            yield from chain_errors.passed_over(text, body)
        for handler in silent:
            around = [
                function for function in functions if function[0] < handler.attempt[0] < function[1]
            ]
            if around and not jvm_handlers.tries_again(text, handler.attempt, around[0]):
                yield handler.at
        if any(ONLY_WAITS.search(text.plain, *body) for body in functions):
            asked = "".join(ONLY_WAITS.sub("", text.plain[slice(*body)]) for body in functions)
            handed = (HAND.search(text.plain, *body) for body in functions)
            if (hand := next(filter(None, handed), None)) and not ASKS.search(asked):
                yield hand.start()


def _aside_in_other_languages(reading: Reading, code: str) -> None:
    """Refuses functions in Scala or Java that hand a batch on, write a part of it, or write it
    over the others."""
    if left := min(batch_writes_jvm.faults(code), default=None):
        reading.wrong(Component.APPLICATION, "processing", line_of(code, left[0]), left[1])
    text = Text.of(code)
    for at in _kept_rows_in_other_languages(text):
        reading.wrong(Component.APPLICATION, "processing", line_of(code, at), _KEPT)
    keeps = _KEEPS_OTHERS.search(code)
    for functions in _blocks(text):
        waits = any(pattern.search(text.plain, *body)
                    for body in functions for pattern in (ASKS, ONLY_WAITS))  # fmt: skip
        for body in functions:
            over = None if keeps else _OVERWRITES.search(code, *body)
            over = None if over and _OF_ONE_BATCH.search(over[1]) else over
            over = over or (_BY_PARTITION not in code and _INSERTS_OVER.search(code, *body)) or None
            if over:
                line = line_of(code, over.start())
                reading.wrong(Component.APPLICATION, "processing", line, _REPLACED)
                break
        for _, at in (own for body in functions for own in publishers.left(text, body, _ANYTHING)):
            reading.wrong(Component.APPLICATION, "processing", line_of(code, at), _ASIDE)
        for pattern, words_of in ((HAND, _ASIDE), (_PARTLY, batch_writes.PART)):
            found = (pattern.search(text.plain, *body) for body in functions)
            match = next(filter(None, found), None)
            if match and not (waits and pattern is HAND):
                line = line_of(code, match.start())
                reading.wrong(Component.APPLICATION, "processing", line, words_of)


def _kept_rows_in_other_languages(text: Text) -> Iterator[int]:
    """Where a ForeachWriter puts a row by that close() does nothing with."""
    if not re.search(r"\bForeachWriter\b", text.plain):
        return
    closing = "".join(text.plain[slice(*inner)] for body in text.bodies("close")
                      for inner in text.reached(body))  # fmt: skip
    for body in text.bodies("process")[:_MOST]:
        names = "|".join(text.parameters(body)) or "(?!)"
        for match in re.compile(_PUTS_BY.format(names)).finditer(text.plain, *body):
            if not re.search(rf"\b{match[1]}\b", closing):
                yield match.start()


def _passed_over(function: ast.FunctionDef) -> list[int]:
    """The handlers of any error that go on, and what `finally` leaves it by; those in a loop may
    try again."""
    loops = [
        node for node in ast.walk(function)
        if isinstance(node, ast.While | ast.For)
        and (isinstance(node, ast.While) or words.verb(node.iter) == "range")
        and not error_handling.bounded(node, function)
    ]  # fmt: skip
    inside = {id(inner) for loop in loops for inner in ast.walk(loop)}
    withs = (node for node in ast.walk(function) if isinstance(node, ast.With))
    tries = [node for node in ast.walk(function) if isinstance(node, ast.Try)]
    tries += [attempt for node in withs if (attempt := words.suppressed(node))]
    returns = [
        part.lineno for node in tries for part in node.finalbody
        if isinstance(part, ast.Return | ast.Break | ast.Continue)
    ]  # fmt: skip
    return returns + [
        handler.lineno
        for node in tries if id(node) not in inside
        for handler in node.handlers
        if words.catches_all(handler)
        and words.goes_on(handler.body, lambda call: False, in_function=True)
    ]  # fmt: skip
