"""Lambdas and method references of variables, and lambdas that are given each of some, rewritten
with a body in braces: `Runnable ack = () -> c.commitSync();`, `Runnable ack = c::commitSync;` and
`rs.forEach(r -> save(r));`.

Lines stay as they are. A function with braces is followed where it is called.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import closing_bracket, spliced, without_literals

_REACH, _MOST = 2_000, 200
_LAMBDA = re.compile(r"(?<![=!<>])=\s*(?:\([^()]{0,200}\)|\w+)\s*->\s*+(?!\{)")
_REFERENCE = re.compile(
    r"(?<![=!<>])=\s*(?P<of>(?:\w+\s*\.\s*){0,3}\w+)\s*::\s*(?P<name>\w+)\s*(?=[;\n])"
)
_OF_EACH = re.compile(
    r"\.\s*for[Ee]ach\w*\s*\(\s*(?:\(\s*\w+(?:\s*,\s*\w+)?\s*\)|\w+)\s*(?:->|=>)\s*+(?!\{)"
)
_NO_ARGUMENT = re.compile(r"commit(?:Sync|Async)|close|flush|commit")


def with_braces(code: str) -> str:
    """The same program with braces around such functions."""
    plain, changes = without_literals(code), list[tuple[int, int, str]]()
    for match in islice(_REFERENCE.finditer(plain), _MOST):
        given = "" if _NO_ARGUMENT.fullmatch(match["name"]) else "it"
        made = f"= {given or '()'} -> {{ {match['of']}.{match['name']}({given}); }}"
        changes.append((*match.span(), made + "\n" * code.count("\n", *match.span())))
    for match in islice(_LAMBDA.finditer(plain), _MOST):
        if (end := _end(plain, match.end())) > 0:
            changes += [(match.end(), match.end(), "{ "), (end, end, "; }")]
    for match in islice(_OF_EACH.finditer(plain), _MOST):
        if (end := closing_bracket(plain, match.end(), _REACH) - 1) > match.end():
            changes += [(match.end(), match.end(), "{ "), (end, end, "; }")]
    return spliced(code, sorted(changes))


def _end(plain: str, at: int) -> int:
    """Where the statement ends that an expression at a place is in; 0 if it does not."""
    depth = 0
    for here in range(at, min(len(plain), at + _REACH)):
        depth += (plain[here] in "([{") - (plain[here] in ")]}")
        if depth < 0:
            return 0
        if depth == 0 and plain[here] == ";":
            return here
    return 0
