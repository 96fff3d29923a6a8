"""Polls of a Python program that are only partly processed, and results that nothing checks.

`consume()` moves the position past all the messages that it returns. A commit without arguments
commits that position (confluent-kafka, Consumer.consume and commit).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

from advisor.intake.programs.facts import ASYNCHRONOUS, SKIP, SUCCESS
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors.flags import (
    Flags,
    branch_for,
    breaks_of_loop,
    condition_of,
    leads_only_to_commit,
    only_logs_or_commits,
)
from advisor.intake.programs.python.errors.outcome_names import ACTION
from advisor.intake.programs.python.errors.responses import awaited_value, is_request
from advisor.intake.programs.python.errors.unhandled_outcomes import unhandled_outcomes
from advisor.intake.programs.python.processing.unfinished_tasks import unfinished_waits

_CHECK = re.compile(
    r"_*(?:is|has|can|should|was|needs|exists|contains|match|valid|check|verify|filter|accept|seen"
    r"|parse|test|already|get|find|allow)(?![a-z]*ed\b)\w*"
)
"""Methods that only check something."""
_ERROR_NAMES = frozenset({"err", "error", "errors"})
"""Names of errors that a call returns."""
_STATUS_ATTRIBUTES = frozenset(
    {"status", "status_code", "ok", "raise_for_status", "is_success", "is_error"}
)
_AWS_BATCH_METHODS = frozenset({
    "put_records", "put_record_batch", "batch_write_item", "send_message_batch", "publish_batch",
    "put_events", "invoke",
})  # fmt: skip
_SEARCH_CLIENT = re.compile(r"(?i)(?:.*\.)?(?:_?es|\w*(?:elastic|opensearch|client)\w*)")


def partial_poll_facts(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yields what the program does with a part of its polls, as constants of `programs.facts`, each
    with its line."""
    yield from ((SKIP, line) for line in _skipped_messages(tree))
    consumers = syntax.consumer_names(tree)
    yield from ((ASYNCHRONOUS, line) for line in unfinished_waits(tree, consumers))


def _skipped_messages(tree: ast.Module) -> Iterator[int]:
    """The lines where a part of a poll is taken and the rest of the messages is skipped."""
    consumers = syntax.consumer_names(tree)
    scopes = [node for node in syntax.nodes(tree) if isinstance(node, Function)]
    for scope in [tree, *scopes]:
        nodes = [node for part in scope.body for node in syntax.own_nodes(part)]
        polls = [node for node in nodes if _polls_many(node, consumers)]
        message_names = {
            target.id for node in nodes if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and any(poll is node.value for poll in polls)
        }  # fmt: skip
        seeks_back = any(syntax.method_name(call) in ("seek", "pause") for call in nodes)
        buffers = _buffer_names(nodes, consumers)
        message_names |= buffers
        if not seeks_back:
            yield from _early_loop_exits(nodes, message_names, consumers, scope)


def _polls_many(node: ast.AST, consumers: set[str]) -> bool:
    return isinstance(node, ast.Call) and syntax.polls(node, consumers) and syntax.polls_many(node)


def _buffer_names(nodes: list[ast.AST], consumers: set[str]) -> set[str]:
    """The names of lists to which each message is appended."""
    message_names = {
        target.id for node in nodes if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call) and syntax.polls(node.value, consumers)
        and not syntax.polls_many(node.value)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    return {
        syntax.receiver(node) for node in nodes
        if isinstance(node, ast.Call) and syntax.method_name(node) == "append"
        and message_names & {name for argument in node.args for name in syntax.names_in(argument)}
    }  # fmt: skip


def _early_loop_exits(
    nodes: list[ast.AST],
    message_names: set[str],
    consumers: set[str],
    scope: ast.AST,
) -> Iterator[int]:
    """The lines where a loop over messages ends early, before a commit of all of them."""
    loop_exits, flags = leads_only_to_commit(scope), Flags(scope)
    for block in (getattr(node, field, []) for node in nodes for field in ("body", "orelse")):
        if not isinstance(block, list):
            continue
        for index, node in enumerate(block):
            if not isinstance(node, ast.For | ast.AsyncFor):
                continue
            iterates_poll = any(_polls_many(call, consumers) for call in syntax.calls(node.iter))
            if not (iterates_poll or syntax.names_in(node.iter) & message_names):
                continue
            following_calls = (
                call
                for statement in block[index + 1 :]
                if not isinstance(statement, ast.If | ast.While)
                for call in syntax.calls(statement)
            )
            if any(_commits_all(call, consumers) for call in following_calls):
                checked_breaks = _checked_breaks(node, block[index + 1 :])
                unchecked_breaks = (
                    inner for inner in breaks_of_loop(node.body) if id(inner) not in checked_breaks
                )
                yield from (statement.lineno for statement in unchecked_breaks)
            jumps, inner = loop_exits.get(id(node), set()), ast.walk(node)
            unhandled = (
                _unhandled_failures(statement, flags, jumps=jumps)
                for statement in inner
                if isinstance(statement, ast.If)
            )
            yield from (call.lineno for calls in unhandled for call in calls)


def _checked_breaks(loop: ast.AST, following: list[ast.stmt]) -> set[int]:
    """The ids of the `break` statements that set a name which a condition after the loop checks to
    end the function."""
    tested_names = set[str]()
    for statement in following:
        if isinstance(statement, ast.If) and _ends_function(statement.body[-1]):
            tested_names |= syntax.names_in(statement.test)
    breaks = set[int]()
    for block in (getattr(node, "body", []) for node in ast.walk(loop)):
        if isinstance(block, list) and block and isinstance(block[-1], ast.Break):
            target_lists = (node.targets for node in block if isinstance(node, ast.Assign))
            assigned_names = {ast.unparse(target) for targets in target_lists for target in targets}
            breaks |= {id(block[-1])} if assigned_names & tested_names else set()
    return breaks


def _ends_function(statement: ast.stmt) -> bool:
    """Whether a statement ends the program or the function."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_exit = isinstance(call, ast.Call) and syntax.method_name(call) in ("exit", "_exit", "abort")
    return is_exit or isinstance(statement, ast.Raise | ast.Return)


def _commits_all(call: ast.Call, consumers: set[str]) -> bool:
    is_consumer_commit = syntax.method_name(call) == "commit" and syntax.receiver(call) in consumers
    return is_consumer_commit and not syntax.commit_argument(call)


def unread_results(
    scope: ast.AST, success_functions: Container[str], sessions: set[str]
) -> set[int]:
    """Returns the ids of calls that return whether they succeeded, where nothing but a log or a
    commit depends on the result. `success_functions` are the functions of the file that return
    success, `sessions` the names that make HTTP requests."""
    logged = syntax.log_only_nodes(scope)
    read_names = {node.id for node in syntax.nodes(scope) if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load) and id(node) not in logged}  # fmt: skip
    flags = Flags(scope)
    calls = [*_unchecked_requests_in_with(scope, sessions), *unhandled_outcomes(scope, flags)]
    results = {*map(id, calls)}
    for node in syntax.nodes(scope):
        result, targets = None, list[ast.expr]()
        if isinstance(node, ast.Assign):
            result, targets = node.value, node.targets
        elif isinstance(node, ast.AnnAssign):
            result, targets = node.value, [node.target]
        elif isinstance(node, ast.Expr):
            result = node.value
            logged_calls = syntax.calls(node) if id(node) in logged else ()
            results |= {id(call) for call in logged_calls if is_request(call, sessions)}
        elif isinstance(node, ast.If | ast.Match):
            results |= {id(call) for call in _unhandled_failures(node, flags, success_functions)}
        elif isinstance(node, ast.For) and id(node.iter) in logged:
            result = node.iter
        call = awaited_value(result)
        if not isinstance(call, ast.Call):
            continue
        targets = [element for name in targets for element in getattr(name, "elts", [name])]
        target_names = [name.id for name in targets if isinstance(name, ast.Name)]
        is_named = len(target_names) == len(targets)
        is_unread = is_named and read_names.isdisjoint(target_names)
        is_result = _is_outcome(target_names, flags)
        is_result = is_result and not _CHECK.fullmatch(syntax.method_name(call))
        is_outcome = is_result or is_request(call, sessions)
        if (is_named and is_outcome and _are_unhandled(target_names, flags)) or (
            is_unread and _returns_failures(call)
        ):
            results.add(id(call))
    return results


def _are_unhandled(names: list[str], flags: Flags) -> bool:
    """Whether nothing is done about a failure in names to which a result is assigned."""
    return all(
        flags.is_idle(name, value, in_function=True)
        for name in names for value in _failure_values(name)
    )  # fmt: skip


def _failure_values(name: str) -> tuple[bool, ...]:
    """The truth values that a result of this name may have after a failure."""
    return (True, False) if name == "rc" else (name in {"failed", *_ERROR_NAMES},)


def _is_outcome(names: list[str], flags: Flags) -> bool:
    """Whether the names that a result is assigned to say that it is a success or an error."""
    checked_errors = {name for name in names if name in _ERROR_NAMES and flags.asks(name)}
    success_names = [name for name in names if SUCCESS.fullmatch(name)]
    is_outcome = bool(names) and len(success_names) == len(names)
    is_outcome = is_outcome or bool(checked_errors) or any(map(flags.asks, success_names))
    return is_outcome or (len(names) == 1 and flags.asks_outcome(names[0]))


def _unchecked_requests_in_with(scope: ast.AST, sessions: set[str]) -> Iterator[ast.Call]:
    """The requests of `async with` whose status nothing checks (aiohttp, ClientResponse)."""
    for node in (node for node in syntax.nodes(scope) if isinstance(node, ast.AsyncWith)):
        attributes = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
        arguments = {ast.unparse(value) for call in syntax.calls(node) for value in call.args}
        for item in node.items:
            call, name = item.context_expr, item.optional_vars
            is_passed = name is not None and ast.unparse(name) in arguments
            if not isinstance(call, ast.Call) or attributes & _STATUS_ATTRIBUTES or is_passed:
                continue
            if is_request(call, sessions):
                yield call


def _unhandled_failures(
    node: ast.If | ast.Match,
    flags: Flags,
    success_functions: Container[str] = (),
    jumps: Container[int] = (),
) -> Iterator[ast.Call]:
    """The calls in a condition that act on something and whose failure the condition does not
    handle."""
    for call in syntax.calls(condition_of(node) or node):
        method = syntax.method_name(call)
        matches_class = isinstance(node, ast.Match) and any(
            isinstance(case.pattern, ast.MatchClass) for case in node.cases
        )
        error_name = _walrus_name(condition_of(node), call)
        is_action = matches_class or method in success_functions or error_name in _ERROR_NAMES
        is_action = is_action or bool(ACTION.fullmatch(method) or SUCCESS.fullmatch(error_name))
        if (
            is_action
            and (failed_branch := branch_for(node, method, value=error_name in _ERROR_NAMES))
            is not None
        ):
            is_counted = any(
                isinstance(statement, ast.AugAssign)
                and not flags.is_idle(ast.unparse(statement.target), value=True, in_function=True)
                for statement in failed_branch
            )
            if not is_counted and only_logs_or_commits(failed_branch, jumps, in_function=True):
                yield call


def _walrus_name(test: ast.AST | None, call: ast.Call) -> str:
    """The name that a condition assigns to the result of a call: `(error := save(m)) is not
    None`."""
    for node in ast.walk(test) if test else ():
        if isinstance(node, ast.NamedExpr) and awaited_value(node.value) is call:
            return node.target.id
    return ""


def _returns_failures(call: ast.Call) -> bool:
    """Whether a call returns failures and does not raise for them: it runs another program
    (subprocess; os), or writes a batch (elasticsearch; boto3; BigQuery)."""
    keywords = {keyword.arg or "": ast.unparse(keyword.value) for keyword in call.keywords}
    method, name = syntax.method_name(call), f"{syntax.receiver(call)}.{syntax.method_name(call)}"
    runs_program = name == "subprocess.run" and keywords.get("check") != "True"
    returns_errors = keywords.get("raise_on_error") == "False"  # elasticsearch.helpers
    is_event = keywords.get("InvocationType", "")[1:-1] == "Event"  # Lambda queues the event
    is_aws_batch = (
        method in _AWS_BATCH_METHODS
        and not is_event
        and any(keyword[:1].isupper() for keyword in keywords)
    )
    is_search_bulk = method == "bulk" and bool(_SEARCH_CLIENT.fullmatch(syntax.receiver(call)))
    is_batch = is_aws_batch or is_search_bulk or method == "insert_rows_json"
    gathers = method == "gather" and keywords.get("return_exceptions") == "True"
    return (
        runs_program
        or returns_errors
        or is_batch
        or gathers
        or name in ("subprocess.call", "os.system")
    )


def checks_buffer_size(condition: ast.expr, names: set[str]) -> bool:
    """Whether a condition checks how many messages are buffered, or for how long."""
    for node in ast.walk(condition):
        if syntax.method_name(node) in ("time", "monotonic", "now", "utcnow", "perf_counter"):
            return True
        if isinstance(node, ast.Compare) and syntax.method_name(node.left) == "len":
            limits = [ast.unparse(value) for value in node.comparators]
            if syntax.names_in(node.left) & names and limits != ["0"]:
                return True
    return False
