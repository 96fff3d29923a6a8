"""Removal of the names of local functions that are only returned.

These are `Consumer<R> f = r -> save(r); return f;` in Java, `fun f(r: R) { … }` and `return ::f` in
Kotlin, and `def f(r: R) = …` and `f` in Scala. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import Text, spliced

_MOST_FUNCTIONS = 40
_JAVA_FUNCTION = re.compile(
    r"(?<=\{)\s*(?:final\s+)?[A-Z]\w*(?:<[^;={}()]{1,160}>)?\s+(?P<name>\w+)\s*=\s*(?=[\w(])"
)
_LOCAL_FUNCTION = re.compile(
    r"(?<=\{)\s*(?P<keyword>fun|def)\s+(?P<name>\w+)\s*\((?P<parameters>[^(){}]{0,200})\)\s*"
    r"(?::\s*[\w<>\[\]?., ]{1,80}+)?(?:=\s*)?"
)


def without_local_names(code: str) -> str:
    """Returns the program with anonymous functions in place of these."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    is_java = not re.search(r"\b(?:fun|def)\s", text.plain)
    for match in islice(
        (_JAVA_FUNCTION if is_java else _LOCAL_FUNCTION).finditer(text.plain), _MOST_FUNCTIONS
    ):
        at, name = match.end(), match["name"]
        is_block = text.plain[at : at + 1] == "{" and not is_java
        end = text.block_of(at)[1] + 1 if is_block else text.statement(at)[1]
        return_ = re.compile(
            rf"[\s;]*(?:return\s+)?(?:::\s*)?{name}\s*(?:_\s*)?;?\s*(?=\}})"
        ).match(text.plain, end)
        if return_ is None:
            continue
        lines = "\n" * code.count("\n", match.start(), at)
        end_lines = "\n" * code.count("\n", end, return_.end())
        if is_java:
            changes += [
                (match.start(), at, f" return {lines}"),
                (end, return_.end(), f";{end_lines} "),
            ]
        elif match["keyword"] == "fun":
            body = code[at + 1 : end - 1] if is_block else code[at:end]
            replacement = f" return {{ {match['parameters']} -> {body} }}"
            changes.append((match.start(), return_.end(), f"{replacement}{lines}{end_lines}"))
        else:
            body = code[at + 1 : end - 1] if is_block else code[at:end]
            changes.append(
                (
                    match.start(),
                    return_.end(),
                    f" ({match['parameters']}) => {body}{lines}{end_lines}",
                )
            )
    return spliced(code, changes)
