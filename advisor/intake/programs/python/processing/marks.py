"""Messages that a Python program marks as done before it processes them:
`if not redis.set(key, 1, nx=True): continue`, then `save(m)`.

If the processing fails or the program dies, the mark remains in the store, and the message that is
delivered again is skipped. The calls are those of Redis and of Django's cache.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.intake.programs.python import syntax

_CLAIMS = frozenset({"setnx", "hsetnx", "sadd"})
"""Calls that store a mark and return whether it is new."""
_CHECKS = frozenset({"exists", "hexists", "sismember"})
_WRITES = frozenset({"set", "setex", "hset", "sadd"})
_JUMPS = ast.Continue | ast.Return | ast.Break
_TRIES_AGAIN = frozenset({"seek"})
_HARMLESS = frozenset({"expire", "pexpire"}) | _TRIES_AGAIN
"""Calls that say how long a mark is kept, or have a message delivered again."""


def marks_before_processing(tree: ast.AST) -> Iterator[int]:
    """The lines of the conditions that skip a marked message, where it is marked before it is
    processed. The mark may also be stored by a function that returns whether it is new."""
    names = {
        node.name for node in syntax.nodes(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _returns_claim(node)
    }  # fmt: skip
    for node in syntax.nodes(tree):
        if any(_claims(condition, names) for condition in _filters(node)):
            yield getattr(node, "lineno", 1)
        for block in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            if isinstance(block, list):
                yield from _in_block(block, names)


def _filters(node: ast.AST) -> list[ast.expr]:
    """The conditions of a comprehension or of `filter`."""
    match node:
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return [condition for part in node.generators for condition in part.ifs]
        case ast.Call(func=ast.Name(id="filter"), args=[function, *_]):
            return [function]
        case _:
            return []


def _in_block(block: Sequence[ast.stmt], claiming: set[str]) -> Iterator[int]:
    claimed = set[str]()
    for number, node in enumerate(block):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _claims(value, claiming):
                claimed.add(name)
            case ast.If(test=test):
                is_claim = bool(_claims(test, claiming) or syntax.names_in(test) & claimed)
                if (is_claim or _stores_asked(test)) and any(
                    (is_claim and _processes(guarded)) or _marks_first(test, guarded)
                    for guarded in _guarded(node, block[number + 1 :])
                ):
                    yield node.lineno
            case _:
                pass


def _claims(node: ast.AST, claiming: set[str]) -> bool:
    """Whether an expression has a call that stores a mark and returns whether it is new."""
    return any(map(_is_claim, syntax.calls(node))) or any(
        syntax.method_name(call) in claiming for call in syntax.calls(node)
    )


def _is_claim(call: ast.Call) -> bool:
    name = syntax.method_name(call)
    is_new = any(word.arg == "nx" and getattr(word.value, "value", True) for word in call.keywords)
    in_cache = name == "add" and "cache" in syntax.receiver(call).lower()
    return name in _CLAIMS or in_cache or (name == "set" and is_new)


def _returns_claim(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    returned = [
        node.value for node in syntax.own_nodes(ast.Module(function.body, []))
        if isinstance(node, ast.Return) and node.value
    ]  # fmt: skip
    return any(_claims(value, set()) for value in returned)


def _guarded(node: ast.If, after: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """The code that runs for new messages only: what the condition guards, and what follows if
    that ends the round; nothing if the other messages are tried again."""
    if _tries_again(node.body) or _tries_again(node.orelse):
        return
    if not isinstance(node.body[-1], _JUMPS):
        yield node.body
    elif not _tries_again(after):
        yield from (node.body, after)


def _tries_again(body: Sequence[ast.stmt]) -> bool:
    """Whether code does nothing but have a message delivered again. A message whose processing
    fails is delivered again, too, but is marked by then."""
    rest = [node for node in body if not isinstance(node, ast.Raise)]
    seeks = any(syntax.method_name(call) in _TRIES_AGAIN for node in body
                for call in syntax.calls(node))  # fmt: skip
    return (seeks or len(rest) < len(body)) and not _processes(rest)


def _processes(body: Sequence[ast.stmt]) -> bool:
    return not syntax.only_logs_and_continues(
        body, lambda call: syntax.is_commit(call) or syntax.method_name(call) in _HARMLESS,
        in_function=True,
    )  # fmt: skip


def _marks_first(test: ast.expr, guarded: Sequence[ast.stmt]) -> bool:
    """Whether a message without a mark is first marked, and then processed."""
    stores = _stores_asked(test)
    for number, node in enumerate(guarded if stores else ()):
        if not _processes([node]):
            continue
        call = node.value if isinstance(node, ast.Expr) else None
        call = call.value if isinstance(call, ast.Await) else call
        if not isinstance(call, ast.Call) or syntax.method_name(call) not in _WRITES:
            return False
        return syntax.receiver(call) in stores and _processes(guarded[number + 1 :])
    return False


def _stores_asked(test: ast.expr) -> set[str]:
    """The stores that a condition asks for a mark."""
    return {
        syntax.receiver(call) for call in syntax.calls(test)
        if syntax.method_name(call) in _CHECKS
    }  # fmt: skip
