"""Parts of a poll that a Python program takes, and the messages that it leaves out.

The next poll assigns other messages to the name: those that were cut off before, or that remain
after a part, are never processed. A list to which messages are appended keeps them, and so does a
loop that runs while the list is not empty.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.intake.programs.python import syntax

_POSITION_FIELDS = frozenset({"offset", "partition", "topic", "timestamp", "leader_epoch"})
_COPIES = frozenset({"list", "tuple", "sorted", "reversed", "filter"})
_CHOOSING_FUNCTIONS = frozenset({"sample", "choice", "choices", "nlargest", "nsmallest"})
"""Functions of `random` and `heapq` that return a part of their argument."""


def partial_reads(nodes: list[ast.AST], names: set[str], buffers: set[str]) -> Iterator[int]:
    """Yields the lines where a part is taken of the messages with these names and the rest is
    skipped. `buffers` are lists that outlive a poll."""
    buffers = buffers | {
        name for node in nodes if isinstance(node, ast.While) for name in syntax.names_in(node.test)
    }
    cuts = {id(node): name for node in nodes if (name := _cut_name(node, names))}
    if any(name in buffers for name in cuts.values()):
        return
    harmless = _harmless_names(nodes)
    iterators = {pair for pair in _iterators(nodes, names) if pair[0] not in buffers}
    names = names | {name for name, _ in iterators}
    harmless |= {source_id for _, source_id in iterators}
    slices = list[tuple[ast.AST, ast.expr]]()
    positions = {id(node.value) for node in nodes
                 if isinstance(node, ast.Attribute) and node.attr in _POSITION_FIELDS}  # fmt: skip
    for node in nodes:
        source = _sliced(node)
        if isinstance(source, ast.Name) and source.id in names and id(source) not in harmless:
            harmless.add(id(source))
            slices += [(node, source)] if id(node) not in positions else []
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id in names
            and isinstance(node.ctx, ast.Load) and id(node) not in harmless]  # fmt: skip
    nodes_in_cuts = {id(inner) for node in nodes if id(node) in cuts for inner in ast.walk(node)}
    reads = [(node, name) for node, name in slices if id(node) not in nodes_in_cuts]
    uses = [use for use in uses if id(use) not in nodes_in_cuts]
    if not uses:
        is_whole = _head_and_rest(node for node, _ in reads)
        yield from () if is_whole else (name.lineno for _, name in slices)
    earlier_lines = [name.lineno for _, name in reads] + [use.lineno for use in uses]
    for node in (node for node in nodes if id(node) in cuts):
        line = getattr(node, "lineno", 0)
        if not any(earlier < line for earlier in earlier_lines):
            yield line


def _iterators(nodes: list[ast.AST], names: set[str]) -> Iterator[tuple[str, int]]:
    """The names of iterators over the messages with these names, each with the id of the node that
    it iterates over."""
    loops = [node for node in nodes if isinstance(node, syntax.LOOPS)]
    for node in nodes:
        match node:
            case ast.Assign(
                [ast.Name(name)], ast.Call(ast.Name("iter"), [ast.Name(source) as argument])
            ):
                other_loops = (
                    loop for loop in loops if all(inner is not argument for inner in ast.walk(loop))
                )
                if source in names and not any(
                    name in _advanced_iterators(loop) for loop in other_loops
                ):
                    yield name, id(argument)
            case _:
                pass


def _advanced_iterators(loop: ast.AST) -> set[str]:
    """The names of iterators that a loop advances with `next`."""
    return {
        name for call in syntax.calls(loop) if syntax.method_name(call) == "next"
        for argument in call.args[:1] for name in syntax.names_in(argument)
    }  # fmt: skip


def too_early(nodes: list[ast.AST], names: set[str]) -> Iterator[int]:
    """Yields the lines where a whole poll is committed after its first message and before the
    others."""
    names = names | {name for name, _ in _iterators(nodes, names)}
    for node in nodes:
        for block in (getattr(node, field, []) for field in ("body", "orelse")):
            yield from _early_commit(block, names) if isinstance(block, list) else ()


def _early_commit(block: list[ast.stmt], names: set[str]) -> Iterator[int]:
    """The line in a block of a commit that comes after the first message and before the others."""
    is_begun, line = False, 0
    for node in block:
        inner_nodes = [*ast.walk(node)]
        is_loop = isinstance(node, syntax.LOOPS) or any(
            isinstance(inner, ast.comprehension) for inner in inner_nodes
        )
        if line and any(
            isinstance(inner, ast.Name) and inner.id in names for inner in inner_nodes
        ) and (is_loop or any(map(_sliced, inner_nodes))):  # fmt: skip
            yield line
            return
        sources = (_sliced(inner) for inner in inner_nodes)
        takes_message = any(
            isinstance(source, ast.Name) and source.id in names for source in sources
        )
        is_begun = is_begun or (takes_message and isinstance(node, ast.Expr | ast.Assign))
        match node:
            case ast.Expr(value=ast.Call(args=[]) as call) if syntax.method_name(call) == "commit":
                line = call.lineno if is_begun and not syntax.commit_argument(call) else 0
            case _:
                pass


def _cut_name(node: ast.AST, names: set[str]) -> str:
    """The name from which a statement cuts messages off; empty for any other statement."""
    match node:
        case ast.Assign(targets=[ast.Name(name)], value=value) if name in names:
            sources = (_sliced(inner) for inner in ast.walk(value))
            matches = (
                inner for inner in sources if isinstance(inner, ast.Name) and inner.id == name
            )
            return name if any(True for _ in matches) else ""
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(name))]) if name in names:
            return name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(name), attr="pop"))):
            return name if name in names else ""
        case _:
            return ""


def _harmless_names(nodes: list[ast.AST]) -> set[int]:
    """The ids of names that are only checked, logged or extended."""
    harmless = set[int]()
    for node in nodes:
        if isinstance(node, ast.If | ast.While):
            harmless |= _emptiness_check(node.test)
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
            harmless |= _rebound_name(node)
    return harmless


def _rebound_name(node: ast.Assign) -> set[int]:
    """The ids of names that a statement only reorders or filters, as in `ms = sorted(ms)`."""
    match node:
        case ast.Assign(
            [ast.Name(name)], ast.ListComp(ast.Name(), [ast.comprehension(iter=source)])
        ):
            return {id(source)} if isinstance(source, ast.Name) and source.id == name else set()
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name(function), args=args)) if (
            function in _COPIES
        ):
            return {
                id(source) for source in args if isinstance(source, ast.Name) and source.id == name
            }
        case _:
            return set()


def _emptiness_check(test: ast.expr) -> set[int]:
    """The id of a name of which a condition only checks whether there is anything in it."""
    operand = test.operand if isinstance(test, ast.UnaryOp) else test
    value = operand.left if isinstance(operand, ast.Compare) else operand
    return {id(value)} if isinstance(value, ast.Name) else set()


def _sliced(node: ast.AST) -> ast.AST | None:
    """The expression of which one element or the first elements are taken; None for any other
    node."""
    if isinstance(node, ast.Subscript) and is_part(node.slice):
        return node.value
    if not isinstance(node, ast.Call) or not node.args:
        return None
    first, function = node.args[0], syntax.method_name(node)
    if function in ("islice", "next"):
        is_iter = (
            syntax.method_name(first) == "iter" and isinstance(first, ast.Call) and bool(first.args)
        )
        return first.args[0] if is_iter else first  # type: ignore[attr-defined]
    if function in _CHOOSING_FUNCTIONS:
        return node.args[-1] if function.startswith("n") else first
    if function == "zip" and isinstance(first, ast.Call) and syntax.method_name(first) == "range":
        return node.args[1] if isinstance(first.args[-1], ast.Constant) and node.args[1:] else None
    return None


def is_part(index: ast.expr) -> bool:
    """Whether an index selects one element, the elements before an index, or every second one."""
    if isinstance(index, ast.Slice):
        step = index.step and ast.unparse(index.step) not in ("1", "-1")
        from_start = index.lower is None or isinstance(index.lower, ast.Constant)
        return bool(step) or (from_start and not (index.lower is None and index.upper is None))
    value = index.operand if isinstance(index, ast.UnaryOp) else index
    return isinstance(value, ast.Constant) and isinstance(value.value, int)


def _head_and_rest(slices: Iterable[ast.AST]) -> bool:
    """Whether the slices are the head of a list and the rest of it: `ms[0]` and `ms[1:]`."""
    heads, tails = set[str](), set[str]()
    for node in slices:
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
