"""Braces around the bodies of lambdas and method references that a variable holds, and of lambdas
passed to `forEach`: `Runnable ack = () -> c.commitSync();`, `Runnable ack = c::commitSync;` and
`rs.forEach(r -> save(r));`.

The readers follow the calls of a function only if its body has braces. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import closing_bracket, spliced, without_literals

_REACH, _MOST_MATCHES = 2_000, 200
_LAMBDA = re.compile(r"(?<![=!<>])=\s*(?:\([^()]{0,200}\)|\w+)\s*->\s*+(?!\{)")
_REFERENCE = re.compile(
    r"(?<![=!<>])=\s*(?P<receiver>(?:\w+\s*\.\s*){0,3}\w+)\s*::\s*(?P<name>\w+)\s*(?=[;\n])"
)
_FOR_EACH_LAMBDA = re.compile(
    r"\.\s*for[Ee]ach\w*\s*\(\s*(?:\(\s*\w+(?:\s*,\s*\w+)?\s*\)|\w+)\s*(?:->|=>)\s*+(?!\{)"
)
_NO_ARGUMENT = re.compile(r"commit(?:Sync|Async)|close|flush|commit")


def with_lambda_braces(code: str) -> str:
    """Returns the program with braces around the bodies of such functions."""
    plain, changes = without_literals(code), list[tuple[int, int, str]]()
    for match in islice(_REFERENCE.finditer(plain), _MOST_MATCHES):
        argument = "" if _NO_ARGUMENT.fullmatch(match["name"]) else "it"
        replacement = (
            f"= {argument or '()'} -> {{ {match['receiver']}.{match['name']}({argument}); }}"
        )
        changes.append((*match.span(), replacement + "\n" * code.count("\n", *match.span())))
    for match in islice(_LAMBDA.finditer(plain), _MOST_MATCHES):
        if (end := _statement_end(plain, match.end())) > 0:
            changes += [(match.end(), match.end(), "{ "), (end, end, "; }")]
    for match in islice(_FOR_EACH_LAMBDA.finditer(plain), _MOST_MATCHES):
        if (end := closing_bracket(plain, match.end(), _REACH) - 1) > match.end():
            changes += [(match.end(), match.end(), "{ "), (end, end, "; }")]
    return spliced(code, sorted(changes))


def _statement_end(plain: str, at: int) -> int:
    """Returns the end of the statement that contains the expression at `at`, or 0 if not found."""
    depth = 0
    for here in range(at, min(len(plain), at + _REACH)):
        depth += (plain[here] in "([{") - (plain[here] in ")]}")
        if depth < 0:
            return 0
        if depth == 0 and plain[here] == ";":
            return here
    return 0
