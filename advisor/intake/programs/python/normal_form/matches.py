"""`match` of a Python program as the conditions that it stands for (The Python Language Reference,
8.6)."""

from __future__ import annotations

import ast
import copy

from advisor.intake.programs.python import syntax

_MOST = 20
"""Cases that are followed: each is an `if` in the other."""


def conditions(node: ast.Match) -> list[ast.stmt] | None:
    """The same as `if` and `else`; None where a pattern takes a value apart, or what is matched is
    more than read."""
    if len(node.cases) > _MOST or not all(map(syntax.only_parses, syntax.calls(node.subject))):
        return None
    chain = list[ast.stmt]()
    for case in reversed(node.cases):
        body = list(case.body)
        name = case.pattern.name if isinstance(case.pattern, ast.MatchAs) else None
        if name:
            given = ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(node.subject))
            body.insert(0, ast.copy_location(given, case.pattern))
        test = _test(node.subject, case.pattern)
        if test is None:
            return None
        if case.guard:
            test = ast.BoolOp(ast.And(), [test, case.guard])
        is_any = isinstance(test, ast.Constant)
        chain = body if is_any else [ast.copy_location(ast.If(test, body, chain), case.pattern)]
    return [ast.fix_missing_locations(part) for part in chain]


def _test(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """The condition that a value fits a pattern; a constant where every value does."""
    value = copy.deepcopy(subject)
    match pattern:
        case ast.MatchAs(pattern=None):
            return ast.Constant(True)
        case ast.MatchValue(value=other):
            return ast.Compare(value, [ast.Eq()], [other])
        case ast.MatchSingleton(value=single):
            return ast.Compare(value, [ast.Is()], [ast.Constant(single)])
        case ast.MatchClass(cls=kind, patterns=[], kwd_patterns=[]):
            return ast.Call(ast.Name("isinstance", ast.Load()), [value, kind], [])
        case ast.MatchOr(patterns=patterns):
            tests = [test for other in patterns if (test := _test(subject, other))]
            return ast.BoolOp(ast.Or(), tests) if len(tests) == len(patterns) else None
        case _:
            return None
