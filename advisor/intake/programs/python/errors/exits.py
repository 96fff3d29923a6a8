"""What a Python program with confluent-kafka leaves in its queue when it ends.

A producer that is gone takes what is queued with it. `flush()` waits for all of it; with a timeout
it returns how many messages are left (confluent-kafka, Producer.flush). `close()` and the end of a
`with` flush, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function


def unflushed_sends(
    tree: ast.Module, producers: set[str], sends: Iterable[ast.Call]
) -> Iterator[int]:
    """The lines where messages may be left: a `flush` with a timeout whose result nothing reads,
    and `sends` before the end of a program without any."""
    timed = [call for call in syntax.calls(tree) if syntax.method_name(call) == "flush"]
    unread = {id(call) for call in syntax.unused_values(tree)} | _only_printed(tree)
    if waits_for_queue(tree, producers) or any(id(call) not in unread for call in timed):
        return
    inside = {id(inner) for loop in syntax.nodes(tree) if isinstance(loop, ast.While | ast.For)
              for inner in ast.walk(loop)}  # fmt: skip
    straight = {id(node) for node in _straight(tree)}
    last = [call for call in timed if id(call) not in inside]
    yield from (call.lineno for call in last or sends if last or id(call) in straight)


def _only_printed(tree: ast.Module) -> set[int]:
    """What is only written of: it stands in such a call or condition, or its name does."""
    printed = syntax.log_only_nodes(tree)
    loads = [node for node in syntax.nodes(tree)
             if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]  # fmt: skip
    read = {node.id for node in loads if id(node) not in printed}
    names = {node.id for node in loads} - read
    return printed | {
        id(node.value) for node in syntax.nodes(tree)
        if isinstance(node, ast.Assign)
        and all(isinstance(target, ast.Name) and target.id in names for target in node.targets)
    }  # fmt: skip


def waits_for_queue(tree: ast.Module, producers: set[str]) -> bool:
    """Whether something waits for all that is queued."""
    if any(map(syntax.polls_until_condition, syntax.nodes(tree))):
        return True
    called = {id(call.func) for call in syntax.calls(tree)}
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Call):
            whose, name = syntax.receiver(node), syntax.method_name(node)
            counts = name == "len" and any(ast.unparse(given) in producers for given in node.args)
            closes = name == "close" and whose in producers
            if counts or closes or syntax.waits_for_all(node):
                return True
        elif isinstance(node, ast.Attribute) and node.attr in ("flush", "close"):
            if id(node) not in called and ast.unparse(node.value) in producers:
                return True  # handed on, to `atexit.register` for one
        elif isinstance(node, ast.withitem) and syntax.method_name(node.context_expr).endswith(
            "Producer"
        ):
            return True
    return False


def _straight(tree: ast.Module) -> Iterator[ast.AST]:
    """What runs between the start of a program and its end, but for endless loops."""
    functions = {node.name: node for node in syntax.nodes(tree) if isinstance(node, Function)}
    todo: list[ast.AST] = [*tree.body]
    if not any(map(_keeps_on, syntax.nodes(tree))):
        threads = [functions[name] for name in daemon_functions(tree) & functions.keys()]
        todo += [inner for one in threads for inner in ast.walk(one) if inner is not one]
    done = set[str]()
    while todo:
        node = todo.pop()
        if isinstance(node, Function | ast.ClassDef | ast.Lambda) or _is_endless(node):
            continue
        yield node
        todo += ast.iter_child_nodes(node)
        name = syntax.method_name(node)
        if name in functions and name not in done:
            done.add(name)
            todo += functions[name].body


def _keeps_on(node: ast.AST) -> bool:
    """Whether this may keep a program going whose threads end with it."""
    waits = ("join", "run", "serve_forever", "run_forever", "pause", "wait", "run_until_complete")
    is_main = isinstance(node, ast.Module) and any(map(_is_endless, node.body))
    return is_main or syntax.method_name(node) in waits


def daemon_functions(tree: ast.Module) -> set[str]:
    """The functions that run in threads which end with the program (threading, daemon)."""
    marked = {ast.unparse(target.value) for node in syntax.nodes(tree)
              if isinstance(node, ast.Assign) and ast.unparse(node.value) == "True"
              for target in node.targets
              if isinstance(target, ast.Attribute) and target.attr == "daemon"}  # fmt: skip
    found = set[str]()
    for node in syntax.nodes(tree):
        call = node.value if isinstance(node, ast.Assign) else node
        if not isinstance(call, ast.Call) or syntax.method_name(call) not in ("Thread", "Process"):
            continue
        named = {word.arg: ast.unparse(word.value) for word in call.keywords}
        names = {*map(ast.unparse, node.targets)} if isinstance(node, ast.Assign) else set[str]()
        if named.get("daemon") == "True" or names & marked:
            found.add(named.get("target", "").rpartition(".")[2])
    return found


def daemon_arguments(tree: ast.Module) -> set[int]:
    """What is given to such threads."""
    return {id(value) for call in syntax.calls(tree) if syntax.method_name(call) == "Thread"
            and any(word.arg == "daemon" and ast.unparse(word.value) == "True"
                    for word in call.keywords)
            for value in call.keywords}  # fmt: skip


def _is_endless(node: ast.AST) -> bool:
    """Whether this is a loop that only an error or a signal ends."""
    forever = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    return forever and not any(isinstance(inner, ast.Break) for inner in ast.walk(node))
