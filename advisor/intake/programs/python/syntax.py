"""Calls of a Python program, classified by their names, and helpers for its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import TypeGuard

from advisor.intake.programs.conditions import DELETES, NOT_FOUND

LOOPS = ast.For | ast.AsyncFor | ast.While
APART = ast.FunctionDef | ast.AsyncFunctionDef
CONSUMER_CLASSES = frozenset({"Consumer", "DeserializingConsumer", "AvroConsumer", "AIOConsumer"})
POLLS = frozenset({"poll", "consume"})
COMMITS = frozenset({"commit", "store_offsets"})
QUEUE_CLASSES = frozenset({
    "Queue", "SimpleQueue", "LifoQueue", "PriorityQueue", "JoinableQueue",
})  # fmt: skip
HANDS_OVER = frozenset({
    "submit", "apply_async", "create_task", "ensure_future", "run_in_executor", "Thread",
    "Process", "Timer", "start_soon", "run_coroutine_threadsafe", "call_soon",
    "call_soon_threadsafe", "start_new_thread", "map_async", "starmap_async", "spawn", "spawn_n",
    "add_task", "Popen", "execute_async",
})  # fmt: skip
_HIGHER_ORDER_CALLS = frozenset({
    "map", "imap", "imap_unordered", "map_async", "reduce", "filter", "submit", "apply",
    "apply_async", "starmap_async", "run_in_executor", "to_thread", "run_sync", "takewhile",
    "dropwhile", "filterfalse",
})  # fmt: skip
"""Functions that call one of their arguments with the others."""
EXECUTORS = frozenset({"ThreadPoolExecutor", "ProcessPoolExecutor"})
"""Pools that store the error of a call in its future (concurrent.futures)."""
GROUPS = frozenset({"TaskGroup", "create_task_group", "open_nursery"})
"""Task groups that raise the errors of all their tasks when they end."""
_RESULT_CALLS = frozenset({"result", "gather", "add_done_callback", "starmap"})
_PUT_CALLS = frozenset({"put", "put_nowait", "append"})
_WAIT_CALLS = frozenset({
    "result", "join", "gather", "as_completed", "wait", "done", "add_done_callback", "task_done",
    "shutdown", "starmap", "communicate",
})  # fmt: skip
_READ_CALLS = frozenset({
    "value", "key", "headers", "topic", "partition", "offset", "timestamp", "error", "decode",
    "encode", "strip", "split", "get", "items", "values", "keys", "len", "int", "str", "float",
    "bool", "bytes", "dict", "list", "repr", "isinstance", "loads", "code", "seek", "pause",
    "sizeof", "tobytes", "asDict", "append", "extend", "add", "leader_epoch", "latency",
})  # fmt: skip
"""Calls that read or convert a message, without an effect elsewhere."""
_LOG_CALLS = frozenset({
    "print", "pprint", "debug", "info", "warn", "warning", "error", "exception", "critical", "log",
    "print_exc", "write", "sleep", "inc", "capture_exception", "rollback", "echo", "secho",
    "increment", "incr", "count", "observe", "capture_message", "notice_error",
    "record_exception", "set_status", "add_event", "labels", "gauge", "timing",
    "histogram",
})  # fmt: skip
OWN = {"self", "cls"}
_NODES_ATTRIBUTE = "_nodes"
_HARMLESS_ERROR = re.compile(
    r"(?:Keyboard|Buffer|Stop|System|Generator|Cancelled|Interrupted|Integrity|Kafka|Consumer)\w*"
    r"|\w*(?:Unique|Duplicate|AlreadyExists|Exit)\w*|Empty|Full"
)
"""Errors that do not concern a message, or that say that it was processed before."""


def method_name(node: ast.AST) -> str:
    """The last name of the callee of a call; empty for any other node."""
    if isinstance(node, ast.Await):
        node = node.value
    func = node.func if isinstance(node, ast.Call) else None
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def passes_arguments_to_function(call: ast.Call) -> bool:
    """Whether a call passes its arguments to a function that is one of them."""
    return method_name(call) in _HIGHER_ORDER_CALLS


def receiver(call: ast.Call) -> str:
    """The receiver of a method call, as it is written; empty for any other call."""
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def last_name_of_receiver(call: ast.Call) -> str:
    """The last name of the receiver of a method call."""
    return receiver(call).rpartition(".")[2]


def with_nodes(tree: ast.Module) -> ast.Module:
    """Returns the same module with its nodes stored in it: they are read more than a hundred times.
    Nothing may change the tree any more."""
    vars(tree)[_NODES_ATTRIBUTE] = tuple(ast.walk(tree))
    return tree


def nodes(tree: ast.AST) -> Iterable[ast.AST]:
    """All nodes of a tree, in the order of `ast.walk`."""
    return vars(tree).get(_NODES_ATTRIBUTE) or ast.walk(tree)


def calls(node: ast.AST) -> Iterator[ast.Call]:
    """All calls in a tree."""
    return (inner for inner in nodes(node) if isinstance(inner, ast.Call))


def names_in(node: ast.AST) -> set[str]:
    """The plain names in an expression, and the fields of the program's objects, such as
    `self.batch`. A receiver of `error()` does not count."""
    if isinstance(node, ast.Call) and method_name(node) == "error":
        return {name for argument in node.args for name in names_in(argument)}
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in OWN:
        return {ast.unparse(node)}
    names = {node.id} - OWN if isinstance(node, ast.Name) else set[str]()
    return names.union(*map(names_in, ast.iter_child_nodes(node)))


def names_created_by(
    tree: ast.AST, classes: frozenset[str], others: Container[int] = frozenset()
) -> set[str]:
    """The names that the program assigns to objects of these classes. `others` are the ids of calls
    that do not count."""
    names = set[str]()
    for node in nodes(tree):
        pairs: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.withitem) and node.optional_vars:
            pairs = [(node.optional_vars, node.context_expr)]
        targets = [target for target, value in pairs
                if value and method_name(value) in classes and id(value) not in others]  # fmt: skip
        names.update(map(ast.unparse, targets))
    return names


def pool_names(tree: ast.AST) -> tuple[set[str], set[str]]:
    """The names of pools, and those of task groups."""
    return names_created_by(tree, EXECUTORS), names_created_by(tree, GROUPS)


def consumer_names(tree: ast.AST) -> set[str]:
    """The names of consumers: objects of a consumer class, receivers of `subscribe` and of
    polls."""
    method_calls = [call for call in calls(tree) if receiver(call)]
    names = {receiver(call) for call in method_calls if method_name(call) == "subscribe"}
    names |= {name for call in method_calls if method_name(call) in POLLS
              and "consumer" in (name := receiver(call)).lower()}  # fmt: skip
    names |= names_created_by(tree, CONSUMER_CLASSES)
    for node in nodes(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.value)[:100] in names:
            names.update(map(ast.unparse, node.targets))
    return names


def polls(call: ast.Call, consumers: set[str]) -> bool:
    """Whether a call polls one of these consumers."""
    return method_name(call) in POLLS and receiver(call) in consumers


def queue_names(tree: ast.AST) -> set[str]:
    """The names of queues. A deque is one if no function both fills and empties it."""
    deques = names_created_by(tree, frozenset({"deque"}))
    for scope in (node for node in nodes(tree) if isinstance(node, ast.Module | APART)):
        inner = [node for part in scope.body for node in own_nodes(part)]
        used = {(method_name(call), receiver(call)) for call in inner if isinstance(call, ast.Call)}
        deques = {name for name in deques if not used >= {("append", name), ("popleft", name)}}
    return names_created_by(tree, QUEUE_CLASSES) | deques


def only_stores(call: ast.Call) -> bool:
    """Whether a call only adds something to a collection."""
    return method_name(call) in ("append", "extend", "add")


def unread_collections(tree: ast.AST) -> set[str]:
    """The last names of collections that are only written to, and at most read by a log."""
    stores = [call for call in calls(tree) if only_stores(call)]
    harmless = {id(call.func.value) for call in stores if isinstance(call.func, ast.Attribute)}
    harmless |= {id(inner) for call in calls(tree) if is_log(call) for inner in ast.walk(call)}
    names = {*map(last_name_of_receiver, stores)}
    for node in nodes(tree):
        if name := target_dict(node):
            names.add(name)
            harmless.update(id(target.value) for target in node.targets)  # type: ignore[attr-defined]
    read = {getattr(node, "attr", getattr(node, "id", "")) for node in nodes(tree)
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            and id(node) not in harmless}  # fmt: skip
    return names - read


def target_dict(node: ast.AST) -> str:
    """The last name of a dict whose item a statement assigns; empty for any other statement."""
    match node:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name))]
        ):
            return name
        case _:
            return ""


def is_log(call: ast.Call) -> bool:
    """Whether a call only logs, counts or waits, and does nothing with a message."""
    owner = receiver(call).lower().rpartition(".")[2]
    return method_name(call) in _LOG_CALLS and (
        method_name(call) != "write" or owner in ("stdout", "stderr")
    )


def only_parses(call: ast.Call) -> bool:
    """Whether a call only reads a message, or creates an object."""
    name = method_name(call)
    parses = name.startswith(("parse", "from_", "model_validate", "deserial", "decode", "_decode"))
    creates = name[:1].isupper() and name not in HANDS_OVER
    return name in _READ_CALLS or parses or creates or "deserial" in name.lower()


def error_only_on_request(call: ast.Call) -> bool:
    """Whether a call starts a task whose error only its future reports."""
    starters = (
        "submit", "apply_async", "map_async", "starmap_async", "Thread", "Timer", "Process",
        "create_task",
        "ensure_future",
    )  # fmt: skip
    return method_name(call) in starters and all(
        word.arg != "error_callback" for word in call.keywords
    )


def pool_keeps_errors(node: ast.With | ast.AsyncWith) -> bool:
    """Whether a `with` block is of a pool that stores errors in its futures."""
    return any(method_name(item.context_expr) in EXECUTORS for item in node.items)


def gather_returns_errors(call: ast.Call) -> bool:
    """Whether a `gather` returns errors in the place of results."""
    return any(
        word.arg == "return_exceptions" and ast.unparse(word.value) == "True"
        for word in call.keywords
    )


def awaits_by_name(tree: ast.AST) -> bool:
    """Whether the program checks the result of a future, or awaits a task by its name."""
    return any(map(awaits_task, nodes(tree))) or any(
        method_name(call) in _RESULT_CALLS
        or (method_name(call) == "get" and not call.args)
        or asks_future(call)
        for call in calls(tree)
    )


def asks_future(call: ast.Call) -> bool:
    """Whether a call is `future.exception()`; a log call of that name has an argument."""
    return method_name(call) == "exception" and not call.args


def puts_into_queue(call: ast.Call, queues: set[str]) -> bool:
    """Whether a call puts an item into a queue."""
    return method_name(call) in _PUT_CALLS and receiver(call) in queues


def waits_at_exit(node: ast.expr) -> bool:
    """Whether a `with` block of this context manager waits at its end for all its tasks."""
    return method_name(node).endswith(("Executor", "TaskGroup", "Pool", "open_nursery"))


def waits_for_all(call: ast.Call) -> bool:
    """Whether a call waits for all messages sent: `flush()` without a timeout."""
    arguments = [*call.args, *(word.value for word in call.keywords)]
    forever = not arguments or ast.unparse(arguments[0]) in ("-1", "-1.0", "None")
    is_output = receiver(call).endswith(("stdout", "stderr"))
    return method_name(call) == "flush" and forever and not is_output


_RUNNING_CONDITION = re.compile(
    r"(?:\w+\.)*_?(?:keep_)?(?:run(?:ning)?|alive|active|started)(?:\(\))?"
    r"|not (?:\w+\.)*\w*(?:stop|shut|exit|clos|kill|cancel|term|quit)\w*(?:\.is_set\(\)|\(\))?"
)


def polls_until_condition(node: ast.AST) -> bool:
    """Whether a loop polls a producer until a condition holds, and sends nothing. A loop that runs
    as long as the program does not count: it ends with the last messages still queued."""
    if not isinstance(node, ast.While) or isinstance(node.test, ast.Constant):
        return False
    if _RUNNING_CONDITION.fullmatch(ast.unparse(node.test)):
        return False
    method_names = {method_name(call) for call in calls(node)}
    return "poll" in method_names and not any(name.startswith("produce") for name in method_names)


def unused_values(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields the values that no statement uses: those of expression statements, and those assigned
    to a name that is never read."""
    read = {node.id for node in nodes(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}  # fmt: skip
    for node in nodes(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if len(names) == len(node.targets) and read.isdisjoint(names):
                yield node.value


def waits_for_others(call: ast.Call) -> bool:
    """Whether a call may wait for another thread or task."""
    object_ = call.func.value if isinstance(call.func, ast.Attribute) else None
    return asks_future(call) or (
        method_name(call) in _WAIT_CALLS and not isinstance(object_, ast.Constant)
    )


def awaits_task(node: ast.AST) -> bool:
    """Whether an expression awaits a task that was started before, by its name."""
    return isinstance(node, ast.Await) and isinstance(node.value, ast.Name | ast.Subscript)


def may_wait(tree: ast.AST) -> bool:
    """Whether a program may wait for another thread or task."""
    return any(map(awaits_task, nodes(tree))) or any(map(waits_for_others, calls(tree)))


def begins_at_end(node: ast.AST) -> TypeGuard[ast.stmt | ast.expr]:
    """Whether a statement or a call sets the offset of a partition to -1, which is OFFSET_END."""
    if isinstance(node, ast.Assign):
        fields = [target for target in node.targets if isinstance(target, ast.Attribute)]
        return ast.unparse(node.value) == "-1" and any(field.attr == "offset" for field in fields)
    if isinstance(node, ast.Call) and method_name(node) == "TopicPartition":
        offsets = [word.value for word in node.keywords if word.arg == "offset"]
        return any(ast.unparse(offset) == "-1" for offset in [*node.args[2:3], *offsets])
    return False


def is_commit(call: ast.Call) -> bool:
    """Whether a call commits offsets."""
    return method_name(call) in COMMITS


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a statement, without those of functions and classes in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return
    yield node
    for inner in ast.iter_child_nodes(node):
        yield from own_nodes(inner)


def leaves_loop(loop: ast.stmt) -> bool:
    """Whether a statement leaves a loop before its end, as in a retry until it succeeds."""
    return any(isinstance(node, ast.Break | ast.Return) for node in ast.walk(loop))


def suppress_as_try(node: ast.With | ast.AsyncWith) -> ast.Try | None:
    """Returns `with suppress(…)` as the equivalent `try`; None for any other `with`."""
    for item in node.items:
        manager = item.context_expr
        if isinstance(manager, ast.Call) and method_name(manager) == "suppress":
            types = ast.Tuple(manager.args, ast.Load())
            at = {"lineno": node.lineno, "col_offset": node.col_offset}
            handler = ast.ExceptHandler(types, None, [ast.Pass(**at)], **at)
            return ast.Try(node.body, [handler], [], [], **at)
    return None


def commits_other_system(call: ast.Call, consumers: set[str]) -> bool:
    """Whether a call commits a transaction of another system."""
    return (
        method_name(call) == "commit" and not call.args and receiver(call) not in {"", *consumers}
    )


def polls_many(call: ast.Call) -> bool:
    """Whether a call may return more than one message (`consume(num_messages=1)`)."""
    counts = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "num_messages")]
    return method_name(call) == "consume" and bool(counts) and ast.unparse(counts[0]) != "1"


def commit_argument(call: ast.Call) -> list[ast.expr]:
    """The message or offsets that a commit takes; none for a commit of all that was polled."""
    keywords = [word.value for word in call.keywords if word.arg in ("message", "offsets")]
    return [*call.args, *keywords]


_NOT_FOUND_ERROR = re.compile(rf"\w*{NOT_FOUND}\w*")


def catches_all(handler: ast.ExceptHandler, attempt: Iterable[ast.stmt] = ()) -> bool:
    """Whether a handler catches an error that the processing of a message may raise. An error of a
    full queue or producer counts where `attempt` puts a message into it and the handler does
    not."""
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {ast.unparse(kind).rpartition(".")[2] for kind in types}
    puts = {method_name(call) for node in attempt for call in calls(node)}
    puts -= {method_name(call) for node in handler.body for call in calls(node)}
    full = {"Full"} if puts & _PUT_CALLS else set[str]()
    full |= {"BufferError"} if "produce" in puts else set()
    only_deletes = bool(puts) and all(map(DELETES.fullmatch, puts - _READ_CALLS))
    harmless = [_HARMLESS_ERROR, *([_NOT_FOUND_ERROR] if only_deletes else [])]
    caught = (name for name in names if not any(kind.fullmatch(name) for kind in harmless))
    return any(True for _ in caught) or bool(full & names)


def only_logs_and_continues(
    body: Iterable[ast.stmt], is_commit: Callable[[ast.Call], bool], *, in_function: bool,
    leaves: Container[int] = (),
) -> bool:  # fmt: skip
    """Whether a handler only logs an error, counts it, or commits, and the program continues.
    `leaves` are the ids of the `break` statements after which the program continues, too."""
    for node in body:
        match node:
            case ast.Pass() | ast.Continue() | ast.AugAssign():
                continue
            case ast.Break() if id(node) in leaves:
                continue
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Return() if in_function:
                continue
            case ast.If(body=then, orelse=otherwise) | ast.For(body=then, orelse=otherwise):
                rest = [*then, *otherwise]
                if not only_logs_and_continues(
                    rest, is_commit, in_function=in_function, leaves=leaves
                ):
                    return False
            case ast.Expr(value=value):
                call = value.value if isinstance(value, ast.Await) else value
                if not isinstance(call, ast.Call):
                    return False
                if not (is_log(call) or is_commit(call)):
                    return False
            case _:
                return False
    return True


def log_only_nodes(scope: ast.AST) -> set[int]:
    """The ids of the nodes in statements and conditions that only log."""
    return {
        id(inner)
        for node in nodes(scope) if isinstance(node, ast.If | ast.For | ast.Expr)
        if only_logs_and_continues([node], lambda call: False, in_function=True)
        for inner in ast.walk(node)
    }  # fmt: skip
