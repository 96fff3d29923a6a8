"""Functions of `foreachBatch` or `foreach` that lose records, in Python, Scala or Java.

A batch whose function returns is done, and its offsets are committed (ForeachBatchSink.scala,
MicroBatchExecution.scala). A batch is tried again only if the function raises an error.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from advisor.catalog import Component
from advisor.intake.programs.databases import refuse_uncommitted
from advisor.intake.programs.facts import RESULT, add_skipped_messages
from advisor.intake.programs.jvm.concurrency import AWAITS_RESULT, HANDOVER, ONLY_WAITS
from advisor.intake.programs.jvm.errors import chain_errors
from advisor.intake.programs.jvm.errors import handlers as jvm_handlers
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.normal_form.rewriting import normal_form
from advisor.intake.programs.jvm.processing import databases as jvm_databases
from advisor.intake.programs.jvm.processing import marks as jvm_marks
from advisor.intake.programs.jvm.processing import publishers
from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors import sends as python_sends
from advisor.intake.programs.python.errors.async_clients import AsyncClients
from advisor.intake.programs.python.errors.responses import http_sessions
from advisor.intake.programs.python.errors.retry_loops import is_bounded_retry
from advisor.intake.programs.python.normal_form.inlined import inlined
from advisor.intake.programs.python.processing import databases as python_databases
from advisor.intake.programs.python.processing import marks, partial_polls
from advisor.intake.programs.python.records.buffers import Buffers
from advisor.intake.reading import Reading
from advisor.intake.spark import batch_writes, batch_writes_jvm, overwrites, overwrites_jvm
from advisor.intake.spark import unwritten_rows as rows
from advisor.intake.spark.batch_writes_jvm import METHOD_REFERENCE
from advisor.intake.text import line_of

_FUNCTIONS = ("foreachBatch", "foreach")
_FUNCTION_CALL = re.compile(r"\.\s*(?:foreachBatch|foreach)\s*[({]")
_MAX_MATCHES, _MAX_CALL_DEPTH = 20, 3
_NOT_AWAITED = (
    "a batch is handed over here, and nothing waits for it: the query takes the batch as done "
    "while it may still fail. Wait for the threads, or flush() the producer, before the function "
    "returns"
)
_OTHER_PRODUCERS = frozenset({"KafkaProducer"})
"""The class of kafka-python, whose `send` returns a future."""
_ACKS = ("acks", "request.required.acks")
_OTHER_PRODUCER = (
    "these acks belong to another producer than Spark's. State all for it, or ask about that "
    "producer alone"
)
_LIMITING_CALLS = frozenset({"limit", "sample", "tail"})
_PARTIAL_WRITE = re.compile(
    r"\.\s*(?:limit|sample)\s*\([^()]{0,80}\)[^;{}\n]*?(?:\n\s*\.[^;{}\n]*?){0,9}\.\s*write\b"
)
_WRITE_CALLS = frozenset(
    {"save", "saveAsTable", "insertInto", "append", "foreach", "foreachPartition"}
)
_ANYTHING = re.compile("")
_SWALLOWED = (
    "an error of a batch is swallowed here: the query takes the batch as done, and the records "
    "that failed are lost. Raise it again, so that the query fails and restarts with this batch"
)
_MARKED = (
    "a batch is marked as done here before it is written: if the write fails, the batch is skipped "
    "when it is run again. Mark it after the write"
)


def check_functions(reading: Reading, code: str) -> None:
    """Refuses functions of `foreachBatch` and `foreach` that may lose batches or rows: they swallow
    errors, do not wait for writes, or write a part."""
    try:
        tree = inlined(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        code = normal_form(code)
        _refuse_jvm_writes(reading, code)
        at = jvm_databases.uncommitted(code)
        refuse_uncommitted(reading, line_of(code, at) if at >= 0 else 0)
        lines = [line_of(code, at) for at in _swallowed_jvm_errors(code)]
        marked = [line_of(code, at) for at in _marked_jvm_batches(code)]
        line, reason = _unchecked_jvm_send(code)
    else:
        query_functions = _query_functions(tree)
        _refuse_other_producer(reading, tree)
        refuse_uncommitted(reading, python_databases.uncommitted(tree))
        line, reason = python_sends.unchecked_send(tree, in_config=_has_callback(tree))
        all_functions = [*query_functions, *_lambdas_and_coroutines(tree)]
        other_sends = [*_unchecked_other_sends(tree, all_functions)]
        line, reason = (min(other_sends), RESULT) if other_sends and not line else (line, reason)
        lines = [line for node in query_functions for line in _swallowed_errors(node)]
        lines += [line for node in all_functions for line in _unchecked_futures(node)]
        sessions = http_sessions(tree)
        lines += [line for node in all_functions for line in _unread_results(node, sessions)]
        marked = [*marks.marks_before_processing(tree)] if query_functions else []
        lines = lines or [*batch_writes.failed_rows(tree)]
        _refuse_python_writes(reading, tree, all_functions, code)
        clients, buffers = AsyncClients(tree), Buffers(tree)
        if unawaited := [
            line for node in all_functions for line in _unawaited_calls(node, clients, buffers)
        ]:
            reading.add_problem(Component.APPLICATION, "processing", min(unawaited), _NOT_AWAITED)
    if line:
        reading.add_problem(Component.APPLICATION, "delivery.errors", line, reason)
    for faults, words in ((lines, _SWALLOWED), (marked, _MARKED)):
        if faults:
            add_skipped_messages(reading, min(faults), words)


def _refuse_python_writes(
    reading: Reading, tree: ast.Module, functions: list[ast.AST], code: str
) -> None:
    """Refuses functions in Python that overwrite other batches, or write only a part of a batch."""
    if overwritten := [*overwrites.overwriting_lines(functions, code)]:
        reading.add_problem(
            Component.APPLICATION, "processing", min(overwritten), overwrites.OVERWRITTEN
        )
    faults = [(line, batch_writes.PART) for node in functions for line in _partial_writes(node)]
    faults += [(line, rows.LEFT_AT_CLOSE) for line in rows.left_rows(tree)]
    faults += [(line, rows.LEFT_AT_END) for line in rows.last_groups(functions)]
    if faults := faults or [*batch_writes.faults(tree)]:
        reading.add_problem(Component.APPLICATION, "processing", *min(faults))


def _has_callback(tree: ast.Module) -> bool:
    """Whether a client's configuration dict states a delivery callback."""
    return any(isinstance(node, ast.Constant) and node.value == "on_delivery"
               for node in ast.walk(tree))  # fmt: skip


def _unchecked_jvm_send(code: str) -> tuple[int, str]:
    """The line of the first send in Scala or Java whose failure goes unnoticed, and the reason; 0
    and an empty reason if there is none."""
    at, reason = jvm_sends.unchecked_send(Text.of(code))
    return (line_of(code, at) if reason else 0), reason


def _partial_writes(function: ast.AST) -> Iterator[int]:
    """The lines where only a part of a batch is written."""
    for call in syntax.calls(function):
        is_sink = syntax.method_name(call) in _WRITE_CALLS
        whole = call.func.value if is_sink and isinstance(call.func, ast.Attribute) else None
        inner = syntax.calls(whole) if whole else ()
        yield from (
            partial.lineno for partial in inner if syntax.method_name(partial) in _LIMITING_CALLS
        )
    for node in ast.walk(function):
        if isinstance(node, ast.For) and syntax.method_name(node.iter) in ("take", "head", "tail"):
            yield node.lineno


def _unchecked_futures(function: ast.AST) -> Iterator[int]:
    """The lines where an error stays in a future whose result nobody checks
    (concurrent.futures)."""
    pools = syntax.names_created_by(function, syntax.EXECUTORS)
    unread = {id(node) for node in syntax.unused_values(function)}
    checks = syntax.awaits_by_name(function)
    for call in syntax.calls(function):
        is_lazy = syntax.method_name(call) == "map" and syntax.receiver(call) in pools
        if (is_lazy and id(call) in unread) or (syntax.error_only_on_request(call) and not checks):
            yield call.lineno


def _unread_results(function: ast.AST, sessions: set[str]) -> Iterator[int]:
    """The lines of calls that return the result of a write, which nobody reads."""
    lost = partial_polls.unread_results(function, (), sessions)
    yield from (call.lineno for call in syntax.calls(function) if id(call) in lost)


def _refuse_other_producer(reading: Reading, tree: ast.Module) -> None:
    """Refuses a producer other than Spark's that does not wait for all replicas."""
    for call in syntax.calls(tree):
        dicts = [value for value in call.args if isinstance(value, ast.Dict)]
        if not syntax.method_name(call).endswith("Producer"):
            continue
        stated = [pair for node in dicts for pair in zip(node.keys, node.values, strict=True)]
        stated += [(ast.Constant(word.arg), word.value) for word in call.keywords]
        for key, value in stated:
            name = key.value if isinstance(key, ast.Constant) else ""
            if name in _ACKS and ast.unparse(value).strip("'\"") not in ("all", "-1"):
                reading.add_problem(Component.PRODUCER, "acks", value.lineno, _OTHER_PRODUCER)


def _unchecked_other_sends(tree: ast.Module, functions: list[ast.AST]) -> Iterator[int]:
    """The lines of sends with kafka-python whose future nobody uses. Its flush() waits for them,
    and raises none of their errors (KafkaProducer of kafka-python)."""
    producers = syntax.names_created_by(tree, _OTHER_PRODUCERS)
    for function in functions:
        unread = {id(node) for node in syntax.unused_values(function)}
        yield from (
            call.lineno
            for call in syntax.calls(function)
            if id(call) in unread
            and syntax.method_name(call) == "send"
            and syntax.receiver(call) in producers
        )


def _query_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions that are called with batches or rows, and those of the file that they call."""
    calls = [call for call in syntax.calls(tree) if syntax.method_name(call) in _FUNCTIONS]
    by_name: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.walk(tree):
        methods = [node] if isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.ClassDef):  # a writer with open(), process() and close()
            methods = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            by_name.setdefault(node.name, []).extend(methods)
    functions = list[ast.FunctionDef]()
    values: list[ast.AST] = [value for call in calls for value in call.args]
    for _ in range(_MAX_CALL_DEPTH):
        names = {
            inner.id if isinstance(inner, ast.Name) else inner.attr
            for value in values for inner in ast.walk(value)
            if isinstance(inner, ast.Name | ast.Attribute)
        }  # fmt: skip
        added = [node for name in sorted(names & by_name.keys()) for node in by_name[name]]
        added = [node for node in added if node not in functions]
        functions += added
        inner = [call for node in added for call in syntax.calls(node)]
        values = [value for call in inner for value in (call.func, *call.args)]
    return functions


def _lambdas_and_coroutines(tree: ast.Module) -> list[ast.AST]:
    """The lambdas and the coroutines that are called with batches or rows."""
    calls = [call for call in syntax.calls(tree) if syntax.method_name(call) in _FUNCTIONS]
    values = [value for call in calls for value in call.args]
    names = {value.id for value in values if isinstance(value, ast.Name)}
    coroutines = (node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef))
    return [
        *(value for value in values if isinstance(value, ast.Lambda)),
        *(node for node in coroutines if node.name in names),
    ]


def _unawaited_calls(function: ast.AST, clients: AsyncClients, buffers: Buffers) -> Iterator[int]:
    """The lines where threads, or a producer, still hold records of a batch when its function
    returns. A coroutine is never started."""
    if isinstance(function, ast.AsyncFunctionDef):
        yield function.lineno
        return
    calls = [*syntax.calls(function)]
    waits = any(map(syntax.waits_for_others, calls))
    unread = {id(node) for node in syntax.unused_values(function)}
    flushes = [call for call in calls if syntax.method_name(call) == "flush"]
    is_flushed = any(syntax.waits_for_all(call) or id(call) not in unread for call in flushes)
    for call in calls:
        sends = syntax.method_name(call) == "produce" and not is_flushed
        is_unawaited = id(call) in unread and clients.leaves(call)
        if sends or is_unawaited or (buffers.hands(call) and not waits):
            yield call.lineno


def _function_bodies(text: Text) -> Iterator[list[Block]]:
    """For each query the body of the function that its batches or rows are passed to, and the
    bodies of the methods that this calls."""
    for match in islice(_FUNCTION_CALL.finditer(text.plain), _MAX_MATCHES):
        end = text.closed(match.end())
        reference = METHOD_REFERENCE.fullmatch(text.plain[match.end() : end - 1])
        bodies = text.bodies(reference[1]) if reference else []
        called = [block for body in bodies for block in text.reached(body)]
        yield [*text.reached((match.end() - 1, end)), *called]


def _swallowed_jvm_errors(code: str) -> Iterator[int]:
    """The offsets where a function in Scala or Java swallows any error of a batch."""
    text = Text.of(code)
    swallowing = [*jvm_handlers.swallowing_handlers(text, in_function=True)]
    for functions in _function_bodies(text):
        for body in functions:
            yield from chain_errors.ignored_errors(text, body)
        for handler in swallowing:
            enclosing = [
                function for function in functions if function[0] < handler.attempt[0] < function[1]
            ]
            if enclosing and not jvm_handlers.is_retried(text, handler.attempt, enclosing[0]):
                yield handler.at
        if any(ONLY_WAITS.search(text.plain, *body) for body in functions):
            others = "".join(ONLY_WAITS.sub("", text.plain[slice(*body)]) for body in functions)
            hand_overs = (HANDOVER.search(text.plain, *body) for body in functions)
            if (hand_over := next(filter(None, hand_overs), None)) and not AWAITS_RESULT.search(
                others
            ):
                yield hand_over.start()


def _marked_jvm_batches(code: str) -> Iterator[int]:
    """The offsets where a function in Scala or Java skips a batch that it marked before."""
    text = Text.of(code)
    for body in (body for functions in _function_bodies(text) for body in functions):
        yield from jvm_marks.marks_before_processing(text, body, jvm_marks.IN_STORE)


def _refuse_jvm_writes(reading: Reading, code: str) -> None:
    """Refuses functions in Scala or Java that hand a batch over to other threads, write only a part
    of it, or overwrite other batches."""
    if fault := min(batch_writes_jvm.faults(code), default=None):
        reading.add_problem(Component.APPLICATION, "processing", line_of(code, fault[0]), fault[1])
    text = Text.of(code)
    left = [(at, rows.LEFT_AT_CLOSE) for at in rows.left_rows_jvm(text)]
    for functions in _function_bodies(text):
        left += [(at, rows.LEFT_AT_END) for at in rows.last_groups_jvm(text, functions)]
    for at, words in left:
        reading.add_problem(Component.APPLICATION, "processing", line_of(code, at), words)
    for functions in _function_bodies(text):
        waits = any(pattern.search(text.plain, *body)
                    for body in functions for pattern in (AWAITS_RESULT, ONLY_WAITS))  # fmt: skip
        if (at := overwrites_jvm.overwriting_offset(text, code, functions)) >= 0:
            line = line_of(code, at)
            reading.add_problem(Component.APPLICATION, "processing", line, overwrites.OVERWRITTEN)
        for _, at in (
            publish for body in functions for publish in publishers.never_run(text, body, _ANYTHING)
        ):
            reading.add_problem(
                Component.APPLICATION, "processing", line_of(code, at), _NOT_AWAITED
            )
        for pattern, message in ((HANDOVER, _NOT_AWAITED), (_PARTIAL_WRITE, batch_writes.PART)):
            matches = (pattern.search(text.plain, *body) for body in functions)
            match = next(filter(None, matches), None)
            if match and not (waits and pattern is HANDOVER):
                line = line_of(code, match.start())
                reading.add_problem(Component.APPLICATION, "processing", line, message)


def _swallowed_errors(function: ast.FunctionDef) -> list[int]:
    """The lines of handlers that swallow any error, and of jumps out of `finally`. Handlers in a
    loop may try again, and are not included."""
    loops = [
        node for node in ast.walk(function)
        if isinstance(node, ast.While | ast.For)
        and (isinstance(node, ast.While) or syntax.method_name(node.iter) == "range")
        and not is_bounded_retry(node, function, lambda call: False)
    ]  # fmt: skip
    in_loops = {id(inner) for loop in loops for inner in ast.walk(loop)}
    withs = (node for node in ast.walk(function) if isinstance(node, ast.With))
    tries = [node for node in ast.walk(function) if isinstance(node, ast.Try)]
    tries += [attempt for node in withs if (attempt := syntax.suppress_as_try(node))]
    returns = [
        statement.lineno for node in tries for statement in node.finalbody
        if isinstance(statement, ast.Return | ast.Break | ast.Continue)
    ]  # fmt: skip
    return returns + [
        handler.lineno
        for node in tries if id(node) not in in_loops
        for handler in node.handlers
        if syntax.catches_all(handler)
        and syntax.only_logs_and_continues(handler.body, lambda call: False, in_function=True)
    ]  # fmt: skip
