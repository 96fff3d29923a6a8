"""Parts that a Python program takes of what it polled, and what it leaves of that.

The next poll gives the name other messages: what was cut off before, or is left behind a part, is
never processed. A list to which messages are added, and a loop that goes on while there are some,
keep the rest.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.intake.programs.python import syntax

_OF_PLACE = frozenset({"offset", "partition", "topic", "timestamp", "leader_epoch"})
_COPIES = frozenset({"list", "tuple", "sorted", "reversed", "filter"})
_CHOOSES = frozenset({"sample", "choice", "choices", "nlargest", "nsmallest"})
"""Of `random` and `heapq`: a part of what they are given."""


def partial_reads(own: list[ast.AST], names: set[str], kept: set[str]) -> Iterator[int]:
    """The lines where a part is taken of what has these names, and the rest is left; `kept` are
    lists that outlive a poll."""
    kept = kept | {
        name for node in own if isinstance(node, ast.While) for name in syntax.names_in(node.test)
    }
    cuts = {id(node): name for node in own if (name := _cut(node, names))}
    if any(name in kept for name in cuts.values()):
        return
    harmless = _harmless(own)
    iterators = {found for found in _iterators(own, names) if found[0] not in kept}
    names = names | {name for name, _ in iterators}
    harmless |= {of for _, of in iterators}
    found = list[tuple[ast.AST, ast.expr]]()
    places = {id(node.value) for node in own
              if isinstance(node, ast.Attribute) and node.attr in _OF_PLACE}  # fmt: skip
    for node in own:
        taken = _taken(node)
        if isinstance(taken, ast.Name) and taken.id in names and id(taken) not in harmless:
            harmless.add(id(taken))
            found += [(node, taken)] if id(node) not in places else []
    uses = [node for node in own if isinstance(node, ast.Name) and node.id in names
            and isinstance(node.ctx, ast.Load) and id(node) not in harmless]  # fmt: skip
    of_cuts = {id(inner) for node in own if id(node) in cuts for inner in ast.walk(node)}
    work = [(node, name) for node, name in found if id(node) not in of_cuts]
    uses = [use for use in uses if id(use) not in of_cuts]
    if not uses:
        is_whole = _are_whole(node for node, _ in work)
        yield from () if is_whole else (name.lineno for _, name in found)
    before = [name.lineno for _, name in work] + [use.lineno for use in uses]
    for node in (node for node in own if id(node) in cuts):
        line = getattr(node, "lineno", 0)
        if not any(used < line for used in before):
            yield line


def _iterators(own: list[ast.AST], names: set[str]) -> Iterator[tuple[str, int]]:
    """The names of iterators over what has one of these names, and which names those are."""
    loops = [node for node in own if isinstance(node, syntax.LOOPS)]
    for node in own:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("iter"), [ast.Name(of) as over])):
                inside = (loop for loop in loops if all(it is not over for it in ast.walk(loop)))
                if of in names and not any(name in _taken_by(loop) for loop in inside):
                    yield name, id(over)
            case _:
                pass


def _taken_by(loop: ast.AST) -> set[str]:
    """The names of iterators whose next one a loop takes."""
    return {
        name for call in syntax.calls(loop) if syntax.method_name(call) == "next"
        for given in call.args[:1] for name in syntax.names_in(given)
    }  # fmt: skip


def too_early(own: list[ast.AST], names: set[str]) -> Iterator[int]:
    """The lines where all that was polled is committed between the first message and the others."""
    names = names | {name for name, _ in _iterators(own, names)}
    for node in own:
        for block in (getattr(node, part, []) for part in ("body", "orelse")):
            yield from _committed(block, names) if isinstance(block, list) else ()


def _committed(block: list[ast.stmt], names: set[str]) -> Iterator[int]:
    is_begun, line = False, 0
    for node in block:
        inside = [*ast.walk(node)]
        is_loop = isinstance(node, syntax.LOOPS) or any(
            isinstance(inner, ast.comprehension) for inner in inside
        )
        if line and any(
            isinstance(inner, ast.Name) and inner.id in names for inner in inside
        ) and (is_loop or any(map(_taken, inside))):  # fmt: skip
            yield line
            return
        taken = (_taken(inner) for inner in inside)
        own = any(isinstance(of, ast.Name) and of.id in names for of in taken)
        is_begun = is_begun or (own and isinstance(node, ast.Expr | ast.Assign))
        match node:
            case ast.Expr(value=ast.Call(args=[]) as call) if syntax.method_name(call) == "commit":
                line = call.lineno if is_begun and not syntax.commit_argument(call) else 0
            case _:
                pass


def _cut(node: ast.AST, names: set[str]) -> str:
    """The name from which a statement cuts something off; empty for any other statement."""
    match node:
        case ast.Assign(targets=[ast.Name(name)], value=value) if name in names:
            taken = (_taken(inner) for inner in ast.walk(value))
            own = (inner for inner in taken if isinstance(inner, ast.Name) and inner.id == name)
            return name if any(True for _ in own) else ""
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(name))]) if name in names:
            return name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(name), attr="pop"))):
            return name if name in names else ""
        case _:
            return ""


def _harmless(own: list[ast.AST]) -> set[int]:
    """The names that are only asked for, written of or added to."""
    harmless = set[int]()
    for node in own:
        if isinstance(node, ast.If | ast.While):
            harmless |= _asked(node.test)
        elif isinstance(node, ast.Call) and (
            syntax.is_log(node) or syntax.method_name(node) in (*syntax.COMMITS, "len")
        ):
            harmless |= {id(inner) for inner in ast.walk(node)}
        elif isinstance(node, ast.Call) and syntax.method_name(node) in (
            "append",
            "extend",
            "clear",
        ):
            harmless.add(id(node.func.value) if isinstance(node.func, ast.Attribute) else 0)
        elif isinstance(node, ast.Assign):
            harmless |= _same(node)
    return harmless


def _same(node: ast.Assign) -> set[int]:
    """The name in a statement that gives it what it has, in another order or without some."""
    match node:
        case ast.Assign([ast.Name(name)], ast.ListComp(ast.Name(), [ast.comprehension(iter=own)])):
            return {id(own)} if isinstance(own, ast.Name) and own.id == name else set()
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name(verb), args=args)) if verb in _COPIES:
            return {id(own) for own in args if isinstance(own, ast.Name) and own.id == name}
        case _:
            return set()


def _asked(test: ast.expr) -> set[int]:
    """The names of which a condition asks only whether something is there."""
    bare = test.operand if isinstance(test, ast.UnaryOp) else test
    compared = bare.left if isinstance(bare, ast.Compare) else bare
    return {id(compared)} if isinstance(compared, ast.Name) else set()


def _taken(node: ast.AST) -> ast.AST | None:
    """What one element, or those before a place, are taken of; None for anything else."""
    if isinstance(node, ast.Subscript) and is_part(node.slice):
        return node.value
    if not isinstance(node, ast.Call) or not node.args:
        return None
    first, verb = node.args[0], syntax.method_name(node)
    if verb in ("islice", "next"):
        is_iter = (
            syntax.method_name(first) == "iter" and isinstance(first, ast.Call) and bool(first.args)
        )
        return first.args[0] if is_iter else first  # type: ignore[attr-defined]
    if verb in _CHOOSES:
        return node.args[-1] if verb.startswith("n") else first
    if verb == "zip" and isinstance(first, ast.Call) and syntax.method_name(first) == "range":
        return node.args[1] if isinstance(first.args[-1], ast.Constant) and node.args[1:] else None
    return None


def is_part(index: ast.expr) -> bool:
    """Whether an index is of one element, of those before a place, or of each second one."""
    if isinstance(index, ast.Slice):
        step = index.step and ast.unparse(index.step) not in ("1", "-1")
        first = index.lower is None or isinstance(index.lower, ast.Constant)
        return bool(step) or (first and not (index.lower is None and index.upper is None))
    value = index.operand if isinstance(index, ast.UnaryOp) else index
    return isinstance(value, ast.Constant) and isinstance(value.value, int)


def _are_whole(taken: Iterable[ast.AST]) -> bool:
    """Whether these are the first few of a list, and the others: `ms[0]` and `ms[1:]`."""
    heads, tails = set[str](), set[str]()
    for node in taken:
        match node:
            case ast.Subscript(slice=ast.Constant(0)):
                heads.add("1")
            case ast.Subscript(slice=ast.Slice(lower=None, upper=ast.expr() as end, step=None)):
                heads.add(ast.unparse(end))
            case ast.Subscript(slice=ast.Slice(lower=ast.expr() as begin, upper=None, step=None)):
                tails.add(ast.unparse(begin))
            case _:
                pass
    return not heads.isdisjoint(tails)
