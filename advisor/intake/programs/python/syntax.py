"""What a call of a Python program does, by its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import TypeGuard

LOOPS = ast.For | ast.AsyncFor | ast.While
APART = ast.FunctionDef | ast.AsyncFunctionDef
_CONSUMERS = frozenset({"Consumer", "DeserializingConsumer", "AvroConsumer", "AIOConsumer"})
POLLS = frozenset({"poll", "consume"})
COMMITS = frozenset({"commit", "store_offsets"})
_QUEUES = frozenset({
    "Queue", "SimpleQueue", "LifoQueue", "PriorityQueue", "JoinableQueue", "deque",
})  # fmt: skip
HANDS_OVER = frozenset({
    "submit", "apply_async", "create_task", "ensure_future", "run_in_executor", "Thread",
    "Process", "start_soon", "run_coroutine_threadsafe", "call_soon", "call_soon_threadsafe",
    "start_new_thread", "map_async", "starmap_async", "spawn", "spawn_n", "add_task", "Popen",
    "execute_async",
})  # fmt: skip
_CALLS_OTHERS = frozenset({
    "map", "imap", "imap_unordered", "map_async", "reduce", "filter", "submit", "apply",
    "apply_async", "starmap_async", "run_in_executor", "to_thread", "run_sync", "takewhile",
    "dropwhile", "filterfalse",
})  # fmt: skip
"""Functions that call one of their arguments with the others."""
EXECUTORS = frozenset({"ThreadPoolExecutor", "ProcessPoolExecutor"})
"""Pools that keep the error of a call in its future (concurrent.futures)."""
GROUPS = frozenset({"TaskGroup", "create_task_group", "open_nursery"})
"""What raises at its end the errors of all that it was given."""
_ASKS = frozenset({"result", "gather", "add_done_callback", "starmap"})
_PUTS = frozenset({"put", "put_nowait", "append"})
_WAITS = frozenset({
    "result", "join", "gather", "as_completed", "wait", "done", "add_done_callback", "task_done",
    "shutdown", "starmap", "communicate",
})  # fmt: skip
_READS = frozenset({
    "value", "key", "headers", "topic", "partition", "offset", "timestamp", "error", "decode",
    "encode", "strip", "split", "get", "items", "values", "keys", "len", "int", "str", "float",
    "bool", "bytes", "dict", "list", "repr", "isinstance", "loads", "code", "seek", "pause",
    "sizeof", "tobytes", "append", "extend", "add", "leader_epoch", "latency",
})  # fmt: skip
"""What takes a message apart, and has no effect elsewhere."""
_LOGS = frozenset({
    "print", "pprint", "debug", "info", "warn", "warning", "error", "exception", "critical", "log",
    "print_exc", "write", "sleep", "inc", "capture_exception", "rollback", "echo", "secho",
    "increment", "incr", "count", "observe", "capture_message", "notice_error",
    "record_exception", "set_status", "add_event", "labels", "gauge", "timing",
    "histogram",
})  # fmt: skip
OWN = {"self", "cls"}
_NODES = "_nodes"
_HARMLESS = re.compile(
    r"(?:Keyboard|Buffer|Stop|System|Generator|Cancelled|Interrupted|Integrity|Kafka|Consumer)\w*"
    r"|\w*(?:Unique|Duplicate|AlreadyExists|Exit)\w*|Empty|Full"
)
"""Errors that are not of a message, or say that it was processed before."""


def method_name(node: ast.AST) -> str:
    """The last name of what is called; empty for anything else."""
    if isinstance(node, ast.Await):
        node = node.value
    func = node.func if isinstance(node, ast.Call) else None
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def passes_arguments_to_function(call: ast.Call) -> bool:
    """Whether a call hands what it is given to a function that it is given, too."""
    return method_name(call) in _CALLS_OTHERS


def receiver(call: ast.Call) -> str:
    """What a method is called of, as it is written."""
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def last_name_of_receiver(call: ast.Call) -> str:
    """The last name of what a method is called of."""
    return receiver(call).rpartition(".")[2]


def with_nodes(tree: ast.Module) -> ast.Module:
    """The same program, which nothing changes any more, with its nodes: it is asked for them more
    than a hundred times."""
    vars(tree)[_NODES] = tuple(ast.walk(tree))
    return tree


def nodes(tree: ast.AST) -> Iterable[ast.AST]:
    """Each node in one, as `ast.walk` gives them."""
    return vars(tree).get(_NODES) or ast.walk(tree)


def calls(node: ast.AST) -> Iterator[ast.Call]:
    """Each call in a node."""
    return (inner for inner in nodes(node) if isinstance(inner, ast.Call))


def names_in(node: ast.AST) -> set[str]:
    """The plain names in an expression, but for those of which only `error()` is asked, and the
    fields of the program's own objects, such as `self.batch`."""
    if isinstance(node, ast.Call) and method_name(node) == "error":
        return {name for given in node.args for name in names_in(given)}
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in OWN:
        return {ast.unparse(node)}
    own = {node.id} - OWN if isinstance(node, ast.Name) else set[str]()
    return own.union(*map(names_in, ast.iter_child_nodes(node)))


def names_created_by(
    tree: ast.AST, classes: frozenset[str], others: Container[int] = frozenset()
) -> set[str]:
    """The names that the program gives to objects of these classes, but for those of other calls
    that make one."""
    names = set[str]()
    for node in nodes(tree):
        pairs: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.withitem) and node.optional_vars:
            pairs = [(node.optional_vars, node.context_expr)]
        ours = [target for target, value in pairs
                if value and method_name(value) in classes and id(value) not in others]  # fmt: skip
        names.update(map(ast.unparse, ours))
    return names


def pool_names(tree: ast.AST) -> tuple[set[str], set[str]]:
    """The names of pools, and of groups of tasks."""
    return names_created_by(tree, EXECUTORS), names_created_by(tree, GROUPS)


def consumer_names(tree: ast.AST) -> set[str]:
    """The names of consumers: what is made as one, and what subscribes."""
    called = [call for call in calls(tree) if receiver(call)]
    names = {receiver(call) for call in called if method_name(call) == "subscribe"}
    names |= {whose for call in called if method_name(call) in POLLS
              and "consumer" in (whose := receiver(call)).lower()}  # fmt: skip
    names |= names_created_by(tree, _CONSUMERS)
    for node in nodes(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.value)[:100] in names:
            names.update(map(ast.unparse, node.targets))
    return names


def polls(call: ast.Call, consumers: set[str]) -> bool:
    """Whether a call polls one of these consumers."""
    return method_name(call) in POLLS and receiver(call) in consumers


def queue_names(tree: ast.AST) -> set[str]:
    """The names of queues."""
    return names_created_by(tree, _QUEUES)


def only_stores(call: ast.Call) -> bool:
    """Whether a call only puts something by in a collection."""
    return method_name(call) in ("append", "extend", "add")


def unread_collections(tree: ast.AST) -> set[str]:
    """The last names of collections into which something is put, and of which nothing but a log
    tells anything."""
    kept = [call for call in calls(tree) if only_stores(call)]
    harmless = {id(call.func.value) for call in kept if isinstance(call.func, ast.Attribute)}
    harmless |= {id(inner) for call in calls(tree) if is_log(call) for inner in ast.walk(call)}
    names = {*map(last_name_of_receiver, kept)}
    for node in nodes(tree):
        if name := target_dict(node):
            names.add(name)
            harmless.update(id(target.value) for target in node.targets)  # type: ignore[attr-defined]
    read = {getattr(node, "attr", getattr(node, "id", "")) for node in nodes(tree)
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            and id(node) not in harmless}  # fmt: skip
    return names - read


def target_dict(node: ast.AST) -> str:
    """The last name of the dict into which a statement puts something; empty for any other."""
    match node:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name))]
        ):
            return name
        case _:
            return ""


def is_log(call: ast.Call) -> bool:
    """Whether a call writes a line, counts or waits, and does nothing with a message."""
    whose = receiver(call).lower().rpartition(".")[2]
    return method_name(call) in _LOGS and (
        method_name(call) != "write" or whose in ("stdout", "stderr")
    )


def only_parses(call: ast.Call) -> bool:
    """Whether a call reads a message, or makes a value of it."""
    name = method_name(call)
    parses = name.startswith(("parse", "from_", "model_validate", "deserial", "decode", "_decode"))
    made = name[:1].isupper() and name not in HANDS_OVER
    return name in _READS or parses or made or "deserial" in name.lower()


def error_only_on_request(call: ast.Call) -> bool:
    """Whether an error of what a call hands over is told only to who asks for it."""
    own = (
        "submit",
        "apply_async",
        "map_async",
        "starmap_async",
        "Thread",
        "Process",
        "create_task",
        "ensure_future",
    )
    return method_name(call) in own and all(word.arg != "error_callback" for word in call.keywords)


def pool_keeps_errors(node: ast.With | ast.AsyncWith) -> bool:
    """Whether a block is of a pool that keeps errors in its futures."""
    return any(method_name(item.context_expr) in EXECUTORS for item in node.items)


def gather_returns_errors(call: ast.Call) -> bool:
    """Whether a `gather` returns errors as it does results."""
    return any(
        word.arg == "return_exceptions" and ast.unparse(word.value) == "True"
        for word in call.keywords
    )


def awaits_by_name(tree: ast.AST) -> bool:
    """Whether something asks a future for its error, or waits for it by name."""
    return any(map(awaits_task, nodes(tree))) or any(
        method_name(call) in _ASKS
        or (method_name(call) == "get" and not call.args)
        or asks_future(call)
        for call in calls(tree)
    )


def asks_future(call: ast.Call) -> bool:
    """Whether a call waits for a future, and asks for its error; a log is given a text."""
    return method_name(call) == "exception" and not call.args


def puts_into_queue(call: ast.Call, queues: set[str]) -> bool:
    """Whether a call puts into a queue."""
    return method_name(call) in _PUTS and receiver(call) in queues


def waits_at_exit(node: ast.expr) -> bool:
    """Whether a `with` of this waits at its end for all that it was given."""
    return method_name(node).endswith(("Executor", "TaskGroup", "Pool", "open_nursery"))


def waits_for_all(call: ast.Call) -> bool:
    """Whether a call waits for all that was sent: `flush()`, and none with a timeout."""
    given = [*call.args, *(word.value for word in call.keywords)]
    forever = not given or ast.unparse(given[0]) in ("-1", "-1.0", "None")
    of_output = receiver(call).endswith(("stdout", "stderr"))
    return method_name(call) == "flush" and forever and not of_output


_WHILE_IT_RUNS = re.compile(
    r"(?:\w+\.)*_?(?:keep_)?(?:run(?:ning)?|alive|active|started)(?:\(\))?"
    r"|not (?:\w+\.)*\w*(?:stop|shut|exit|clos|kill|cancel|term|quit)\w*(?:\.is_set\(\)|\(\))?"
)


def polls_until_condition(node: ast.AST) -> bool:
    """Whether a loop polls a producer until something is so, and sends nothing. One that goes on
    while the program runs does not: what is queued last is still there when it ends."""
    if not isinstance(node, ast.While) or isinstance(node.test, ast.Constant):
        return False
    if _WHILE_IT_RUNS.fullmatch(ast.unparse(node.test)):
        return False
    verbs = {method_name(call) for call in calls(node)}
    return "poll" in verbs and not any(name.startswith("produce") for name in verbs)


def unused_values(tree: ast.AST) -> Iterator[ast.AST]:
    """The values that no statement uses: those of a statement of their own, and those of a name
    that nothing reads."""
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
    """Whether a call may wait for what others do."""
    of = call.func.value if isinstance(call.func, ast.Attribute) else None
    return asks_future(call) or (method_name(call) in _WAITS and not isinstance(of, ast.Constant))


def awaits_task(node: ast.AST) -> bool:
    """Whether an expression waits for what was begun before, by its name."""
    return isinstance(node, ast.Await) and isinstance(node.value, ast.Name | ast.Subscript)


def may_wait(tree: ast.AST) -> bool:
    """Whether something in a program may wait for what others do."""
    return any(map(awaits_task, nodes(tree))) or any(map(waits_for_others, calls(tree)))


def begins_at_end(node: ast.AST) -> TypeGuard[ast.stmt | ast.expr]:
    """Whether a partition is given the offset -1, which is OFFSET_END."""
    if isinstance(node, ast.Assign):
        places = [target for target in node.targets if isinstance(target, ast.Attribute)]
        return ast.unparse(node.value) == "-1" and any(place.attr == "offset" for place in places)
    if isinstance(node, ast.Call) and method_name(node) == "TopicPartition":
        named = [word.value for word in node.keywords if word.arg == "offset"]
        return any(ast.unparse(given) == "-1" for given in [*node.args[2:3], *named])
    return False


def is_commit(call: ast.Call) -> bool:
    """Whether a call commits."""
    return method_name(call) in COMMITS


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a statement, but for functions in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return
    yield node
    for inner in ast.iter_child_nodes(node):
        yield from own_nodes(inner)


def leaves_loop(loop: ast.stmt) -> bool:
    """Whether something leaves a loop before its end, as one does that tries until it succeeds."""
    return any(isinstance(node, ast.Break | ast.Return) for node in ast.walk(loop))


def suppress_as_try(node: ast.With | ast.AsyncWith) -> ast.Try | None:
    """`with suppress(…)` as the `try` that it is; None for any other `with`."""
    for item in node.items:
        given = item.context_expr
        if isinstance(given, ast.Call) and method_name(given) == "suppress":
            types = ast.Tuple(given.args, ast.Load())
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
    """Whether a call polls more than one message (`consume(num_messages=1)`)."""
    given = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "num_messages")]
    return method_name(call) == "consume" and bool(given) and ast.unparse(given[0]) != "1"


def commit_argument(call: ast.Call) -> list[ast.expr]:
    """The message or the offsets that a commit is given; none of them is all that was polled."""
    named = [word.value for word in call.keywords if word.arg in ("message", "offsets")]
    return [*call.args, *named]


_GONE = re.compile(r"\w*(?:NotFound|NoSuch|NotExist|Gone)\w*")
_DELETES = re.compile(r"(?:delete|remove|unlink|purge|evict|drop|deregister|revoke)\w*")
"""What says that something was deleted before, and what deletes."""


def catches_all(handler: ast.ExceptHandler, attempt: Iterable[ast.stmt] = ()) -> bool:
    """Whether a handler takes what the processing of a message may raise; a queue or a producer
    that is full has not taken what an attempt puts into it, unless the handler does so again."""
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {ast.unparse(kind).rpartition(".")[2] for kind in types}
    puts = {method_name(call) for node in attempt for call in calls(node)}
    puts -= {method_name(call) for node in handler.body for call in calls(node)}
    full = {"Full"} if puts & _PUTS else set[str]()
    full |= {"BufferError"} if "produce" in puts else set()
    is_gone = bool(puts) and all(map(_DELETES.fullmatch, puts - _READS))
    harmless = [_HARMLESS, *([_GONE] if is_gone else [])]
    taken = (name for name in names if not any(kind.fullmatch(name) for kind in harmless))
    return any(True for _ in taken) or bool(full & names)


def only_logs_and_continues(
    body: Iterable[ast.stmt], is_commit: Callable[[ast.Call], bool], *, in_function: bool,
    leaves: Container[int] = (),
) -> bool:  # fmt: skip
    """Whether a handler only writes of an error, counts it, or commits, and goes on; `leaves` are
    the `break` behind which the program does, too."""
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
            case ast.If(body=inner, orelse=other) | ast.For(body=inner, orelse=other):
                rest = [*inner, *other]
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
    """What stands in statements and conditions that only write of something."""
    return {
        id(inner)
        for node in nodes(scope) if isinstance(node, ast.If | ast.For | ast.Expr)
        if only_logs_and_continues([node], lambda call: False, in_function=True)
        for inner in ast.walk(node)
    }  # fmt: skip
