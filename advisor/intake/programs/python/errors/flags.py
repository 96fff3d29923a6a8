"""Names of a Python program that say whether something failed, and what the program does then.

A consumer does not go back because nothing was committed: the next poll is behind the message that
failed, and so is the next commit (confluent-kafka, Consumer.poll and commit). So a flag that only
keeps back a commit does nothing about an error.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Container, Iterator

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors.outcome_names import (
    RIGHT,
    WRONG,
    holds_for_failure,
    kind_asked,
    of_state,
)

_JUMPS = ast.Continue | ast.Return | ast.Break
_BODIES = frozenset({"text", "content", "data", "headers"})
_ENDS = frozenset({"read", "close", "release", "aclose", "aread", "json", "text"})
"""What is read of a response whose status says whether something was done."""
_MOST_PARTS = 4


def breaks_of_loop(body: list[ast.stmt]) -> Iterator[ast.Break]:
    """Where the loop itself is left that has this body."""
    for node in body:
        if isinstance(node, ast.Break):
            yield node
        elif not isinstance(node, syntax.LOOPS | syntax.APART):
            inner = [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
            inner += [
                each.body for part in ("handlers", "cases") for each in getattr(node, part, [])
            ]
            for statements in inner:
                yield from breaks_of_loop(statements)


def leads_only_to_commit(scope: ast.AST) -> dict[int, set[int]]:
    """What leaves each loop behind which its block does nothing but commit."""
    found: dict[int, set[int]] = {}
    if any(syntax.method_name(call) in ("seek", "pause") for call in syntax.calls(scope)):
        return found
    for node in syntax.nodes(scope):
        for block in (getattr(node, part, []) for part in ("body", "orelse")):
            is_last = isinstance(block, list)
            for each in reversed(block) if isinstance(block, list) else ():
                if is_last and isinstance(each, syntax.LOOPS) and not each.orelse:
                    found[id(each)] = {id(inner) for inner in breaks_of_loop(each.body)}
                is_last = is_last and only_logs_or_commits([each])
    return found


def only_logs_or_commits(
    body: list[ast.stmt], leaves: Container[int] = (), *, in_function: bool = False
) -> bool:
    """Whether statements only write of something, or commit."""
    return syntax.only_logs_and_continues(
        body, syntax.is_commit, in_function=in_function, leaves=leaves
    )


def _matched(node: ast.Match, name: str, value: bool) -> list[ast.stmt] | None:
    """The same of a `match` that takes an outcome apart."""
    answer = _answer(_of_status(node.subject), name, value)
    does, other, is_outcome = list[ast.stmt](), list[ast.stmt](), False
    for case in node.cases:
        written = ast.unparse(case.pattern).partition("(")[0].strip("'")
        kinds = [bool(kind.fullmatch(written)) for kind in (RIGHT, WRONG)]
        is_outcome = is_outcome or any(kinds)
        is_rest = not any(kinds) and case.guard is None and not does
        own = does if kinds[not answer] or (is_rest and not answer) else other
        own += case.body
    ends = any(isinstance(statement, _JUMPS) for statement in other)
    return does if is_outcome and answer is not None and not ends else None


def branch_for(node: ast.If | ast.Match, name: str, value: bool) -> list[ast.stmt] | None:
    """What is done where a name, or what a call of it returns, has a value; None where that is not
    known, or stands behind the condition."""
    if isinstance(node, ast.Match):
        return _matched(node, name, value)
    answer = _answer(node.test, name, value)
    if answer is None:
        return None
    does, other = (node.body, node.orelse) if answer else (node.orelse, node.body)
    return None if other and isinstance(other[-1], _JUMPS) else does


_OF_ERRORS = frozenset(
    {"failed", "error", "errors", "is_error", "is_err", "has_error", "has_errors"}
)
OUTCOMES = _OF_ERRORS | {"ok", "success", "succeeded", "successful", "is_success", "is_ok"}
"""Attributes of a result that say what became of the call."""


def _answer(test: ast.expr, name: str, value: bool) -> bool | None:
    """What a condition comes to where a name, or a call of it, has a value; None if that is not
    known."""
    match test:
        case ast.Name() | ast.Attribute() if _name(test) == name:
            return value
        case ast.Call() | ast.Await() if syntax.method_name(test) == name:
            return value
        case ast.NamedExpr(value=inner):
            return _answer(inner, name, value)
        case ast.Call(func=ast.Attribute() as inner, args=[]) if inner.attr in OUTCOMES:
            return _answer(inner, name, value)
        case ast.Attribute(value=inner, attr=attr) if attr in OUTCOMES:
            answer = _answer(inner, name, value)
            return None if answer is None else answer is (attr not in _OF_ERRORS)
        case ast.Call(func=ast.Name("len" | "bool" | "any"), args=[inner]):
            return _answer(inner, name, value)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            answer = _answer(inner, name, value)
            return None if answer is None else not answer
        case ast.Compare(left=inner) | ast.Call(args=[inner, _]) if kind_asked(test):
            answer = _answer(of_state(inner), name, value)
            return None if answer is None else answer is not holds_for_failure(test)
        case ast.Compare(left=left, ops=[op], comparators=[other]) if _is_status(left, other):
            answer = _answer(_of_status(left), name, value)
            says_no = isinstance(op, ast.NotEq | ast.NotIn | ast.Gt | ast.GtE)
            return None if answer is None else answer is not says_no
        case ast.Compare(left=ast.Constant(), ops=[_, _], comparators=[inner, ast.Constant()]):
            return _answer(_of_status(inner), name, value)  # 200 <= status < 300
        case ast.Compare(ast.Constant(False), [ast.In() | ast.NotIn() as op], [inner]):
            answer = _answer(inner, name, value)  # `False in results`
            return None if answer is None else answer is isinstance(op, ast.NotIn)
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(other)]):
            answer = _answer(left, name, value)
            return None if answer is None else _compared(answer, op, other)
        case ast.BoolOp(op=op, values=values):
            ends = isinstance(op, ast.Or)
            return ends if ends in [_answer(node, name, value) for node in values] else None
        case _:
            return None


def _compares_outcome(test: ast.AST, name: str) -> bool:
    """Whether a condition compares what a name has with such a name."""
    left = getattr(test, "left", None) or next(iter(getattr(test, "args", [])), None)
    if left is None or not kind_asked(test):
        return False
    return _name(of_state(left)) == name


def _is_status(left: ast.expr, other: ast.expr) -> bool:
    """Whether a status of HTTP is compared."""
    codes = other.elts if isinstance(other, ast.Tuple | ast.List | ast.Set) else [other]
    known = [code.value for code in codes if isinstance(code, ast.Constant)]
    is_code = any(isinstance(code, int) and 100 <= code < 600 for code in known)
    return is_code or _of_status(left) is not left


def _of_status(node: ast.expr) -> ast.expr:
    """The answer that has a status, such as `r` in `r.status_code // 100`; else the expression."""
    match node:
        case ast.Attribute(value=inner, attr="status_code" | "status"):
            return inner
        case ast.BinOp(left=ast.Attribute() as inner, op=ast.FloorDiv()):
            return _of_status(inner)
        case _:
            return node


def _compared(answer: bool, op: ast.cmpop, other: object) -> bool | None:
    """Whether a flag is, or a count is above, what it is compared with."""
    is_plain = other in (True, False, 0, None)
    match op:
        case ast.Is() | ast.Eq() if is_plain:
            return answer is bool(other)
        case ast.IsNot() | ast.NotEq() if is_plain:
            return answer is not bool(other)
        case ast.Gt() if other == 0:
            return answer
        case _:
            return None


def _name(node: ast.AST) -> str:
    """A plain name, or one of an object's fields; empty for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=whose), attr=field):
            return f"{whose}.{field}"
        case _:
            return ""


def flag_assignment(node: ast.AST) -> tuple[str, bool] | None:
    """The name in which a statement keeps something, and whether that counts as true; None for
    any other statement."""
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


def _put(node: ast.AST) -> tuple[str, bool] | None:
    """The dict in which a statement puts something."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=target)]):
            return _name(target), True
        case _:
            return None


def _made(node: ast.AST) -> tuple[str, bool] | None:
    """The name that has what a call made, which counts as true."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.Await()):
            return name, True
        case _:
            return None


def returns_success(function: ast.AST) -> bool:
    """Whether a function takes an error, and returns whether there was none."""
    inside = [*ast.walk(function)]
    returned = (node.value for node in inside if isinstance(node, ast.Return))
    return any(isinstance(node, ast.ExceptHandler) for node in inside) and any(
        isinstance(node, ast.Constant) and isinstance(node.value, bool) for node in returned
    )


def _lets_some_pass(node: ast.stmt, counts: set[str]) -> bool:
    """Whether a statement does something only behind more than one error."""
    match node:
        case ast.If(test=ast.Compare(left=left, ops=[op], comparators=[ast.Constant(int(most))])):
            above = most - isinstance(op, ast.GtE) > 0 and isinstance(op, ast.Gt | ast.GtE)
            return above and _name(left) in counts and not node.orelse
        case _:
            return False


def condition_of(node: ast.AST) -> ast.expr | None:
    """What a condition, or a `match`, asks; None for any other statement."""
    if isinstance(node, ast.Match):
        return node.subject
    return node.test if isinstance(node, ast.If) else None


def _reads_out(value: ast.expr) -> bool:
    """Whether a response is only read to its end, or closed."""
    own = value.value if isinstance(value, ast.Await) else value
    match own:
        case ast.Attribute(value=ast.Name(), attr=attr):
            return attr in _BODIES
        case ast.Call(args=[]):
            return syntax.method_name(own) in _ENDS
        case _:
            return False


def awaited_value(value: ast.expr | None) -> ast.expr | None:
    """What a value is waited for, or is the body of; that itself where it is neither."""
    for _ in range(_MOST_PARTS):
        match value:
            case ast.Await(value=inner):
                value = inner
            case ast.Attribute(value=ast.Call() as inner, attr=attr) if attr in _BODIES:
                value = inner
            case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr=attr), args=[]) if (
                attr in _ENDS
            ):
                value = inner
            case _:
                return value
    return value


def _behind(scope: ast.AST) -> dict[int, list[ast.stmt]]:
    """What stands behind each condition in its block."""
    blocks = (
        getattr(node, part, None) for node in syntax.nodes(scope) for part in ("body", "orelse")
    )
    return {
        id(node): block[number + 1 :]
        for block in blocks if isinstance(block, list)
        for number, node in enumerate(block) if isinstance(node, ast.If)
    }  # fmt: skip


def _resets(scope: ast.AST) -> set[tuple[str, bool] | None]:
    """The names that have a value in each round of a loop, or at each call."""
    again = [node for node in syntax.nodes(scope) if isinstance(node, syntax.LOOPS)]
    tops = [scope] if isinstance(scope, syntax.APART) else again
    nodes = (node for top in tops for node in ast.walk(top))
    return {made for node in nodes for made in (flag_assignment(node), _made(node))}


class Flags:
    """The names of a scope, and the conditions that ask for them."""

    def __init__(self, scope: ast.AST) -> None:
        self._asked = defaultdict[str, list[ast.If | ast.Match]](list)
        self._behind, self._loads = _behind(scope), defaultdict[str, set[int]](set)
        passed, self._returned, self._values = syntax.log_only_nodes(scope), set[str](), set[bool]()
        bodies = list[tuple[str, int]]()
        for node in syntax.nodes(scope):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
                self._values.add(bool(node.value.value))
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
                passed.add(id(node.value))
                self._returned.add(node.value.id)
            match node:
                case ast.Assign(targets=[ast.Name(id=body)], value=read) if _reads_out(read):
                    bodies += [(body, id(inner)) for inner in ast.walk(read)]
                case ast.Assign(targets=[ast.Subscript(value=target)]):
                    passed.add(id(target))
                case _:
                    pass
            names = ast.walk(test) if (test := condition_of(node)) else ()
            if isinstance(node, ast.Expr) and (flag_assignment(node) or _reads_out(node.value)):
                names = ast.walk(getattr(node.value, "func", node.value))
            for inner in names:
                if isinstance(inner, ast.Name | ast.Attribute):
                    own = [node] if isinstance(node, ast.If | ast.Match) else []
                    self._asked[_name(inner)] += own
                    passed.add(id(inner))
        self._resets = _resets(scope)
        loads = [node for node in syntax.nodes(scope) if isinstance(node, ast.Name | ast.Attribute)
                 and isinstance(node.ctx, ast.Load) and id(node) not in passed]  # fmt: skip
        used = {_name(node) for node in loads} | {name for name in self._asked if name}
        passed |= {of for body, of in bodies if body not in used}
        for load in (load for load in loads if id(load) not in passed):
            self._loads[_name(load)].add(id(load))

    def asks(self, name: str) -> bool:
        """Whether a condition asks for a name."""
        return bool(self._asked[name])

    def asks_outcome(self, name: str) -> bool:
        """Whether a condition asks what a name has for whether something succeeded."""
        asked = self._asked[name]
        return any(
            (isinstance(inner, ast.Attribute) and inner.attr in OUTCOMES
             and _name(inner.value) == name) or _compares_outcome(inner, name)
            for node in asked if isinstance(node, ast.If) for inner in ast.walk(node.test)
        ) or any(
            isinstance(node, ast.Match) and branch_for(node, name, value=False) is not None
            for node in asked
        )  # fmt: skip

    def tells(self, attempt: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Whether a function returns what a handler makes of an error, or another value where an
        attempt did not return."""
        if any(isinstance(node, ast.Return) and node.value for node in attempt.body):
            return len(self._values) > 1
        kept = {pair[0] for node in handler.body for pair in [flag_assignment(node)] if pair}
        returned = [node.value for node in ast.walk(handler) if isinstance(node, ast.Return)]
        return any(node and ast.unparse(node) != "None" for node in returned) or bool(
            kept & self._returned
        )

    def is_idle(
        self, name: str, value: bool, leaves: Container[int] = (), *, in_function: bool = False
    ) -> bool:
        """Whether nothing is done where a name has a value."""
        done = [branch_for(node, name, value) for node in self._asked[name]]
        read = self._loads[name] if name in self._loads else set[int]()
        return read <= self._never_read(name, value) and all(
            branch is not None and only_logs_or_commits(branch, leaves, in_function=in_function)
            for branch in done
        )

    def _never_read(self, name: str, value: bool) -> set[int]:
        """What is done only where a name has the other value."""
        others = list[ast.stmt]()
        for node in self._asked[name] if name in self._loads else ():
            does = branch_for(node, name, value)
            if isinstance(node, ast.If) and does is not None:
                others += node.orelse if does is node.body else node.body
                is_last = bool(does) and isinstance(does[-1], ast.Continue | ast.Return)
                others += self._behind.get(id(node), []) if is_last else []
        return {id(inner) for node in others for inner in ast.walk(node)}

    def _decides(self, node: ast.stmt, value: bool, leaves: Container[int], inside: bool) -> bool:
        """Whether something is done about an error of which a name is left with a value."""
        name = (_put(node) or flag_assignment(node) or ("", False))[0]
        is_reset = name and (name, not value) in self._resets
        return not (is_reset and self.is_idle(name, value, leaves, in_function=inside))

    def without(
        self, attempt: ast.Try, body: list[ast.stmt], leaves: Container[int], *, in_function: bool
    ) -> list[ast.stmt]:
        """A handler's statements without those that keep its error in a name for nothing; with an
        end, where what the attempt says at its own end decides of one."""
        rest, counts = list[ast.stmt](), set[str]()
        for node in attempt.body:
            pair = flag_assignment(node) if isinstance(node, ast.Assign) else None
            is_false = pair and pair[1] and (pair[0], False) in self._resets
            if is_false and self._decides(node, False, leaves, in_function):
                rest += [ast.Raise()]
        for node in body:
            pair = _put(node) or flag_assignment(node)
            if pair and isinstance(node, ast.AugAssign):
                counts.add(pair[0])
                done = [branch_for(test, pair[0], value=True) for test in self._asked[pair[0]]]
                acts = [
                    not only_logs_or_commits(branch or [], leaves, in_function=in_function)
                    for branch in done
                ]
                rest += [ast.Raise()] if any(acts) else []
            elif pair and not self._decides(node, pair[1], leaves, in_function):
                continue
            elif not _lets_some_pass(node, counts):
                rest += [node]
        return rest
