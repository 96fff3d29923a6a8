"""`match` of a Python program as the equivalent conditions (The Python Language Reference, 8.6)."""

from __future__ import annotations

import ast
import copy

from advisor.intake.programs.python import syntax

_MAX_CASES = 20
"""The number of cases that are followed: each is an `if` nested in the one before."""


def conditions(node: ast.Match) -> list[ast.stmt] | None:
    """Returns the equivalent `if` and `else` statements; None if a pattern destructures its value,
    or if the subject is more than a read."""
    if len(node.cases) > _MAX_CASES or not all(map(syntax.only_parses, syntax.calls(node.subject))):
        return None
    chain = list[ast.stmt]()
    for case in reversed(node.cases):
        body = list(case.body)
        name = case.pattern.name if isinstance(case.pattern, ast.MatchAs) else None
        if name:
            assignment = ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(node.subject))
            body.insert(0, ast.copy_location(assignment, case.pattern))
        test = _test(node.subject, case.pattern)
        if test is None:
            return None
        if case.guard:
            test = ast.BoolOp(ast.And(), [test, case.guard])
        matches_all = isinstance(test, ast.Constant)
        chain = (
            body if matches_all else [ast.copy_location(ast.If(test, body, chain), case.pattern)]
        )
    return [ast.fix_missing_locations(statement) for statement in chain]


def _test(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """The condition under which a value matches a pattern; a constant if every value does."""
    value = copy.deepcopy(subject)
    match pattern:
        case ast.MatchAs(pattern=None):
            return ast.Constant(True)
        case ast.MatchValue(value=other):
            return ast.Compare(value, [ast.Eq()], [other])
        case ast.MatchSingleton(value=single):
            return ast.Compare(value, [ast.Is()], [ast.Constant(single)])
        case ast.MatchClass(cls=class_, patterns=[], kwd_patterns=[]):
            return ast.Call(ast.Name("isinstance", ast.Load()), [value, class_], [])
        case ast.MatchOr(patterns=patterns):
            tests = [test for other in patterns if (test := _test(subject, other))]
            return ast.BoolOp(ast.Or(), tests) if len(tests) == len(patterns) else None
        case _:
            return None
