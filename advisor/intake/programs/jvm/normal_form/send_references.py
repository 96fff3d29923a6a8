"""Names of a producer's `send`, as it is called by them: with `Function<…> f = k::send`, or
`val f = k.send _` of Scala, `f.apply(r).get()` is `k.send(r).get()`.

Lines stay as they are.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import AS_FUNCTION, spliced, without_literals

_MOST = 20
_NAMED = re.compile(
    r"(?<=[;{}\n])[ \t]*(?:(?:private|public|static|final|lazy)\s+)*"
    r"(?:va[lr]|[A-Z]\w*<[^;={}()]{1,160}>)\s+(?P<name>\w+)\s*(?::[^=;{}\n]{1,160}(?:=>[^=;{}\n]{1,80})?)?=\s*"
    r"(?:(?P<of>(?:this\.)?\w+)\s*(?:::\s*send\b|\.\s*send\s*(?:_|\(\s*_\s*\)|(?=[;\n])))"
    r"|(?P<given>\(?\w+\)?)\s*(?:->|=>)\s*(?P<whose>(?:this\.)?\w+)\s*\.\s*send\s*\(\s*(?P<same>\w+)\s*\))"
    r"[ \t]*(?:;|(?=\n))"
)


def without_send_references(code: str) -> str:
    """The same program without such names, where they are only called."""
    if "send" not in code:
        return code
    plain, changes = without_literals(code), list[tuple[int, int, str]]()
    for match in islice(_NAMED.finditer(plain), _MOST):
        name, whose = match["name"], match["of"] or match["whose"]
        if match["given"] and match["given"].strip("()") != match["same"]:
            continue
        calls = re.compile(rf"(?<![\w.])(?:this\.)?{name}\s*(?:\.\s*{AS_FUNCTION}\s*)?(?=\()")
        found = [*calls.finditer(plain, match.end())]
        if found and len(found) == len(re.findall(rf"\b{name}\b", plain[match.end() :])):
            changes.append((*match.span(), "\n" * match[0].count("\n")))
            changes += [(*call.span(), f"{whose}.send") for call in found]
    return spliced(code, sorted(changes))
