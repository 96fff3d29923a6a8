"""Functions of JVM code that have a name only to be returned, without it:
`Consumer<R> f = r -> save(r); return f;`, Kotlin's `fun f(r: R) { … }` and `return ::f`, Scala's
`def f(r: R) = …` and `f`. Lines stay as they are.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import Text, spliced

_MOST = 40
_OF_JAVA = re.compile(
    r"(?<=\{)\s*(?:final\s+)?[A-Z]\w*(?:<[^;={}()]{1,160}>)?\s+(?P<name>\w+)\s*=\s*(?=[\w(])"
)
_OF_OTHERS = re.compile(
    r"(?<=\{)\s*(?P<word>fun|def)\s+(?P<name>\w+)\s*\((?P<given>[^(){}]{0,200})\)\s*"
    r"(?::\s*[\w<>\[\]?., ]{1,80}+)?(?:=\s*)?"
)


def without_local_names(code: str) -> str:
    """The same program with such functions without a name."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    is_java = not re.search(r"\b(?:fun|def)\s", text.plain)
    for match in islice((_OF_JAVA if is_java else _OF_OTHERS).finditer(text.plain), _MOST):
        at, name = match.end(), match["name"]
        is_block = text.plain[at : at + 1] == "{" and not is_java
        end = text.block_of(at)[1] + 1 if is_block else text.statement(at)[1]
        last = re.compile(rf"[\s;]*(?:return\s+)?(?:::\s*)?{name}\s*(?:_\s*)?;?\s*(?=\}})").match(
            text.plain, end
        )
        if last is None:
            continue
        lines = "\n" * code.count("\n", match.start(), at)
        behind = "\n" * code.count("\n", end, last.end())
        if is_java:
            changes += [(match.start(), at, f" return {lines}"), (end, last.end(), f";{behind} ")]
        elif match["word"] == "fun":
            inner = code[at + 1 : end - 1] if is_block else code[at:end]
            made = f" return {{ {match['given']} -> {inner} }}"
            changes.append((match.start(), last.end(), f"{made}{lines}{behind}"))
        else:
            inner = code[at + 1 : end - 1] if is_block else code[at:end]
            changes.append(
                (match.start(), last.end(), f" ({match['given']}) => {inner}{lines}{behind}")
            )
    return spliced(code, changes)
