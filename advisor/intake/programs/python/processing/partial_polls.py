"""Polls of a Python program of which only a part is processed, and results that nothing reads.

`consume()` hands out all that it returns: the position is behind that, and so is a commit without
offsets (confluent-kafka, Consumer.consume and commit).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

from advisor.intake.programs.facts import BEFORE, SKIP, SUCCESS
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors import error_handling
from advisor.intake.programs.python.errors.combined_results import CombinedResults
from advisor.intake.programs.python.errors.flags import (
    Flags,
    awaited_value,
    branch_for,
    breaks_of_loop,
    condition_of,
    leads_only_to_commit,
    only_logs_or_commits,
)
from advisor.intake.programs.python.processing import parts_of_polls, skipped_by_count

_MAKES = frozenset({"list", "tuple", "filter", "sorted"})
_ACTS = re.compile(
    r"_*(?:save|store|insert|write|send|publish|process|handle|upsert|persist|deliver|forward|post"
    r"|push|index|upload|import)\w*"
)
"""What a call does that returns whether it succeeded."""
_QUESTIONS = re.compile(
    r"_*(?:is|has|can|should|was|needs|exists|contains|match|valid|check|verify|filter|accept|seen"
    r"|parse|test|already|get|find|allow)(?![a-z]*ed\b)\w*"
)
"""Calls that only ask something."""
_ERRORS = frozenset({"err", "error", "errors"})
"""What an error is called that a call returns."""
_HTTP = frozenset({"post", "put", "patch", "delete", "request"})
_OF_HTTP = ("requests", "httpx", "urllib3")
_SESSIONS = frozenset({
    "Session", "Client", "AsyncClient", "ClientSession", "PoolManager", "HTTPConnectionPool",
    "HTTPSConnectionPool", "HTTPConnection", "HTTPSConnection",
})  # fmt: skip
_STATUS = frozenset({"status", "status_code", "ok", "raise_for_status", "is_success", "is_error"})
_OF_AWS = frozenset({
    "put_records", "put_record_batch", "batch_write_item", "send_message_batch", "publish_batch",
    "put_events", "invoke",
})  # fmt: skip
_ELASTIC = re.compile(r"(?i)(?:.*\.)?(?:_?es|\w*(?:elastic|opensearch|client)\w*)")


def partial_poll_facts(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """What the program does with a part of what it polled, and where."""
    yield from ((SKIP, line) for line in _left_out(tree))
    yield from ((BEFORE, line) for line in _too_early(tree))


def _left_out(tree: ast.Module) -> Iterator[int]:
    """The lines where a part is taken of what was polled, if nothing takes the rest of it."""
    consumers = syntax.consumer_names(tree)
    yield from _done_anyway(tree)
    scopes = [node for node in syntax.nodes(tree) if isinstance(node, Function)]
    for scope in [tree, *scopes]:
        own = [node for part in scope.body for node in syntax.own_nodes(part)]
        polled = [node for node in own if _polls_many(node, consumers)]
        names = {
            target.id for node in own if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and any(inner is node.value for inner in polled)
        }  # fmt: skip
        back = any(syntax.method_name(call) in ("seek", "pause") for call in own)
        kept = _put_by(own, consumers)
        names |= kept
        yield from _given_up(scope, own)
        yield from _kept_errors(scope, own)
        if names and not back:
            yield from parts_of_polls.partial_reads(own, names, kept)
        if not back:
            yield from skipped_by_count.skipped_by_count(own, names - kept, consumers)
            yield from _left(own, names, consumers, leads_only_to_commit(scope))


def _too_early(tree: ast.Module) -> Iterator[int]:
    """The lines where all that was polled is committed before the most of it is processed."""
    consumers = syntax.consumer_names(tree)
    for scope in [tree, *(node for node in syntax.nodes(tree) if isinstance(node, Function))]:
        own = [node for part in scope.body for node in syntax.own_nodes(part)]
        polled = {
            target.id for node in own if isinstance(node, ast.Assign)
            for target in node.targets if isinstance(target, ast.Name)
            if any(_polls_many(inner, consumers) for inner in ast.walk(node.value))
        }  # fmt: skip
        if polled:
            yield from parts_of_polls.too_early(own, polled)


def _done_anyway(tree: ast.Module) -> Iterator[int]:
    """Where a thread says that it is done with an item whatever became of it, to whoever waits for
    the queue (queue.Queue, task_done and join)."""
    queues = syntax.queue_names(tree)
    if not any(syntax.method_name(call) == "join" and syntax.receiver(call) in queues
               for call in syntax.calls(tree)):  # fmt: skip
        return
    for node in syntax.nodes(tree):
        for block in (getattr(node, part, []) for part in ("body", "orelse")):
            for number, attempt in enumerate(block if isinstance(block, list) else ()):
                if isinstance(attempt, ast.Try):
                    yield from _told_anyway(attempt, block[number + 1 :])


def _told_anyway(attempt: ast.Try, behind: list[ast.stmt]) -> Iterator[int]:
    """Where an item is done behind an attempt, with what stands behind that, after an error."""
    caught = [handler for handler in attempt.handlers if syntax.catches_all(handler)]
    quiet = [
        syntax.only_logs_and_continues(node.body, lambda call: False, in_function=False)
        for node in caught
    ]
    ends = [*attempt.finalbody, *(behind if caught else [])]
    done = (
        call
        for node in ends
        for call in syntax.calls(node)
        if syntax.method_name(call) == "task_done"
    )
    yield from (call.lineno for call in done if all(quiet))


def _polls_many(node: ast.AST, consumers: set[str]) -> bool:
    return isinstance(node, ast.Call) and syntax.polls(node, consumers) and syntax.polls_many(node)


def _put_by(own: list[ast.AST], consumers: set[str]) -> set[str]:
    """The names of lists to which each message is added."""
    polled = {
        target.id for node in own if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call) and syntax.polls(node.value, consumers)
        and not syntax.polls_many(node.value)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    return {
        syntax.receiver(node) for node in own
        if isinstance(node, ast.Call) and syntax.method_name(node) == "append"
        and polled & {name for given in node.args for name in syntax.names_in(given)}
    }  # fmt: skip


def _given_up(scope: ast.AST, own: list[ast.AST]) -> Iterator[int]:
    """Loops that end after so many attempts, and nothing asks whether one succeeded."""
    for node in own:
        if not isinstance(node, ast.While | ast.For) or node.orelse:
            continue
        tests = [part.test for part in ast.walk(node) if isinstance(part, ast.If)]
        tests = [node.test] if isinstance(node, ast.While) else tests
        bounded = (
            syntax.method_name(node.iter) == "range"
            if isinstance(node, ast.For)
            else any(
                isinstance(part, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
                for part in ast.walk(node.test)
            )
        )
        asked = {part.id for test in tests for part in ast.walk(test) if isinstance(part, ast.Name)}
        results = {
            target.id for statement in ast.walk(node) if isinstance(statement, ast.Assign)
            and _ACTS.fullmatch(syntax.method_name(statement.value)) for target in statement.targets
            if isinstance(target, ast.Name)
        }  # fmt: skip
        later = {
            name.id
            for part in error_handling.statements_after(scope, node) or []
            for name in ast.walk(part)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)
        }
        if bounded and results & asked - later:
            yield node.lineno


def _kept_errors(scope: ast.AST, own: list[ast.AST]) -> Iterator[int]:
    """Where the errors of futures have a name, of which nothing but a log or a commit depends."""
    kept = {
        node.lineno: node.targets[0].id for node in own
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.ListComp | ast.SetComp)
        and any(map(syntax.asks_future, syntax.calls(node.value)))
    }  # fmt: skip
    flags = Flags(scope) if kept else None
    for line, name in kept.items():
        if flags and flags.is_idle(name, value=True, in_function=True):
            yield line


def _left(
    own: list[ast.AST], names: set[str], consumers: set[str], going: dict[int, set[int]]
) -> Iterator[int]:
    """Where a loop over messages is left before a commit of all of them."""
    for block in (getattr(node, part, []) for node in own for part in ("body", "orelse")):
        if not isinstance(block, list):
            continue
        for number, node in enumerate(block):
            if not isinstance(node, ast.For | ast.AsyncFor):
                continue
            over = any(_polls_many(call, consumers) for call in syntax.calls(node.iter))
            if not (over or syntax.names_in(node.iter) & names):
                continue
            behind = (
                call
                for statement in block[number + 1 :]
                if not isinstance(statement, ast.If | ast.While)
                for call in syntax.calls(statement)
            )
            if any(_commits_all(call, consumers) for call in behind):
                told = _told_at_a_break(node, block[number + 1 :])
                left = (inner for inner in breaks_of_loop(node.body) if id(inner) not in told)
                yield from (statement.lineno for statement in left)
            leaves, inner = going.get(id(node), set()), ast.walk(node)
            asked = (
                _asked_for(statement, (), leaves)
                for statement in inner
                if isinstance(statement, ast.If)
            )
            yield from (call.lineno for calls in asked for call in calls)


def _told_at_a_break(loop: ast.AST, behind: list[ast.stmt]) -> set[int]:
    """Where a loop is left, and a name says so, for which it is asked behind that and then left."""
    asked = set[str]()
    for statement in behind:
        if isinstance(statement, ast.If) and _ends(statement.body[-1]):
            asked |= syntax.names_in(statement.test)
    found = set[int]()
    for block in (getattr(node, "body", []) for node in ast.walk(loop)):
        if isinstance(block, list) and block and isinstance(block[-1], ast.Break):
            made = (node.targets for node in block if isinstance(node, ast.Assign))
            names = {ast.unparse(target) for targets in made for target in targets}
            found |= {id(block[-1])} if names & asked else set()
    return found


def _ends(statement: ast.stmt) -> bool:
    """Whether a statement ends the program, or the function."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_exit = isinstance(call, ast.Call) and syntax.method_name(call) in ("exit", "_exit", "abort")
    return is_exit or isinstance(statement, ast.Raise | ast.Return)


def _commits_all(call: ast.Call, consumers: set[str]) -> bool:
    of_ours = syntax.method_name(call) == "commit" and syntax.receiver(call) in consumers
    return of_ours and not syntax.commit_argument(call)


def http_sessions(tree: ast.AST) -> set[str]:
    """What makes HTTP requests in a program, by name, and raises for no status by itself."""
    raises = {
        id(call) for call in syntax.calls(tree)
        if any(word.arg in ("raise_for_status", "event_hooks") for word in call.keywords)
    }  # fmt: skip
    return {*_OF_HTTP, *syntax.names_created_by(tree, _SESSIONS, raises)}


def unread_results(scope: ast.AST, own: Container[str], sessions: set[str]) -> set[int]:
    """The results of calls that say whether something succeeded, and that nothing reads but what
    writes of it, or commits; `own` are functions of the file that say so, `sessions` what makes
    HTTP requests."""
    printed = syntax.log_only_nodes(scope)
    read = {node.id for node in syntax.nodes(scope) if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load) and id(node) not in printed}  # fmt: skip
    read -= {*_only_chosen(scope, read)}
    found = {id(call) for call in _of_with(scope, sessions)}
    flags = Flags(scope)
    found |= CombinedResults(scope, own, flags).unasked
    for node in syntax.nodes(scope):
        value, names = None, list[ast.expr]()
        if isinstance(node, ast.Assign):
            value, names = node.value, node.targets
        elif isinstance(node, ast.AnnAssign):
            value, names = node.value, [node.target]
        elif isinstance(node, ast.Expr):
            value = node.value
            written = syntax.calls(node) if id(node) in printed else ()
            found |= {id(call) for call in written if is_request(call, sessions)}
        elif isinstance(node, ast.If | ast.Match):
            found |= {id(call) for call in _asked_for(node, own)}
        elif isinstance(node, ast.For) and id(node.iter) in printed:
            value = node.iter
        call = awaited_value(value)
        if not isinstance(call, ast.Call):
            continue
        names = [element for name in names for element in getattr(name, "elts", [name])]
        named = [name.id for name in names if isinstance(name, ast.Name)]
        is_lost = len(named) == len(names) and read.isdisjoint(named)
        says = _tells(named, flags) and not _QUESTIONS.fullmatch(syntax.method_name(call))
        is_named, tells = len(named) == len(names), says or is_request(call, sessions)
        idle = (flags.is_idle(name, name in {"failed", *_ERRORS}, in_function=True)
                for name in named)  # fmt: skip
        if (is_named and tells and all(idle)) or (is_lost and _says_what_failed(call)):
            found.add(id(call))
    return found


def _tells(named: list[str], flags: Flags) -> bool:
    """Whether names that a call gives a value say whether it succeeded."""
    asked = {name for name in named if name in _ERRORS and flags.asks(name)}
    succeeds = [name for name in named if SUCCESS.fullmatch(name)]
    says = bool(named) and len(succeeds) == len(named)
    says = says or bool(asked) or any(map(flags.asks, succeeds))
    return says or (len(named) == 1 and flags.asks_outcome(named[0]))


def _only_chosen(scope: ast.AST, read: set[str]) -> Iterator[str]:
    """The names of which only some are chosen, for a name that nothing reads."""
    values = {
        id(node.value): target.id for node in syntax.nodes(scope) if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.ListComp) for target in node.targets
        if isinstance(target, ast.Name)
    }  # fmt: skip
    inside = dict[int, str]()
    for node in syntax.nodes(scope):
        if id(node) in values:
            inside |= {id(inner): values[id(node)] for inner in ast.walk(node)}
    loads = [node for node in syntax.nodes(scope) if isinstance(node, ast.Name)
             and isinstance(node.ctx, ast.Load)]  # fmt: skip
    printed = syntax.log_only_nodes(scope)
    for name in {node.id for node in loads if id(node) in inside}:
        own = [node for node in loads if node.id == name and id(node) not in printed]
        if all(inside.get(id(node), name) not in {name, *read} for node in own):
            yield name


def _of_with(scope: ast.AST, sessions: set[str]) -> Iterator[ast.Call]:
    """The requests of `async with` whose status nothing asks for (aiohttp, ClientResponse)."""
    for node in (node for node in syntax.nodes(scope) if isinstance(node, ast.AsyncWith)):
        asked = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
        given = {ast.unparse(value) for call in syntax.calls(node) for value in call.args}
        for item in node.items:
            call, name = item.context_expr, item.optional_vars
            handed_on = name is not None and ast.unparse(name) in given
            if not isinstance(call, ast.Call) or asked & _STATUS or handed_on:
                continue
            if is_request(call, sessions):
                yield call


def _asked_for(
    node: ast.If | ast.Match, own: Container[str], leaves: Container[int] = ()
) -> Iterator[ast.Call]:
    """The calls that do something, and of whose failure a condition makes nothing."""
    for call in syntax.calls(condition_of(node) or node):
        verb = syntax.method_name(call)
        of_class = isinstance(node, ast.Match) and any(
            isinstance(case.pattern, ast.MatchClass) for case in node.cases
        )
        named = _named_in(condition_of(node), call)
        acts = of_class or verb in own or named in _ERRORS
        acts = acts or bool(_ACTS.fullmatch(verb) or SUCCESS.fullmatch(named))
        if acts and (failed := branch_for(node, verb, value=named in _ERRORS)) is not None:
            yield from (call,) if only_logs_or_commits(failed, leaves, in_function=True) else ()


def _named_in(test: ast.AST | None, call: ast.Call) -> str:
    """The name that a condition gives what a call returns: `(error := save(m)) is not None`."""
    for node in ast.walk(test) if test else ():
        if isinstance(node, ast.NamedExpr) and awaited_value(node.value) is call:
            return node.target.id
    return ""


def _says_what_failed(call: ast.Call) -> bool:
    """Whether a call returns what fails and does not raise: it runs another program
    (subprocess; os), or writes several things at once (elasticsearch; boto3; BigQuery)."""
    named = {word.arg or "": ast.unparse(word.value) for word in call.keywords}
    verb, name = syntax.method_name(call), f"{syntax.receiver(call)}.{syntax.method_name(call)}"
    runs = name == "subprocess.run" and named.get("check") != "True"
    passes = named.get("raise_on_error") == "False"  # elasticsearch.helpers
    is_event = named.get("InvocationType", "")[1:-1] == "Event"  # Lambda keeps it
    of_aws = verb in _OF_AWS and not is_event and any(word[:1].isupper() for word in named)
    of_elastic = verb == "bulk" and bool(_ELASTIC.fullmatch(syntax.receiver(call)))
    several = of_aws or of_elastic or verb == "insert_rows_json"
    gathers = verb == "gather" and named.get("return_exceptions") == "True"
    return runs or passes or several or gathers or name in ("subprocess.call", "os.system")


def is_request(call: ast.Call, sessions: set[str]) -> bool:
    """Whether a call is a request, which raises for no status (requests, Response.raise_for_status;
    httpx, the same)."""
    return syntax.method_name(call) in _HTTP and syntax.receiver(call) in sessions


def checks_buffer_size(test: ast.expr, names: set[str]) -> bool:
    """Whether a condition asks how many messages were put by, or how long ago."""
    for node in ast.walk(test):
        if syntax.method_name(node) in ("time", "monotonic", "now", "utcnow", "perf_counter"):
            return True
        if isinstance(node, ast.Compare) and syntax.method_name(node.left) == "len":
            limits = [ast.unparse(value) for value in node.comparators]
            if syntax.names_in(node.left) & names and limits != ["0"]:
                return True
    return False
