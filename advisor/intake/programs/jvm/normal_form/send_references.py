"""Calls of a producer's `send` in place of calls of a variable that refers to it.

With `Function<…> f = k::send`, or `val f = k.send _` in Scala, `f.apply(r).get()` becomes
`k.send(r).get()`. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import AS_FUNCTION, spliced, without_literals

_MOST_VARIABLES = 20
_SEND_VARIABLE = re.compile(
    r"(?<=[;{}\n])[ \t]*(?:(?:private|public|static|final|lazy)\s+)*"
    r"(?:va[lr]|[A-Z]\w*<[^;={}()]{1,160}>)\s+(?P<name>\w+)\s*(?::[^=;{}\n]{1,160}(?:=>[^=;{}\n]{1,80})?)?=\s*"
    r"(?:(?P<reference>(?:this\.)?\w+)\s*(?:::\s*send\b|\.\s*send\s*(?:_|\(\s*_\s*\)|(?=[;\n])))"
    r"|(?P<parameter>\(?\w+\)?)\s*(?:->|=>)\s*(?P<receiver>(?:this\.)?\w+)\s*\.\s*send\s*\(\s*(?P<argument>\w+)\s*\))"
    r"[ \t]*(?:;|(?=\n))"
)


def without_send_references(code: str) -> str:
    """Returns the program without such variables, where they are only called."""
    if "send" not in code:
        return code
    plain, changes = without_literals(code), list[tuple[int, int, str]]()
    for match in islice(_SEND_VARIABLE.finditer(plain), _MOST_VARIABLES):
        name, producer = match["name"], match["reference"] or match["receiver"]
        if match["parameter"] and match["parameter"].strip("()") != match["argument"]:
            continue
        call_pattern = re.compile(
            rf"(?<![\w.])(?:this\.)?{name}\s*(?:\.\s*{AS_FUNCTION}\s*)?(?=\()"
        )
        calls = [*call_pattern.finditer(plain, match.end())]
        if calls and len(calls) == len(re.findall(rf"\b{name}\b", plain[match.end() :])):
            changes.append((*match.span(), "\n" * match[0].count("\n")))
            changes += [(*call.span(), f"{producer}.send") for call in calls]
    return spliced(code, sorted(changes))
