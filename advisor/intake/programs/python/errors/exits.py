"""Messages that a Python program with confluent-kafka leaves in its producer's queue when it ends.

Messages in the queue are lost with their producer. `flush()` waits for all of them; with a timeout
it returns the number of messages that remain (confluent-kafka, Producer.flush). `close()` and the
end of a `with` block flush, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function


def unflushed_sends(
    tree: ast.Module, producers: set[str], sends: Iterable[ast.Call]
) -> Iterator[int]:
    """Yields the lines where messages may remain in the queue: a `flush` with a timeout whose
    result is not read, and `sends` before the end of a program without a `flush`."""
    timed = [call for call in syntax.calls(tree) if syntax.method_name(call) == "flush"]
    unread = {id(call) for call in syntax.unused_values(tree)} | _only_logged(tree)
    if waits_for_queue(tree, producers) or any(id(call) not in unread for call in timed):
        return
    in_loops = {id(inner) for loop in syntax.nodes(tree) if isinstance(loop, ast.While | ast.For)
                for inner in ast.walk(loop)}  # fmt: skip
    on_main_path = {id(node) for node in _main_path(tree)}
    final_flushes = [call for call in timed if id(call) not in in_loops]
    yield from (
        call.lineno for call in final_flushes or sends if final_flushes or id(call) in on_main_path
    )


def _only_logged(tree: ast.Module) -> set[int]:
    """The `id`s of values that are only logged: they are in a log call or its condition, or
    assigned to a name that is."""
    logged = syntax.log_only_nodes(tree)
    loads = [node for node in syntax.nodes(tree)
             if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]  # fmt: skip
    read = {node.id for node in loads if id(node) not in logged}
    names = {node.id for node in loads} - read
    return logged | {
        id(node.value) for node in syntax.nodes(tree)
        if isinstance(node, ast.Assign)
        and all(isinstance(target, ast.Name) and target.id in names for target in node.targets)
    }  # fmt: skip


def waits_for_queue(tree: ast.Module, producers: set[str]) -> bool:
    """Whether the program waits for all messages in the queue."""
    if any(map(syntax.polls_until_condition, syntax.nodes(tree))):
        return True
    called = {id(call.func) for call in syntax.calls(tree)}
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Call):
            target, name = syntax.receiver(node), syntax.method_name(node)
            checks_length = name == "len" and any(
                ast.unparse(argument) in producers for argument in node.args
            )
            closes = name == "close" and target in producers
            if checks_length or closes or syntax.waits_for_all(node):
                return True
        elif isinstance(node, ast.Attribute) and node.attr in ("flush", "close"):
            if id(node) not in called and ast.unparse(node.value) in producers:
                return True  # passed to a function, such as `atexit.register`
        elif isinstance(node, ast.withitem) and syntax.method_name(node.context_expr).endswith(
            "Producer"
        ):
            return True
    return False


def _main_path(tree: ast.Module) -> Iterator[ast.AST]:
    """Yields the nodes that run between the start of a program and its end, without endless
    loops."""
    functions = {node.name: node for node in syntax.nodes(tree) if isinstance(node, Function)}
    pending: list[ast.AST] = [*tree.body]
    if not any(map(_keeps_alive, syntax.nodes(tree))):
        threads = [functions[name] for name in daemon_functions(tree) & functions.keys()]
        pending += [
            inner for function in threads for inner in ast.walk(function) if inner is not function
        ]
    visited = set[str]()
    while pending:
        node = pending.pop()
        if isinstance(node, Function | ast.ClassDef | ast.Lambda) or _is_endless(node):
            continue
        yield node
        pending += ast.iter_child_nodes(node)
        name = syntax.method_name(node)
        if name in functions and name not in visited:
            visited.add(name)
            pending += functions[name].body


def _keeps_alive(node: ast.AST) -> bool:
    """Whether a node may keep a program running that otherwise ends with its daemon threads."""
    waits = ("join", "run", "serve_forever", "run_forever", "pause", "wait", "run_until_complete")
    is_main = isinstance(node, ast.Module) and any(map(_is_endless, node.body))
    return is_main or syntax.method_name(node) in waits


def daemon_functions(tree: ast.Module) -> set[str]:
    """The names of the functions that run in daemon threads, which end with the program
    (threading)."""
    marked = {ast.unparse(target.value) for node in syntax.nodes(tree)
              if isinstance(node, ast.Assign) and ast.unparse(node.value) == "True"
              for target in node.targets
              if isinstance(target, ast.Attribute) and target.attr == "daemon"}  # fmt: skip
    functions = set[str]()
    for node in syntax.nodes(tree):
        call = node.value if isinstance(node, ast.Assign) else node
        if not isinstance(call, ast.Call) or syntax.method_name(call) not in ("Thread", "Process"):
            continue
        keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        names = {*map(ast.unparse, node.targets)} if isinstance(node, ast.Assign) else set[str]()
        if keywords.get("daemon") == "True" or names & marked:
            functions.add(keywords.get("target", "").rpartition(".")[2])
    return functions


def daemon_arguments(tree: ast.Module) -> set[int]:
    """The `id`s of the arguments of daemon threads."""
    return {id(value) for call in syntax.calls(tree) if syntax.method_name(call) == "Thread"
            and any(keyword.arg == "daemon" and ast.unparse(keyword.value) == "True"
                    for keyword in call.keywords)
            for value in call.keywords}  # fmt: skip


def _is_endless(node: ast.AST) -> bool:
    """Whether a node is a loop that only an error or a signal ends."""
    forever = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    return forever and not any(isinstance(inner, ast.Break) for inner in ast.walk(node))
