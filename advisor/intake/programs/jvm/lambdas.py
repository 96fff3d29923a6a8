"""Lambdas and method references of variables, rewritten with a body in braces:
`Runnable ack = () -> c.commitSync();` and `Runnable ack = c::commitSync;`.

Lines stay as they are. A function with braces is followed where it is called.
"""

from __future__ import annotations

import re
from itertools import chain, islice

from advisor.intake.programs.jvm.text import without_letters

_REACH, _MOST = 2_000, 200
_LAMBDA = re.compile(r"(?<![=!<>])=\s*(?:\([^()]{0,200}\)|\w+)\s*->\s*+(?!\{)")
_REFERENCE = re.compile(
    r"(?<![=!<>])=\s*(?P<of>(?:\w+\s*\.\s*){0,3}\w+)\s*::\s*(?P<name>\w+)\s*(?=[;\n])"
)
_NO_ARGUMENT = re.compile(r"commit(?:Sync|Async)|close|flush|commit")


def with_braces(code: str) -> str:
    """The same program with braces around such functions."""
    plain, parts, behind = without_letters(code), list[str](), 0
    of_both = (islice(pattern.finditer(plain), _MOST) for pattern in (_LAMBDA, _REFERENCE))
    found = sorted(chain(*of_both), key=re.Match.start)
    for match in found:
        if match.start() < behind:
            continue
        if match.re is _REFERENCE:
            given = "" if _NO_ARGUMENT.fullmatch(match["name"]) else "it"
            made = f"= {given or '()'} -> {{ {match['of']}.{match['name']}({given}); }}"
            parts += [code[behind : match.start()], made + "\n" * code.count("\n", *match.span())]
            behind = match.end()
        elif (end := _end(plain, match.end())) > 0:
            parts += [code[behind : match.end()], "{ ", code[match.end() : end], "; }"]
            behind = end
    return "".join([*parts, code[behind:]])


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
