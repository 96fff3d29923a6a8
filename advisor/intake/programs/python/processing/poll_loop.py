"""The polls of a Python program, and how it processes and commits the messages.

Statements are followed in order, and so are the functions of the file to which a message is passed.
The reader reports only what is certain: an offset that is committed before its message is
processed, an error that is skipped, a message that is handed over to another thread. Code that it
does not understand yields no fact. The answer lists the assumptions that take its place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from advisor.intake.programs.facts import ASYNCHRONOUS, BEFORE, PARALLEL, SKIP
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.errors import error_handling, ignored_errors, returned_errors
from advisor.intake.programs.python.errors.async_clients import AsyncClients, is_terminal_call
from advisor.intake.programs.python.errors.flags import leads_only_to_commit
from advisor.intake.programs.python.errors.retry_loops import RetryLoops, is_bounded_retry
from advisor.intake.programs.python.normal_form.aliases import (
    bound_arguments,
    callee,
    callee_root,
    last_name,
)
from advisor.intake.programs.python.processing import partial_polls
from advisor.intake.programs.python.processing.program_names import ProgramNames
from advisor.intake.programs.python.processing.swallowing_handlers import SwallowingHandlers
from advisor.intake.programs.python.processing.unfinished_tasks import waits_until_done
from advisor.intake.programs.python.records.branch import Branch
from advisor.intake.programs.python.records.buffers import Buffers
from advisor.intake.programs.python.records.observations import processes_message
from advisor.intake.programs.python.records.polled import poll_of

_MOST_STEPS, _DEEPEST_CALL = 20_000, 3
_ITERATORS = frozenset({"filter", "takewhile", "dropwhile", "filterfalse", "map"})
"""Functions that call another function with each message, and yield messages by its results."""


class Walk:
    """Follows the statements of a program; `facts` are the lines by what they show."""

    def __init__(self, tree: ast.Module, known_lists: frozenset[str]) -> None:
        self.facts: dict[str, int] = {}
        self._known_lists = known_lists
        names = self._names = ProgramNames(tree)
        self._buffers = Buffers(tree)
        self._result = returned_errors.UNUSED
        self._unchecked_results, self._leaves = set[int](), set[int]()
        self._handlers, self._retries = SwallowingHandlers(tree, names), RetryLoops()
        self._unused = {*map(id, unused := [*syntax.unused_values(tree)])}
        self._calls_never_run = ignored_errors.never_run(
            unused, lambda call: names.possible_functions(callee(call)), AsyncClients(tree).leaves
        )
        self._may_wait = False
        self._scope: ast.AST = tree
        self._loop_depth = self._depth = self._batch_loops = self._steps = self._uses = 0

    def follow_all(self, tree: ast.Module) -> None:
        """Follows the program, and each of its functions as an entry point."""
        for top in [tree, *self._names.functions.values()]:
            self._may_wait = syntax.may_wait(top)
            self._scope = top
            self._loop_depth = int(getattr(top, "name", "") in self._names.called_in_loops)
            self._unchecked_results |= partial_polls.unread_results(
                top, self._names.success_functions, self._names.sessions
            )
            self._unused = self._unused | self._unchecked_results
            self._loop_exits = leads_only_to_commit(top)
            branch = Branch()
            self._follow(top.body, branch)
            self._report_unawaited(branch)

    def _report_unawaited(self, branch: Branch) -> None:
        """Reports a message that was handed over, if nothing waits for it before the next poll."""
        self._report(ASYNCHRONOUS, branch.handover)

    def _report(self, fact: str, line: int) -> None:
        """Records the first line that shows a fact; a line of 0 shows none."""
        if line:
            self.facts.setdefault(fact, line)

    def _follow(self, body: Iterable[ast.stmt], branch: Branch) -> None:
        for node in body:
            self._steps += 1
            if branch.ended or self._steps > _MOST_STEPS:
                return
            self._statement(node, branch)

    def _statement(self, node: ast.stmt, branch: Branch) -> None:
        match node:
            case ast.If():
                self._if(node, branch)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node, branch)
            case ast.Try():
                self._try(node, branch)
            case ast.Match(subject=subject, cases=cases):
                patterns = [inner for inner in ast.walk(node) if isinstance(inner, ast.MatchAs)]
                names = [ast.Name(pattern.name) for pattern in patterns if pattern.name]
                self._assign([*names], subject, branch)
                self._follow_branches([case.body for case in cases], branch)
            case ast.With() | ast.AsyncWith() if attempt := (
                syntax.suppress_as_try(node)
                or error_handling.suppressing_manager_as_try(node, self._names.functions)
            ):
                self._try(attempt, branch)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self._expression(item.context_expr, branch)
                self._follow(node.body, branch)
                self._leave_with(node, branch)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value, branch)
            case ast.AnnAssign(target=target, value=value) if value:
                self._assign([target], value, branch)
            case _:
                self._expression(node, branch)
                if isinstance(node, ast.Return) and syntax.names_in(node) & branch.names:
                    self._process(branch)
                branch.ended = isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break)

    def _if(self, node: ast.If, branch: Branch) -> None:
        self._expression(node.test, branch)
        processed = branch.processed
        self._follow_branches([node.body, node.orelse], branch)
        checks_size = partial_polls.checks_buffer_size
        if branch.buffered and not node.orelse and checks_size(node.test, branch.names):
            branch.processed = processed  # only when the buffer is full

    def _leave_with(self, node: ast.With | ast.AsyncWith, branch: Branch) -> None:
        branch.processed = branch.processed or (branch.buffered and self._buffers.ends(node))
        if any(syntax.waits_at_exit(item.context_expr) for item in node.items):
            swallows_errors = syntax.pool_keeps_errors(node) and not self._names.awaits_futures
            self._report(SKIP, branch.handover if swallows_errors else 0)
            branch.processed = branch.processed or branch.handover > 0
            branch.handover = branch.pending = 0

    def _follow_branches(self, bodies: Iterable[Iterable[ast.stmt]], branch: Branch) -> None:
        branches = list[Branch]()
        for body in bodies:
            branches.append(branch.copy())
            self._follow(body, branches[-1])
        branch.join(branches)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, branch: Branch) -> None:
        """Follows a loop once. A loop over the messages of a poll is no retry loop."""
        source = node.test if isinstance(node, ast.While) else node.iter
        polls = any(map(self._names.polls, syntax.calls(source)))
        on_batch = self._names.iterates_poll(node, branch)
        polls_inside = any(map(self._names.polls, syntax.calls(node)))
        after_poll = branch.polled >= 0 and not polls_inside
        retries = not on_batch and not (
            after_poll and is_bounded_retry(node, self._scope, self._handlers.is_harmless)
        )
        self._retries.enter(node, is_retry=retries and after_poll)
        self._loop_depth += retries
        self._batch_loops += on_batch
        self._leaves |= self._loop_exits.get(id(node), set()) if on_batch else set()
        inner = branch.copy()
        self._expression(source, inner)
        if not isinstance(node, ast.While) and polls:
            self._begin_poll(inner, next(filter(self._names.polls, syntax.calls(source))))
        if not isinstance(node, ast.While) and (on_batch or polls):
            inner.names |= syntax.names_in(node.target)
        self._follow(node.body, inner)
        self._retries.leave()
        if not on_batch:
            self._report_unawaited(inner)
        self._loop_depth -= retries
        self._batch_loops -= on_batch
        inner.ended = False
        self._report_parallel(inner, inner.pending if on_batch else 0)
        if syntax.polls_until_condition(node):
            branch.send = inner.send = 0
        if isinstance(node, ast.While) and not inner.pending and waits_until_done(node):
            branch.pending = 0
        branch.join([inner] if on_batch else [branch.copy(), inner])

    def _try(self, node: ast.Try, branch: Branch) -> None:
        inner, processed, uses_before = branch.copy(), branch.processed, self._uses
        inner.processed = False
        self._follow([*node.body, *node.orelse], inner)
        uses = self._uses > uses_before or ignored_errors.only_parses(node, branch)
        catching = [handler for handler in node.handlers if syntax.catches_all(handler, node.body)]
        calls = [call for statement in node.body for call in syntax.calls(statement)]
        is_polled = inner.polled == self._loop_depth or (
            inner.polled > self._loop_depth and not any(map(self._names.polls, calls))
        )
        polls_once = any(syntax.method_name(call) in self._names.single_polls for call in calls)
        handles_message = (uses and is_polled) or polls_once
        gives_up = uses and inner.polled == self._loop_depth - 1
        for handler in catching if self._loop_depth else ():
            leaves = self._retries.leaves(handler) if gives_up else None
            if handles_message or leaves is not None:
                swallows = self._handlers.swallows(
                    node, handler, inner, self._scope, in_function=self._depth > 0,
                    result=self._result, leaves=self._leaves | (leaves or set()),
                    in_retry=leaves is not None,
                )  # fmt: skip
                self._report(SKIP, handler.lineno if swallows else 0)
        if uses:
            for fact in self._handlers.finally_facts(node.finalbody, inner, self._depth > 0):
                self._report(*fact)
        if catching:
            self._uses = uses_before
        inner.processed = inner.processed or processed
        branches = [inner]
        for handler in node.handlers:
            branches.append(inner.copy())
            has_begun = uses or inner.buffered or inner.handover or inner.pending or inner.send
            branches[-1].processed, branches[-1].ended = processed or bool(has_begun), False
            self._follow(handler.body, branches[-1])
        branch.join(branches)
        self._follow(node.finalbody, branch)

    def _assign(self, targets: Iterable[ast.expr], value: ast.expr, branch: Branch) -> None:
        if poll := poll_of(value, self._names.polls):
            self._begin_poll(branch, poll)
            branch.names = set().union(*map(syntax.names_in, targets))
            return
        self._expression(value, branch)
        if syntax.names_in(value) & branch.names:
            branch.names = branch.names.union(*map(syntax.names_in, targets))

    def _begin_poll(self, branch: Branch, call: ast.Call) -> None:
        self._report_unawaited(branch)
        branch.begin(self._loop_depth, is_batch=syntax.polls_many(call))

    def _expression(self, node: ast.AST, branch: Branch) -> None:
        """Follows the calls in an expression, the innermost first."""
        if isinstance(node, ast.NamedExpr):
            self._assign([node.target], node.value, branch)
        if isinstance(node, ast.NamedExpr | ast.Lambda):
            return
        self._generators(node, branch)
        if id(node) in self._calls_never_run and (
            is_terminal_call(node, branch) or syntax.names_in(node) & branch.names
        ):
            self._report(ASYNCHRONOUS, getattr(node, "lineno", 1))
        call = node.value if isinstance(node, ast.Await) else node
        branch.pending = 0 if syntax.awaits_task(node) else branch.pending
        if isinstance(call, ast.Call) and self._hands_over(call, node, branch):
            return
        for inner in ast.iter_child_nodes(call):
            self._expression(inner, branch)
        self._report_parallel(
            branch, branch.pending if branch.is_batch and hasattr(node, "generators") else 0
        )
        if isinstance(call, ast.Call) and (poll := self._names.poll_in_arguments(call)):
            self._begin_poll(branch, poll)
            branch.names = syntax.names_in(poll)
            self._call(call, branch)
            branch.names -= syntax.names_in(poll)
        elif isinstance(call, ast.Call) and branch.polled >= 0:
            self._call(call, branch)
        elif isinstance(call, ast.Yield) and syntax.names_in(call) & branch.names:
            self._process(branch)

    def _generators(self, node: ast.AST, branch: Branch) -> None:
        """Follows the loops of a comprehension."""
        for loop in getattr(node, "generators", ()):
            if poll := poll_of(loop.iter, self._names.polls):
                self._begin_poll(branch, poll)
                branch.names = syntax.names_in(loop.target)
            elif syntax.names_in(loop.iter) & branch.names:
                branch.names |= syntax.names_in(loop.target)

    def _hands_over(self, call: ast.Call, node: ast.AST, branch: Branch) -> bool:
        """Follows the functions that a call runs. Returns whether it hands its message over."""
        messages = syntax.names_in(call) & branch.names
        if branch.polled < 0 or not messages:
            return False
        if syntax.passes_arguments_to_function(call):
            self._follow_callbacks(call, branch)
        is_lazy = syntax.method_name(call) == "map" and syntax.receiver(call) in self._names.pools
        self._report_parallel(branch, call.lineno if is_lazy else 0)
        is_queue = syntax.puts_into_queue(call, self._names.queues)
        is_handed_over = is_queue or self._buffers.hands(call)
        if is_handed_over:
            self._hand_over(call, branch) if is_queue or call is node else self._process(branch)
        return is_handed_over

    def _call(self, call: ast.Call, branch: Branch) -> None:
        self._check_offsets(call, branch)
        if syntax.commits_other_system(call, self._names.consumers):
            self._report(BEFORE, branch.offset_commit)
            branch.other_commit = True
        branch.pending = 0 if syntax.waits_for_others(call) else branch.pending
        if self._names.commits(call, branch):
            self._commit(call, branch)
            return
        awaits_flush = syntax.method_name(call) == "flush" and id(call) not in self._unused
        if syntax.waits_for_all(call) or awaits_flush:
            branch.send = 0
        messages = set().union(*map(syntax.names_in, [*call.args, *call.keywords])) & branch.names
        on_message = callee_root(call) in branch.names
        is_request = self._names.is_request(call)
        functions = [] if is_request else self._names.possible_functions(callee(call))
        passes_consumer = any(ast.unparse(value) in self._names.consumers for value in call.args)
        if functions and (messages or passes_consumer) and self._depth < _DEEPEST_CALL:
            branch.join([self._follow_call(call, function, branch) for function in functions])
        elif any(self._follow_method(call, function, branch) for function in functions):
            self._process(branch)
        elif messages and self._buffers.keeps(call):
            branch.names |= syntax.names_in(call.func)
            branch.buffered = True
            branch.is_listed &= syntax.receiver(call) in self._known_lists
        elif (messages or on_message) and processes_message(call, branch):
            self._check_use(call, branch, messages)
            if syntax.method_name(call) not in syntax.COMMITS or syntax.commits_other_system(
                call, self._names.consumers
            ):
                self._process(branch)
            if syntax.method_name(call) == "produce" and not self._names.commits_transactions:
                branch.send = call.lineno

    def _commit(self, call: ast.Call, branch: Branch) -> None:
        branch.offset_commit = 0 if branch.other_commit else call.lineno
        if branch.buffered and not branch.processed:
            self._report(BEFORE, 0 if branch.is_listed else call.lineno)
            return
        is_whole = branch.is_batch and self._batch_loops and not syntax.commit_argument(call)
        if branch.send or branch.pending or is_whole or (branch.handover and not branch.processed):
            self._report(BEFORE, call.lineno)
        elif not branch.processed and not branch.commit:
            branch.commit = call.lineno

    def _check_offsets(self, call: ast.Call, branch: Branch) -> None:
        """Checks the offsets of a transaction, and those that are too high."""
        if syntax.method_name(call) == "commit_transaction" and self._names.sends_offsets:
            branch.transaction = call.lineno
        if ignored_errors.commits_past_next(call) or self._names.commits_in_callback(call, branch):
            self._report(SKIP, call.lineno)

    def _follow_method(self, call: ast.Call, function: Function, branch: Branch) -> bool:
        """Follows a method of an object that holds a message; False if it is none."""
        fields = self._names.fields.get(id(function), set())
        object_ = getattr(call.func, "value", call.func)
        is_self = getattr(object_, "id", "") in syntax.OWN
        names = (
            fields if is_self else syntax.names_in(object_) if object_ and fields else set[str]()
        )
        if not names & branch.names:
            return False
        if self._depth < _DEEPEST_CALL:
            self._enter(function, fields, branch)
        return True

    def _check_use(self, call: ast.Call, branch: Branch, messages: set[str]) -> None:
        """Checks the result of a use, and whether the use comes after its transaction."""
        if id(call) in self._unchecked_results:
            self._report(SKIP, call.lineno)
        if messages:
            self._report(BEFORE, branch.transaction)

    def _follow_callbacks(self, call: ast.Call, branch: Branch) -> None:
        """Follows a function that a call applies to messages, as in `map(handle, batch)`."""
        for value in call.args:
            if isinstance(value, ast.Lambda):
                inner = branch.copy()
                inner.names |= {parameter.arg for parameter in value.args.args}
                self._expression(value.body, inner)
            elif self._depth < _DEEPEST_CALL:
                is_used = syntax.method_name(call) in _ITERATORS and id(call) not in self._unused
                result = returned_errors.CallResult(is_used)
                for function in self._names.possible_functions(last_name(value)):
                    self._enter(function, {*parameters(function)}, branch, result)

    def _enter(
        self,
        function: Function,
        names: set[str],
        branch: Branch,
        result: returned_errors.CallResult = returned_errors.UNUSED,
    ) -> Branch:
        """Follows a function in which the message has these names."""
        inner = branch.copy()
        inner.names |= names
        self._report(SKIP, returned_errors.swallowing_decorator_line(function, result))
        state = self._scope, self._depth, self._result
        self._scope, self._depth, self._result = function, self._depth + 1, result
        self._follow(function.body, inner)
        self._scope, self._depth, self._result = state
        return inner

    def _follow_call(self, call: ast.Call, function: Function, branch: Branch) -> Branch:
        """Follows a function; one that does not commit processes its arguments."""
        arguments = [*bound_arguments(call, function)]
        names = {name for name, value in arguments if syntax.names_in(value) & branch.names}
        self._names.consumers |= {
            name for name, node in arguments if ast.unparse(node) in self._names.consumers
        }
        commits = any(map(syntax.is_commit, syntax.calls(function)))
        is_used = id(call) not in self._unused
        result = self._handlers.result(
            call, self._scope, is_used=is_used, in_function=self._depth > 0
        )
        inner = self._enter(function, names, branch, result)
        only_buffers = inner.buffered and not inner.processed
        object_ = syntax.receiver(call).split(".")[0]
        is_known = object_ in syntax.OWN or syntax.receiver(call) in {"", *self._known_lists}
        inner.is_listed &= is_known
        inner.ended = False
        inner.names = branch.names | (inner.names | {object_} if only_buffers else set())
        if not (commits or only_buffers) and syntax.names_in(call) & branch.names:
            self._process(inner)
        return inner

    def _hand_over(self, call: ast.Call, branch: Branch) -> None:
        if self._may_wait:
            self._process(branch)
            branch.pending = call.lineno
            return
        branch.handover = call.lineno

    def _report_parallel(self, branch: Branch, line: int) -> None:
        """Reports that several messages of one poll are processed at the same time."""
        self._report(PARALLEL, line if branch.polled >= 0 else 0)

    def _process(self, branch: Branch) -> None:
        """Marks the message as processed."""
        self._uses += 1
        if branch.commit and not branch.processed:
            self._report(BEFORE, branch.commit)
        branch.processed = True
