"""The functions of a Python program, inlined into its loops and its batch functions of Spark.

`match` becomes conditions, and a block whose context changes nothing loses its `with`. If the
`else` of a condition raises, the body of the condition moves after it. All that a program does with
a message is then in one block, whatever its functions.

Nodes keep the lines of their source.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Sequence
from itertools import islice

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.normal_form.aliases import bound_arguments
from advisor.intake.programs.python.normal_form.matches import conditions

_MAX_DEPTH, _MAX_CALLS, _MAX_NODES, _MAX_RETURNS = 3, 60, 400, 12
_TRANSPARENT_CONTEXT = re.compile(
    r"(?i)[\w.]*(?:lock|mutex|semaphore|span|tracer|timer|nullcontext|exitstack|contextvars"
    r"|logger_name|track_inprogress)\w*(?:\.\w+)*|[\w.]+\.time"
)
"""Locks, traces, timers and log contexts."""
_BATCH_METHODS = frozenset({"foreachBatch", "foreach", "foreachPartition"})
"""Methods of Spark that call a function for each batch, row or partition."""
_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
_REWRITTEN = ast.FunctionDef | ast.AsyncFunctionDef | ast.With | ast.AsyncWith | ast.Try | ast.Match
_NOT_INLINED = ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal | _SCOPES


def inlined(tree: ast.Module) -> ast.Module:
    """Returns the program with its functions inlined and its statements rewritten."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, _REWRITTEN)]
    if not nodes:
        return tree
    functions_by_name = dict[str, list[Function]]()
    for node in nodes:
        if isinstance(node, Function):
            functions_by_name.setdefault(node.name, []).append(node)
    unique_functions = {
        name: namesakes[0] for name, namesakes in functions_by_name.items() if len(namesakes) == 1
    }
    batch_functions = {ast.unparse(call.args[0]).rpartition(".")[2] for call in syntax.calls(tree)
                       if syntax.method_name(call) in _BATCH_METHODS and call.args}  # fmt: skip
    inlining = _Inlining(unique_functions, batch_functions)
    rewritten: ast.Module = inlining.visit(tree)
    names = inlining.inlined_names
    return _without_uncalled(rewritten, names) if names else rewritten


def _without_uncalled(tree: ast.Module, inlined_names: set[str]) -> ast.Module:
    """The program without the inlined functions that nothing refers to any more."""
    for _ in range(_MAX_DEPTH):
        nodes = [*ast.walk(tree)]
        used_names = {node.id for node in nodes if isinstance(node, ast.Name)}
        fields = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            unused_names = inlined_names - used_names - (set() if node is tree else fields)
            for field in ("body", "orelse"):
                block = getattr(node, field, None)
                if unused_names and isinstance(block, list) and block:
                    remaining = [
                        inner for inner in block if getattr(inner, "name", "") not in unused_names
                    ]
                    setattr(node, field, remaining or [ast.Pass()])
    return tree


class _Inlining(ast.NodeTransformer):
    def __init__(self, functions: dict[str, Function], batch_functions: set[str]) -> None:
        self._functions, self._batch_functions = functions, batch_functions
        self._loops = self._depth = self._inlined_calls = 0
        self.inlined_names = set[str]()
        """The names of the functions that were inlined."""

    def _loop(self, node: ast.AST) -> ast.AST:
        self._loops += 1
        self.generic_visit(node)
        self._loops -= 1
        return node

    visit_For = visit_AsyncFor = visit_While = _loop

    def _scope(self, node: ast.AST) -> ast.AST:
        loops, self._loops = self._loops, int(getattr(node, "name", "") in self._batch_functions)
        self.generic_visit(node)
        self._loops = loops
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _scope

    def _block(self, node: ast.With | ast.AsyncWith) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        heads = [_context_name(item.context_expr) for item in node.items]
        return node.body if all(map(_TRANSPARENT_CONTEXT.fullmatch, heads)) else node

    visit_With = visit_AsyncWith = _block

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        rethrows = all(map(_rethrows, node.handlers))
        only_logs = syntax.only_logs_and_continues(node.finalbody, _never, in_function=False)
        jumps = any(isinstance(last, ast.Continue) for last in node.finalbody)
        return [*node.body, *node.orelse] if rethrows and only_logs and not jumps else node

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return conditions(node) or node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        return self._with_results_first(node) or self._inlined_call(node, ())

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self._with_results_first(node) or self._inlined_call(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        return self._with_results_first(node) or self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        following = list[ast.stmt]()
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.Raise):
            following, node.body, node.orelse = node.body, node.orelse, []
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        statements = self._with_results_first(node) or _statements(self._live_branch(node))
        visited = (inner for node in following for inner in _statements(self.visit(node)))
        return [*statements, *visited]

    def _live_branch(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """A condition, or the only branch that can run if the condition is constant."""
        match node.test:
            case ast.Constant(value) | ast.UnaryOp(ast.Not(), ast.Constant(value)):
                is_negated = isinstance(node.test, ast.UnaryOp)
                body = node.body if bool(value) is not is_negated else node.orelse
                return self._rewritten(body) or ast.copy_location(ast.Pass(), node)
            case _:
                return self.generic_visit(node)

    def _with_results_first(
        self, node: ast.Expr | ast.Assign | ast.AugAssign | ast.If
    ) -> list[ast.stmt]:
        """The bodies of the functions that are called in the value or the condition of a statement,
        followed by the statement; an empty list if there are none."""
        if not self._loops or self._depth >= _MAX_DEPTH or self._inlined_calls >= _MAX_CALLS:
            return []
        result_names = _ResultNames(self._function, self._inlined_calls)
        if isinstance(node, ast.If):
            node.test = result_names.visit(node.test)
        elif not isinstance(node, ast.AugAssign) and (
            isinstance(node.value, ast.Await) or self._is_local_call(node.value)
        ):
            result_names.generic_visit(getattr(node.value, "value", node.value))
        else:
            node.value = result_names.visit(node.value)
        if not result_names.inlined_names:
            return []
        self.inlined_names |= result_names.inlined_names
        self._inlined_calls = result_names.number
        return [*self._rewritten(result_names.statements), *_statements(self.visit(node))]

    def _is_local_call(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and self._function(value) is not None

    def _rewritten(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        self._depth += 1
        rewritten = [inner for statement in body for inner in _statements(self.visit(statement))]
        self._depth -= 1
        return rewritten

    def _inlined_call(
        self, node: ast.Expr | ast.Assign, targets: Sequence[ast.expr]
    ) -> ast.AST | list[ast.stmt]:
        """The body of the function that a statement calls. Its last statement assigns the result to
        the targets."""
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        body = None
        is_followed = self._loops and self._depth < _MAX_DEPTH and self._inlined_calls < _MAX_CALLS
        if is_followed and isinstance(call, ast.Call) and (function := self._function(call)):
            is_awaited = call is not node.value
            if not targets or _has_single_return(function):
                body = _inlined_body(call, function, targets, is_awaited=is_awaited)
        if body is None:
            self.generic_visit(node)
            return node
        self.inlined_names.add(_called_name(call))  # type: ignore[arg-type]
        self._inlined_calls += 1
        return self._rewritten(body)

    def _function(self, call: ast.Call) -> Function | None:
        """The function of the file that a call refers to."""
        return self._functions.get(_called_name(call))


class _ResultNames(ast.NodeTransformer):
    """Gives names to the results of functions that are called within a value."""

    def __init__(self, function: Callable[[ast.Call], Function | None], number: int) -> None:
        self._function, self.number = function, number
        self.inlined_names, self.statements = set[str](), list[ast.stmt]()

    def _unchanged(self, node: ast.AST) -> ast.AST:
        return node  # its expressions may be evaluated several times, or never

    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _unchanged
    visit_BoolOp = visit_IfExp = visit_NamedExpr = _unchanged

    def visit_Await(self, node: ast.Await) -> ast.AST:
        if isinstance(node.value, ast.Call):
            self.generic_visit(node.value)
            return self._name(node.value, node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return self._name(node, node)

    def _name(self, call: ast.Call, node: ast.expr) -> ast.expr:
        function = self._function(call)
        if function is None or not _has_single_return(function) or self.number >= _MAX_CALLS:
            return node
        name = f"{function.name}_{self.number}"
        target = ast.copy_location(ast.Name(name, ast.Store()), node)
        body = _inlined_body(call, function, [target], is_awaited=call is not node)
        if body is None:
            return node
        self.statements += body
        self.inlined_names.add(function.name)
        self.number += 1
        last = getattr(function.body[-1], "value", None)
        value = last if isinstance(last, ast.Constant) else ast.Name(name, ast.Load())
        return ast.copy_location(copy.copy(value), node)


def _called_name(call: ast.Call) -> str:
    """The name of the function of the file that a call may refer to."""
    match call.func:
        case ast.Name(name) | ast.Attribute(value=ast.Name("self"), attr=name):
            return name
        case _:
            return ""


def _never(_: ast.Call) -> bool:
    return False


def _statements(result: ast.AST | list[ast.stmt] | None) -> list[ast.stmt]:
    if isinstance(result, list):
        return result
    return [result] if isinstance(result, ast.stmt) else []


def _context_name(node: ast.expr) -> str:
    """The call that creates a context, without its arguments."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)[:200]


def _rethrows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler at most logs an error, and raises it or another one."""
    *statements, last = handler.body
    return isinstance(last, ast.Raise) and syntax.only_logs_and_continues(
        statements, _never, in_function=False
    )


def _has_single_return(function: Function) -> bool:
    """Whether the last statement of a function is its only `return`, and has a value."""
    last = function.body[-1]
    returns = sum(isinstance(inner, ast.Return) for inner in ast.walk(function))
    return isinstance(last, ast.Return) and last.value is not None and returns == 1


def _inlined_body(
    call: ast.Call, function: Function, targets: Sequence[ast.expr], *, is_awaited: bool
) -> list[ast.stmt] | None:
    """The statements that replace a call and assign its result to the targets; None if they would
    not be equivalent."""
    nodes = [*islice(ast.walk(function), _MAX_NODES + 1)]
    arguments = _arguments(call, function) if _can_be_inlined(function, nodes) else None
    if arguments is None or is_awaited != isinstance(function, ast.AsyncFunctionDef):
        return None
    last = function.body[-1]
    result = last.value if targets and isinstance(last, ast.Return) else None
    body = without_returns(copy.deepcopy(function.body[:-1] if result else function.body))
    if body is None:
        return None
    stored = {node.id for node in nodes if isinstance(node, ast.Name)
              and isinstance(node.ctx, ast.Store)}  # fmt: skip
    names, assignments = dict[str, str](), list[ast.stmt]()
    for name, argument in arguments:
        if isinstance(argument, ast.Name) and name not in stored:
            names[name] = argument.id
        else:
            target = ast.Name(name, ast.Store())
            assignments.append(ast.copy_location(ast.Assign([target], argument), call))
    result_assignments = list[ast.stmt]()
    match result, targets:
        case ast.Name(id=local), [ast.Name(id=name)] if local in stored:
            names[local] = name
        case ast.expr(), _:
            renamed = _Renaming(names).visit(copy.deepcopy(result))
            result_assignments = [ast.copy_location(ast.Assign([*targets], renamed), last)]
        case _:
            pass
    body = [_Renaming(names).visit(node) for node in body]
    return [*map(ast.fix_missing_locations, [*assignments, *body, *result_assignments])]


def _can_be_inlined(function: Function, nodes: Sequence[ast.AST]) -> bool:
    """Whether a function is short and simple enough to be inlined; `nodes` are all the nodes in
    it."""
    is_unsupported = function.decorator_list or function.args.vararg or function.args.kwarg
    if is_unsupported or len(nodes) > _MAX_NODES:
        return False
    if sum(isinstance(node, ast.Return) for node in nodes) > _MAX_RETURNS:
        return False
    if any(isinstance(node, _NOT_INLINED) for node in nodes if node is not function):
        return False
    return not any(
        isinstance(node, ast.Call) and _called_name(node) == function.name for node in nodes
    )


def _arguments(call: ast.Call, function: Function) -> list[tuple[str, ast.expr]] | None:
    """The parameters of a function with the arguments of a call; None if they are not certain."""
    names = [name for name in parameters(function) if name not in syntax.OWN]
    arguments = dict(bound_arguments(call, function))
    defaults = function.args.defaults
    default_values = dict(zip(names[len(names) - len(defaults) :], defaults, strict=False))
    if any(isinstance(value, ast.Starred) for value in call.args) or len(call.args) > len(names):
        return None
    pairs = [(name, arguments.get(name, default_values.get(name))) for name in names]
    bound = [(name, value) for name, value in pairs if value is not None]
    return bound if len(bound) == len(names) and arguments.keys() <= set(names) else None


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node


def without_returns(body: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """Returns the body of a function without `return` statements; None if a statement other than a
    condition, a `try` or a final `with` contains one."""
    statements = list[ast.stmt]()
    for index, node in enumerate(body):
        rest = [*body[index + 1 :]]
        if isinstance(node, ast.Return):
            has_effect = node.value and (
                isinstance(node.value, ast.Attribute) or any(syntax.calls(node.value))
            )
            value = (
                ast.copy_location(ast.Expr(node.value), node) if has_effect and node.value else None
            )
            return [*statements, value or ast.copy_location(ast.Pass(), node)]
        if not _returns(node):
            statements.append(node)
            continue
        rewritten = _without_returns_inside(node, rest)
        return [*statements, rewritten] if rewritten else None
    return statements or [ast.Pass()]


def _without_returns_inside(node: ast.stmt, rest: list[ast.stmt]) -> ast.stmt | None:
    """A statement in which some branches return, with the statements that follow it moved into the
    one branch that does not."""
    match node:
        case ast.If(body=body, orelse=other):
            blocks = _branches_with_rest([body, other], rest)
            if blocks is None:
                return None
            node.body, node.orelse = blocks
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=[]):
            following = [*orelse, *rest]
            if following and any(_returns(inner) for inner in body[:-1]):
                return None
            branches = [[] if _ends(body) else orelse, *(handler.body for handler in handlers)]
            if _ends(body):
                rewritten = _branches_with_rest([body, *branches[1:]], rest)
                blocks = [rewritten[0], [], *rewritten[1:]] if rewritten else None
            else:
                rewritten = _branches_with_rest(branches, rest)
                attempt = without_returns(body)
                blocks = [attempt, *rewritten] if rewritten and attempt else None
            if blocks is None:
                return None
            node.body, node.orelse = blocks[:2]
            for handler, block in zip(handlers, blocks[2:], strict=True):
                handler.body = block
        case ast.With(body=body) | ast.AsyncWith(body=body) if not rest:
            inner = without_returns(body)
            if inner is None:
                return None
            node.body = inner
        case _:
            return None
    return node


def _branches_with_rest(
    branches: Sequence[list[ast.stmt]], rest: list[ast.stmt]
) -> list[list[ast.stmt]] | None:
    """Alternative blocks without `return` statements. The rest of the function moves into the one
    block that does not end it; None if there are several."""
    if rest and sum(not _ends(branch) for branch in branches) > 1:
        return None
    blocks = [
        without_returns(branch if _ends(branch) else [*branch, *rest]) if branch or rest else []
        for branch in branches
    ]
    return None if any(branch is None for branch in blocks) else [branch or [] for branch in blocks]


def _returns(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Return) for inner in ast.walk(node))


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a block ends its function."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise)
