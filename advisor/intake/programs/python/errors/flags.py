"""Flags of a Python program that say whether something failed, and what the program does if so.

A consumer does not go back because nothing was committed: the next poll continues after the message
that failed, and so does the next commit (confluent-kafka, Consumer.poll and commit). So a flag that
only prevents a commit does not handle an error.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Container, Iterator
from functools import partial

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors.outcome_names import (
    FAILURE,
    SUCCESS,
    compared_outcome,
    holds_for_failure,
    state_owner,
)
from advisor.intake.programs.python.errors.responses import (
    holds_for_status,
    is_status,
    reads_body,
    status_owner,
)

_JUMPS = ast.Continue | ast.Return | ast.Break


def breaks_of_loop(body: list[ast.stmt]) -> Iterator[ast.Break]:
    """Yields the `break` statements that leave the loop with this body."""
    for node in body:
        if isinstance(node, ast.Break):
            yield node
        elif not isinstance(node, syntax.LOOPS | syntax.APART):
            inner = [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
            inner += [
                clause.body for part in ("handlers", "cases") for clause in getattr(node, part, [])
            ]
            for statements in inner:
                yield from breaks_of_loop(statements)


def leads_only_to_commit(scope: ast.AST) -> dict[int, set[int]]:
    """The `id`s of the `break` statements of each loop after which its block does nothing but
    commit, by the `id` of the loop."""
    breaks: dict[int, set[int]] = {}
    if any(syntax.method_name(call) in ("seek", "pause") for call in syntax.calls(scope)):
        return breaks
    for node in syntax.nodes(scope):
        for block in (getattr(node, part, []) for part in ("body", "orelse")):
            is_last = isinstance(block, list)
            for statement in reversed(block) if isinstance(block, list) else ():
                if is_last and isinstance(statement, syntax.LOOPS) and not statement.orelse:
                    breaks[id(statement)] = {id(inner) for inner in breaks_of_loop(statement.body)}
                is_last = is_last and only_logs_or_commits([statement])
    return breaks


def only_logs_or_commits(
    body: list[ast.stmt], leaves: Container[int] = (), *, in_function: bool = False
) -> bool:
    """Whether statements only log or commit."""
    return syntax.only_logs_and_continues(
        body, syntax.is_commit, in_function=in_function, leaves=leaves
    )


def _match_branch(node: ast.Match, name: str, value: bool) -> list[ast.stmt] | None:
    """The same as `branch_for`, for a `match` on an outcome."""
    is_success = _truth(status_owner(node.subject), name, value)
    body, other, is_outcome = list[ast.stmt](), list[ast.stmt](), False
    for case in node.cases:
        pattern = ast.unparse(case.pattern).partition("(")[0].strip("'")
        matches = [bool(outcome.fullmatch(pattern)) for outcome in (SUCCESS, FAILURE)]
        is_outcome = is_outcome or any(matches)
        is_failure_default = not any(matches) and case.guard is None and not body
        statements = (
            body if matches[not is_success] or (is_failure_default and not is_success) else other
        )
        statements += case.body
    jumps = any(isinstance(statement, _JUMPS) for statement in other)
    return body if is_outcome and is_success is not None and not jumps else None


def branch_for(node: ast.If | ast.Match, name: str, value: bool) -> list[ast.stmt] | None:
    """The branch that runs if a name, or a call to it, has this value; None if that is unknown, or
    if it is the code after the statement."""
    if isinstance(node, ast.Match):
        return _match_branch(node, name, value)
    holds = _truth(node.test, name, value)
    if holds is None:
        return None
    body, other = (node.body, node.orelse) if holds else (node.orelse, node.body)
    return None if other and isinstance(other[-1], _JUMPS) else body


_ERROR_ATTRIBUTES = frozenset(
    {"failed", "error", "errors", "is_error", "is_err", "has_error", "has_errors"}
)
_OUTCOMES = _ERROR_ATTRIBUTES | {"ok", "success", "succeeded", "successful", "is_success", "is_ok"}
"""Attributes of a result that say whether the call succeeded."""


def _truth(test: ast.expr, name: str, value: bool) -> bool | None:
    """The truth value of a condition if a name, or a call to it, has this value; None if
    unknown."""
    match test:
        case ast.Name() | ast.Attribute() if _name(test) == name:
            return value
        case ast.Call() | ast.Await() if syntax.method_name(test) == name:
            return value
        case ast.NamedExpr(value=inner):
            return _truth(inner, name, value)
        case ast.Call(func=ast.Attribute() as inner, args=[]) if inner.attr in _OUTCOMES:
            return _truth(inner, name, value)
        case ast.Attribute(value=inner, attr=attr) if attr in _OUTCOMES:
            result = _truth(inner, name, value)
            return None if result is None else result is (attr not in _ERROR_ATTRIBUTES)
        case ast.Call(func=ast.Name("len" | "bool" | "any"), args=[inner]):
            return _truth(inner, name, value)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            result = _truth(inner, name, value)
            return None if result is None else not result
        case ast.Compare(left=inner) | ast.Call(args=[inner, _]) if compared_outcome(test):
            result = _truth(state_owner(inner), name, value)
            return None if result is None else result is not holds_for_failure(test)
        case ast.Compare(left=left, ops=[op], comparators=[other]) if is_status(left, other):
            result = _truth(status_owner(left), name, value)
            return None if result is None else holds_for_status(op, other, is_success=result)
        case ast.Compare(ast.Constant(lower), [_, _], [inner, ast.Constant()]):
            result = _truth(status_owner(inner), name, value)  # 200 <= status < 300
            return not result if result is not None and lower in range(400, 500) else result
        case ast.Compare(ast.Constant(False), [ast.In() | ast.NotIn() as op], [inner]):
            result = _truth(inner, name, value)  # `False in results`
            return None if result is None else result is isinstance(op, ast.NotIn)
        case ast.Compare(left, [op], [ast.Constant() | ast.Call(ast.Name("len")) as other]):
            result = _truth(left, name, value)
            return None if result is None else _comparison(result, op, other)
        case ast.BoolOp(op=op, values=values):
            decisive = isinstance(op, ast.Or)
            return decisive if decisive in [_truth(node, name, value) for node in values] else None
        case _:
            return None


def _compares_outcome(test: ast.AST, name: str) -> bool:
    """Whether a condition compares the value of a name with the name of an outcome."""
    left = getattr(test, "left", None) or next(iter(getattr(test, "args", [])), None)
    if left is None or not (compared_outcome(test) or _compares_length(test)):
        return False
    return _name(state_owner(left)) == name


def _compares_length(test: ast.AST) -> bool:
    """Whether a condition compares a number with that of all messages: `saved != len(ms)`."""
    match test:
        case ast.Compare(comparators=[ast.Call(func=ast.Name("len"))]):
            return True
        case _:
            return False


def _comparison(value: bool, op: ast.cmpop, operand: ast.expr) -> bool | None:
    """Whether a flag equals, or a count exceeds, a constant or the number of all messages; None if
    that is unknown."""
    if not isinstance(operand, ast.Constant):
        return value is not isinstance(op, ast.NotEq | ast.Lt)  # saved != len(ms)
    other = operand.value
    is_flag_constant = other in (True, False, 0, None)
    match op:
        case ast.Is() | ast.Eq() if is_flag_constant:
            return value is bool(other)
        case ast.IsNot() | ast.NotEq() if is_flag_constant:
            return value is not bool(other)
        case ast.Gt() if other == 0:
            return value
        case _:
            return None


def _name(node: ast.AST) -> str:
    """A plain name, or an attribute of one; empty for any other expression."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner), attr=field):
            return f"{owner}.{field}"
        case _:
            return ""


def flag_assignment(node: ast.AST) -> tuple[str, bool] | None:
    """The name that a statement assigns or adds to, and whether its new value is true; None for any
    other statement."""
    match node:
        case ast.Assign(targets=[target], value=ast.Constant(value)):
            return _name(target), bool(value)
        case ast.Assign(targets=[target], value=ast.List(elts=[]) | ast.Dict(keys=[])):
            return _name(target), False
        case ast.Assign(targets=[target], value=ast.Name()) | ast.AugAssign(target=target):
            return _name(target), True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target)) as call) if (
            syntax.only_stores(call)
        ):
            return _name(target), True
        case _:
            return None


def _dict_assignment(node: ast.AST) -> tuple[str, bool] | None:
    """The name of the dict in which a statement stores a value, which makes it true."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=target)]):
            return _name(target), True
        case _:
            return None


def _call_assignment(node: ast.AST) -> tuple[str, bool] | None:
    """The name to which a statement assigns the result of a call, which counts as true."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.Await()):
            return name, True
        case _:
            return None


def returns_success(function: ast.AST) -> bool:
    """Whether a function catches an error, and returns whether there was none."""
    nodes = [*ast.walk(function)]
    returned = (node.value for node in nodes if isinstance(node, ast.Return))
    return any(isinstance(node, ast.ExceptHandler) for node in nodes) and any(
        isinstance(node, ast.Constant) and isinstance(node.value, bool) for node in returned
    )


def _tolerates_errors(node: ast.stmt, counters: set[str]) -> bool:
    """Whether a statement acts only after more than one error."""
    match node:
        case ast.If(test=ast.Compare(left=left, ops=[op], comparators=[ast.Constant(int(limit))])):
            is_tolerant = limit - isinstance(op, ast.GtE) > 0 and isinstance(op, ast.Gt | ast.GtE)
            return is_tolerant and _name(left) in counters and not node.orelse
        case _:
            return False


def condition_of(node: ast.AST) -> ast.expr | None:
    """The condition of an `if`, or the subject of a `match`; None for any other statement."""
    if isinstance(node, ast.Match):
        return node.subject
    return node.test if isinstance(node, ast.If) else None


def _following_statements(scope: ast.AST) -> dict[int, list[ast.stmt]]:
    """The statements after each `if` in its block, by the `id` of the `if`."""
    blocks = (
        getattr(node, part, None) for node in syntax.nodes(scope) for part in ("body", "orelse")
    )
    return {
        id(node): block[index + 1 :]
        for block in blocks if isinstance(block, list)
        for index, node in enumerate(block) if isinstance(node, ast.If)
    }  # fmt: skip


def _assignments(scope: ast.AST) -> set[tuple[str, bool] | None]:
    """The names, with their truth values, that each iteration of a loop or each call assigns."""
    loops = [node for node in syntax.nodes(scope) if isinstance(node, syntax.LOOPS)]
    roots = [scope] if isinstance(scope, syntax.APART) else loops
    nodes = (node for root in roots for node in ast.walk(root))
    return {
        assignment
        for node in nodes
        for assignment in (flag_assignment(node), _call_assignment(node))
    }


def _conditions_of_retries(scope: ast.AST) -> tuple[set[int], set[int]]:
    """The `id`s of the nodes in conditions of loops that do not poll, and of those among them that
    end after a number of attempts: `while not ok and n < 3`."""
    loops = [
        node for node in syntax.nodes(scope) if isinstance(node, ast.While)
        and not any(syntax.method_name(call) in syntax.POLLS for call in syntax.calls(node))
    ]  # fmt: skip
    conditions = [[*ast.walk(node.test)] for node in loops]
    bounded = [nodes for nodes in conditions
               if any(isinstance(node, ast.Compare) for node in nodes)]  # fmt: skip
    return {id(node) for nodes in conditions for node in nodes}, {
        id(node) for nodes in bounded for node in nodes
    }


class Flags:
    """The flags of a scope, and the conditions that check them."""

    def __init__(self, scope: ast.AST) -> None:
        self._conditions = defaultdict[str, list[ast.If | ast.Match]](list)
        self._following, self._loads = _following_statements(scope), defaultdict[str, set[int]](set)
        ignored, self._returned_names, self._constants = (
            syntax.log_only_nodes(scope),
            set[str](),
            set[bool](),
        )
        reads = list[tuple[str, int]]()
        for node in syntax.nodes(scope):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
                self._constants.add(bool(node.value.value))
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
                ignored.add(id(node.value))
                self._returned_names.add(node.value.id)
            match node:
                case ast.Assign(targets=[ast.Name(id=response)], value=value) if reads_body(value):
                    reads += [(response, id(inner)) for inner in ast.walk(value)]
                case ast.Assign(targets=[ast.Subscript(value=target)]):
                    ignored.add(id(target))
                case _:
                    pass
            names = ast.walk(test) if (test := condition_of(node)) else ()
            if isinstance(node, ast.Expr) and (flag_assignment(node) or reads_body(node.value)):
                names = ast.walk(getattr(node.value, "func", node.value))
            for inner in names:
                if isinstance(inner, ast.Name | ast.Attribute):
                    conditions = [node] if isinstance(node, ast.If | ast.Match) else []
                    self._conditions[_name(inner)] += conditions
                    ignored.add(id(inner))
        self._assignments = _assignments(scope)
        self._retries, bounded = _conditions_of_retries(scope)
        ignored |= bounded
        loads = [node for node in syntax.nodes(scope) if isinstance(node, ast.Name | ast.Attribute)
                 and isinstance(node.ctx, ast.Load) and id(node) not in ignored]  # fmt: skip
        used = {_name(node) for node in loads} | {name for name in self._conditions if name}
        ignored |= {node_id for response, node_id in reads if response not in used}
        for load in (load for load in loads if id(load) not in ignored):
            self._loads[_name(load)].add(id(load))

    def asks(self, name: str) -> bool:
        """Whether a condition checks a name."""
        return bool(self._conditions[name])

    def asks_outcome(self, name: str) -> bool:
        """Whether a condition checks the value of a name for success or failure."""
        conditions = self._conditions[name]
        return any(
            (isinstance(inner, ast.Attribute) and inner.attr in _OUTCOMES
             and _name(inner.value) == name) or _compares_outcome(inner, name)
            for node in conditions if isinstance(node, ast.If) for inner in ast.walk(node.test)
        ) or any(
            isinstance(node, ast.Match) and branch_for(node, name, value=False) is not None
            for node in conditions
        )  # fmt: skip

    def tells(self, attempt: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Whether a function returns a name that a handler assigns, or several constants where the
        attempt returns one."""
        if any(isinstance(node, ast.Return) and node.value for node in attempt.body):
            return len(self._constants) > 1
        assigned = {pair[0] for node in handler.body for pair in [flag_assignment(node)] if pair}
        returned = [node.value for node in ast.walk(handler) if isinstance(node, ast.Return)]
        return any(node and ast.unparse(node) != "None" for node in returned) or bool(
            assigned & self._returned_names
        )

    def is_idle(
        self, name: str, value: bool, leaves: Container[int] = (), *, in_function: bool = False,
        in_retry: bool = False,
    ) -> bool:  # fmt: skip
        """Whether nothing is done if a name has this value. `in_retry` says that the loop which
        tries again ends."""
        branches = [branch_for(node, name, value) for node in self._conditions[name]]
        loads = self._loads[name] if name in self._loads else set[int]()
        loads = loads - self._retries if in_retry else loads
        return loads <= self._other_nodes(name, value) and all(
            branch is not None and only_logs_or_commits(branch, leaves, in_function=in_function)
            for branch in branches
        )

    def _other_nodes(self, name: str, value: bool) -> set[int]:
        """The `id`s of the nodes that run only if the name has the other value."""
        statements = list[ast.stmt]()
        for node in self._conditions[name] if name in self._loads else ():
            body = branch_for(node, name, value)
            if isinstance(node, ast.If) and body is not None:
                statements += node.orelse if body is node.body else node.body
                is_last = bool(body) and isinstance(body[-1], ast.Continue | ast.Return)
                statements += self._following.get(id(node), []) if is_last else []
        return {id(inner) for node in statements for inner in ast.walk(node)}

    def _is_handled(
        self, node: ast.stmt, value: bool, leaves: Container[int], *, in_function: bool,
        in_retry: bool,
    ) -> bool:  # fmt: skip
        """Whether the program handles an error that a statement stores as this value."""
        assignment = _dict_assignment(node) or flag_assignment(node) or _call_assignment(node)
        name = assignment[0] if assignment else ""
        is_reset = name and (name, not value) in self._assignments
        is_idle = is_reset and self.is_idle(
            name, value, leaves, in_function=in_function, in_retry=in_retry
        )
        return not is_idle

    def without(
        self, attempt: ast.Try, body: list[ast.stmt], leaves: Container[int], *, in_function: bool,
        in_retry: bool = False,
    ) -> list[ast.stmt]:  # fmt: skip
        """The statements of a handler without those that store its error in a name that nothing
        handles. A `raise` is added where a count, or a flag that the end of the attempt sets, is
        handled. `in_retry` says that counts are of attempts, not of errors."""
        rest, counters = list[ast.stmt](), set[str]()
        is_handled = partial(
            self._is_handled, leaves=leaves, in_function=in_function, in_retry=in_retry
        )
        for node in attempt.body:
            assignment = (
                flag_assignment(node) or _call_assignment(node)
                if isinstance(node, ast.Assign) else None
            )  # fmt: skip
            marks_success = (
                assignment and assignment[1] and (assignment[0], False) in self._assignments
            )
            if marks_success and is_handled(node, False):
                rest += [ast.Raise()]
        for node in body:
            assignment = _dict_assignment(node) or flag_assignment(node)
            if assignment and isinstance(node, ast.AugAssign):
                counters.add(assignment[0])
                branches = [
                    branch_for(test, assignment[0], value=True)
                    for test in self._conditions[assignment[0]]
                ]
                handles = [
                    not only_logs_or_commits(branch or [], leaves, in_function=in_function)
                    for branch in branches
                ]
                rest += [ast.Raise()] if any(handles) else []
            elif assignment and not is_handled(node, assignment[1]):
                continue
            elif in_retry or not _tolerates_errors(node, counters):
                rest += [node]
        return rest
