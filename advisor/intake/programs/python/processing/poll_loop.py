"""What a Python program does with the messages that it polls, as far as its statements show it.

Statements are followed in their order, functions of the file where a message is handed to them.
Only what is sure is given: an offset that is committed before its message is used, an error that is
passed over, a message that other threads have. What is not understood gives nothing, and what is
assumed in its place is said with the answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from advisor.intake.programs.facts import ASYNCHRONOUS, BEFORE, CLOSE, PARALLEL, SKIP
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.errors import error_handling, ignored_errors
from advisor.intake.programs.python.errors.async_clients import AsyncClients, is_terminal_call
from advisor.intake.programs.python.errors.combined_results import EACH
from advisor.intake.programs.python.errors.flags import leads_only_to_commit
from advisor.intake.programs.python.normal_form.aliases import bound_arguments, callee, last_name
from advisor.intake.programs.python.processing import partial_polls
from advisor.intake.programs.python.processing.program_names import ProgramNames
from advisor.intake.programs.python.processing.swallowing_handlers import SwallowingHandlers
from advisor.intake.programs.python.records.branch import Branch
from advisor.intake.programs.python.records.buffers import Buffers
from advisor.intake.programs.python.records.observations import processes_message
from advisor.intake.programs.python.records.polled import poll_of, takes_next_message
from advisor.intake.programs.python.trees.loop_tree import poll_loop_facts
from advisor.intake.text import IntakeError

_MOST_STEPS, _DEEPEST_CALL = 20_000, 3


def processing_facts(tree: ast.Module) -> dict[str, int]:
    """What the program does with messages, and the first line that says so. Raises
    `IntakeError`."""
    walk = _Walk(tree)
    try:
        walk.follow_all(tree)
        for what, line in partial_polls.found(tree):
            walk.lines.setdefault(what, line)
        walk.lines = poll_loop_facts(tree) | walk.lines
    except RecursionError:
        raise IntakeError("The file: it is nested too deeply.") from None
    return walk.lines


class _Walk:
    """Follows a program; `lines` are what it does."""

    def __init__(self, tree: ast.Module) -> None:
        self.lines: dict[str, int] = {}
        names = self._names = ProgramNames(tree)
        self._buffers = Buffers(tree)
        self._closing = set[str]() if names.stores_offsets else {*names.consumers}
        self._is_asked = False
        self._unread_results, self._leaves = set[int](), set[int]()
        self._handlers = SwallowingHandlers(names)
        self._unread = {*map(id, unread := [*syntax.unused_values(tree)])}
        self._never = ignored_errors.never_run(
            unread, lambda call: names.possible_functions(callee(call)), AsyncClients(tree).leaves
        )
        self._waits = False
        self._scope: ast.AST = tree
        self._loops = self._depth = self._steps = self._loose = self._one_by_one = 0

    def follow_all(self, tree: ast.Module) -> None:
        """Follows the program, and each of its functions by itself."""
        for top in [tree, *self._names.functions.values()]:
            self._waits = syntax.may_wait(top)
            self._scope = top
            self._loops = int(getattr(top, "name", "") in self._names.called_in_loops)
            self._unread_results |= partial_polls.unread_results(
                top, self._names.success_functions, self._names.sessions
            )
            self._unread, self._going_on = (
                self._unread | self._unread_results,
                leads_only_to_commit(top),
            )
            branch = Branch()
            self._follow(top.body, branch)
            self._left(branch)

    def _left(self, branch: Branch) -> None:
        """What others were given, and nothing waited for before the next poll."""
        self._say(ASYNCHRONOUS, branch.handed)

    def _say(self, what: str, line: int) -> None:
        """Says that the program does something, if there is a line where it does."""
        if line:
            self.lines.setdefault(what, line)

    def _follow(self, body: Iterable[ast.stmt], branch: Branch) -> None:
        for node in body:
            self._steps += 1
            if branch.ended or self._steps > _MOST_STEPS:
                return
            if branch.polled >= 0 and ignored_errors.only_logs_future_error(node):
                self._say(SKIP, node.lineno)
            self._statement(node, branch)

    def _statement(self, node: ast.stmt, branch: Branch) -> None:
        match node:
            case ast.If(test=test, body=first, orelse=second):
                self._expression(test, branch)
                used = branch.used
                self._either([first, second], branch)
                if (
                    branch.kept
                    and not second
                    and partial_polls.checks_buffer_size(test, branch.names)
                ):
                    branch.used = used  # now and then alone
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node, branch)
            case ast.Try():
                self._try(node, branch)
            case ast.Match(subject=subject, cases=cases):
                named = (
                    pattern.name for pattern in ast.walk(node) if isinstance(pattern, ast.MatchAs)
                )
                self._assign([ast.Name(name) for name in named if name], subject, branch)
                self._either([case.body for case in cases], branch)
            case ast.With() | ast.AsyncWith() if attempt := (
                syntax.suppress_as_try(node)
                or error_handling.suppressing_manager_as_try(node, self._names.functions)
            ):
                self._try(attempt, branch)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self._expression(item.context_expr, branch)
                self._follow(node.body, branch)
                self._at_the_end_of(node, branch)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value, branch)
            case ast.AnnAssign(target=target, value=value) if value:
                self._assign([target], value, branch)
            case _:
                self._expression(node, branch)
                if isinstance(node, ast.Return) and syntax.names_in(node) & branch.names:
                    self._use(branch)
                branch.ended = isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break)

    def _at_the_end_of(self, node: ast.With | ast.AsyncWith, branch: Branch) -> None:
        branch.used = branch.used or (branch.kept and self._buffers.ends(node))
        if any(syntax.waits_at_exit(item.context_expr) for item in node.items):
            is_silent = syntax.pool_keeps_errors(node) and not self._names.awaits_futures
            self._say(SKIP, branch.handed if is_silent else 0)
            branch.used = branch.used or branch.handed > 0
            branch.handed = branch.pending = 0

    def _either(self, bodies: Iterable[Iterable[ast.stmt]], branch: Branch) -> None:
        branches = list[Branch]()
        for body in bodies:
            branches.append(branch.copy())
            self._follow(body, branches[-1])
        branch.join(branches)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, branch: Branch) -> None:
        """Follows a loop once; one over the messages of a poll does not try again."""
        over = node.test if isinstance(node, ast.While) else node.iter
        polls = any(map(self._names.polls, syntax.calls(over)))
        if isinstance(node, ast.While):
            of_batch = any(takes_next_message(call, branch.names) for call in syntax.calls(node))
        else:
            hands_out = any(
                syntax.method_name(call) in self._names.sources for call in syntax.calls(over)
            )
            of_batch = (polls and not hands_out) or bool(syntax.names_in(over) & branch.names)
        polls_inside = any(map(self._names.polls, syntax.calls(node)))
        inside = branch.polled >= 0 and not polls_inside
        tries = not of_batch and not (inside and error_handling.is_bounded_retry(node, self._scope))
        self._loops += tries
        self._one_by_one += of_batch
        self._leaves |= self._going_on.get(id(node), set()) if of_batch else set()
        inner = branch.copy()
        self._expression(over, inner)
        if not isinstance(node, ast.While) and polls:
            self._polled(inner, next(filter(self._names.polls, syntax.calls(over))))
        if not isinstance(node, ast.While) and (of_batch or polls):
            inner.names |= syntax.names_in(node.target)
        self._follow(node.body, inner)
        if not of_batch:
            self._left(inner)
        self._loops -= tries
        self._one_by_one -= of_batch
        inner.ended = False
        self._beside(inner, inner.pending if of_batch else 0)
        if syntax.polls_until_condition(node):
            branch.sent = inner.sent = 0
        branch.join([inner] if of_batch else [branch.copy(), inner])

    def _try(self, node: ast.Try, branch: Branch) -> None:
        inner, used, loose = branch.copy(), branch.used, self._loose
        inner.used = False
        self._follow([*node.body, *node.orelse], inner)
        uses = self._loose > loose or ignored_errors.only_parses(node, branch)
        caught = [each for each in node.handlers if syntax.catches_all(each, node.body)]
        steps = {syntax.method_name(call) for one in node.body for call in syntax.calls(one)}
        of_message = (uses and inner.polled == self._loops) or steps & self._names.single_polls
        for handler in caught if of_message and self._loops else ():
            self._say(SKIP, handler.lineno if self._swallows(node, handler, inner) else 0)
        if uses:
            self._at_the_end(node.finalbody, inner)
        if caught:
            self._loose = loose
        inner.used = inner.used or used
        branches = [inner]
        for handler in node.handlers:
            branches.append(inner.copy())
            has_begun = uses or inner.kept or inner.handed or inner.pending or inner.sent
            branches[-1].used, branches[-1].ended = used or bool(has_begun), False
            self._follow(handler.body, branches[-1])
        branch.join(branches)
        self._follow(node.finalbody, branch)

    def _swallows(self, attempt: ast.Try, handler: ast.ExceptHandler, branch: Branch) -> bool:
        return self._handlers.swallows(
            attempt, handler, branch, self._scope, in_function=self._depth > 0,
            is_result_checked=self._is_asked, leaves=self._leaves,
        )  # fmt: skip

    def _at_the_end(self, body: Sequence[ast.stmt], branch: Branch) -> None:
        """Looks at what is done after an error, too."""
        self._say(SKIP, ignored_errors.finally_drops_error(body, in_function=self._depth > 0))
        for call in (call for node in body for call in syntax.calls(node)):
            if self._names.commits(call, branch):
                self._say(SKIP, call.lineno)
            elif syntax.method_name(call) == "close" and syntax.receiver(call) in self._closing:
                self._say(CLOSE, call.lineno)

    def _assign(self, targets: Iterable[ast.expr], value: ast.expr, branch: Branch) -> None:
        if poll := poll_of(value, self._names.polls):
            self._polled(branch, poll)
            branch.names = set().union(*map(syntax.names_in, targets))
            return
        self._expression(value, branch)
        if syntax.names_in(value) & branch.names:
            branch.names = branch.names.union(*map(syntax.names_in, targets))

    def _polled(self, branch: Branch, call: ast.Call) -> None:
        self._left(branch)
        branch.begin(self._loops, many=syntax.polls_many(call))

    def _expression(self, node: ast.AST, branch: Branch) -> None:
        """Follows what is in an expression, the innermost first."""
        if isinstance(node, ast.NamedExpr):
            self._assign([node.target], node.value, branch)
        if isinstance(node, ast.NamedExpr | ast.Lambda):
            return
        for loop in getattr(node, "generators", ()):
            if poll := poll_of(loop.iter, self._names.polls):
                self._polled(branch, poll)
                branch.names = syntax.names_in(loop.target)
            elif syntax.names_in(loop.iter) & branch.names:
                branch.names |= syntax.names_in(loop.target)
        if id(node) in self._never and (
            is_terminal_call(node, branch) or syntax.names_in(node) & branch.names
        ):
            self._say(ASYNCHRONOUS, getattr(node, "lineno", 1))
        call = node.value if isinstance(node, ast.Await) else node
        branch.pending = 0 if syntax.awaits_task(node) else branch.pending
        if isinstance(call, ast.Call) and branch.polled >= 0:
            given = syntax.names_in(call) & branch.names
            if given and syntax.passes_arguments_to_function(call):
                self._called_by(call, branch)
            is_lazy = (
                syntax.method_name(call) == "map" and syntax.receiver(call) in self._names.pools
            )
            self._beside(branch, call.lineno if given and is_lazy else 0)
            if (
                given
                and (is_lazy or syntax.gather_returns_errors(call))
                and id(node) in self._unread
            ):
                self._say(SKIP, call.lineno)
            is_queue = syntax.puts_into_queue(call, self._names.queues)
            if given and (is_queue or self._buffers.hands(call)):
                self._hand(call, branch) if is_queue or call is node else self._use(branch)
                return
        for inner in ast.iter_child_nodes(call):
            self._expression(inner, branch)
        self._beside(branch, branch.pending if branch.many and hasattr(node, "generators") else 0)
        if isinstance(call, ast.Call) and (polled := self._names.poll_in_arguments(call)):
            self._polled(branch, polled)
            branch.names = syntax.names_in(polled)
            self._call(call, branch)
            branch.names = set()
        elif isinstance(call, ast.Call) and branch.polled >= 0:
            self._call(call, branch)
        elif isinstance(call, ast.Yield) and syntax.names_in(call) & branch.names:
            self._use(branch)

    def _call(self, call: ast.Call, branch: Branch) -> None:
        self._of_offsets(call, branch)
        if syntax.commits_other_system(call, self._names.consumers):
            self._say(BEFORE, branch.ahead)
            branch.other = True
        branch.pending = 0 if syntax.waits_for_others(call) else branch.pending
        if self._names.commits(call, branch):
            branch.ahead = 0 if branch.other else call.lineno
            if branch.kept and not branch.used:
                self._say(BEFORE, call.lineno)
            behind_all = branch.many and self._one_by_one and not syntax.commit_argument(call)
            if branch.sent or branch.pending or behind_all or (branch.handed and not branch.used):
                self._say(BEFORE, call.lineno)
            elif not branch.used and not branch.committed:
                branch.committed = call.lineno
            return
        is_read = syntax.method_name(call) == "flush" and id(call) not in self._unread
        if syntax.waits_for_all(call) or is_read:
            branch.sent = 0
        given = set().union(*map(syntax.names_in, [*call.args, *call.keywords])) & branch.names
        own = (syntax.receiver(call) or syntax.method_name(call)).split(".")[0].split("(")[
            0
        ] in branch.names
        is_request = partial_polls.is_request(call, self._names.sessions)
        functions = [] if is_request else self._names.possible_functions(callee(call))
        passes = any(ast.unparse(value) in self._names.consumers for value in call.args)
        if functions and (given or passes) and self._depth < _DEEPEST_CALL:
            branch.join([self._inlined(call, function, branch) for function in functions])
        elif any(self._in_object(call, function, branch) for function in functions):
            self._use(branch)
        elif given and self._buffers.keeps(call):
            branch.names |= syntax.names_in(call.func)
            branch.kept = True
        elif (given or own) and processes_message(call, branch):
            self._late(call, branch, given)
            if syntax.method_name(call) not in syntax.COMMITS or syntax.commits_other_system(
                call, self._names.consumers
            ):
                self._use(branch)
            if syntax.method_name(call) == "produce" and not self._names.commits_transactions:
                branch.sent = call.lineno

    def _of_offsets(self, call: ast.Call, branch: Branch) -> None:
        """Looks at offsets that a transaction commits, or that are too far."""
        if syntax.method_name(call) == "commit_transaction" and self._names.sends_offsets:
            branch.behind = call.lineno
        if ignored_errors.commits_past_next(call) or self._names.commits_in_callback(call, branch):
            self._say(SKIP, call.lineno)

    def _in_object(self, call: ast.Call, function: Function, branch: Branch) -> bool:
        """Follows a method of an object that was made with a message; whether it is one."""
        kept = self._names.fields.get(id(function), set())
        of = getattr(call.func, "value", call.func)
        is_own = getattr(of, "id", "") in syntax.OWN
        about = kept if is_own else syntax.names_in(of) if of and kept else set[str]()
        if not about & branch.names:
            return False
        if self._depth < _DEEPEST_CALL:
            self._within(function, kept, branch)
        return True

    def _late(self, call: ast.Call, branch: Branch, given: set[str]) -> None:
        """Looks at a use whose result nothing reads, or which is behind its transaction."""
        if id(call) in self._unread_results:
            self._say(SKIP, call.lineno)
        if given:
            self._say(BEFORE, branch.behind)

    def _called_by(self, call: ast.Call, branch: Branch) -> None:
        """Follows a function of the file that a call hands messages to: `map(handle, batch)`."""
        for value in call.args:
            if isinstance(value, ast.Lambda):
                inner = branch.copy()
                inner.names |= {word.arg for word in value.args.args}
                self._expression(value.body, inner)
            elif self._depth < _DEEPEST_CALL:
                is_asked = syntax.method_name(call) in EACH and id(call) not in self._unread
                for function in self._names.possible_functions(last_name(value)):
                    self._within(function, {*parameters(function)}, branch, is_asked=is_asked)

    def _within(
        self, function: Function, names: set[str], branch: Branch, *, is_asked: bool = False
    ) -> Branch:
        """Follows a function in which a message has these names."""
        inner = branch.copy()
        inner.names |= names
        self._say(SKIP, error_handling.swallowing_decorator_line(function))
        before = self._scope, self._depth, self._is_asked
        self._scope, self._depth, self._is_asked = function, self._depth + 1, is_asked
        self._follow(function.body, inner)
        self._scope, self._depth, self._is_asked = before
        return inner

    def _inlined(self, call: ast.Call, function: Function, branch: Branch) -> Branch:
        """Follows a function of the file; one that does not commit uses what it is given."""
        given = [*bound_arguments(call, function)]
        names = {name for name, value in given if syntax.names_in(value) & branch.names}
        self._names.consumers |= {
            name for name, node in given if ast.unparse(node) in self._names.consumers
        }
        commits = any(syntax.method_name(one) in syntax.COMMITS for one in syntax.calls(function))
        inner = self._within(function, names, branch, is_asked=id(call) not in self._unread)
        is_put_by, of = inner.kept and not inner.used, syntax.receiver(call).split(".")[0]
        inner.ended = False
        inner.names = branch.names | (inner.names | {of} if is_put_by else set())
        if not (commits or is_put_by) and syntax.names_in(call) & branch.names:
            self._use(inner)
        return inner

    def _hand(self, call: ast.Call, branch: Branch) -> None:
        if self._waits:
            is_told = self._names.awaits_futures or syntax.receiver(call) in self._names.task_groups
            self._say(
                SKIP, call.lineno if syntax.error_only_on_request(call) and not is_told else 0
            )
            self._use(branch)
            branch.pending = call.lineno
            return
        branch.handed = call.lineno

    def _beside(self, branch: Branch, line: int) -> None:
        """Says that others have several messages of one poll at the same time, if there is a line
        where they are given them."""
        self._say(PARALLEL, line if branch.polled >= 0 else 0)

    def _use(self, branch: Branch) -> None:
        """The message is used here."""
        self._loose += 1
        if branch.committed and not branch.used:
            self._say(BEFORE, branch.committed)
        branch.used = True
