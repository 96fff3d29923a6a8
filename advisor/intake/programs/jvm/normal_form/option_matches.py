"""An `if` in place of Scala's `match` on an Option.

`o match { case Some(x) => save(x) case None => log.warn(r) }` becomes
`if (o.isDefined) { val x = o.get; save(x) } else { log.warn(r) }`. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import count, islice

from advisor.intake.programs.jvm.text import Text, spliced

_MOST_MATCHES = 60
_MATCH = re.compile(
    r"(?:(?<=[;{}\n])|(?<==>))(?P<margin>[ \t]*)(?P<subject>(?!Option\b)\w[\w.]*"
    r"(?P<call>\s*\([^(){}\n]{0,200}(?:\([^(){}\n]{0,100}\)[^(){}\n]{0,100}){0,4}\))?)"
    r"(?P<chain>(?:\s*\.\s*\w+){0,3})\s+match\s*\{"
)
_CASE = re.compile(r"\bcase\s+(?:(?P<some>Some\s*\(\s*(?P<name>\w+)\s*\))|(?P<other>None|_))\s*=>")
_ANY_CASE = re.compile(r"\bcase\b")


def without_option_matches(code: str) -> str:
    """Returns the program with an `if` in place of each such `match`."""
    if not re.search(r"\bcase\s+(?:Some|None)\b", code):
        return code
    text, changes, numbers = Text.of(code), list[tuple[int, int, str]](), count()
    for match in islice(_MATCH.finditer(text.plain), _MOST_MATCHES):
        block = text.block_of(match.end() - 1)
        cases = [case for case in islice(_CASE.finditer(text.plain, *block), 3)
                 if text.block(case.start()) == block]  # fmt: skip
        all_cases = [case for case in islice(_ANY_CASE.finditer(text.plain, *block), _MOST_MATCHES)
                 if text.block(case.start()) == block]  # fmt: skip
        if len(cases) != 2 or len(all_cases) != 2:
            continue
        first, second = cases
        has_value = [bool(case["some"]) or (case["other"] == "_" and first["other"] == "None")
                     for case in cases]  # fmt: skip
        if has_value[0] == has_value[1]:
            continue
        subject, declaration = code[slice(*match.span("subject"))], ""
        if match["call"]:
            name = f"option_{next(numbers)}"
            declaration, subject = f"val {name} = {subject}; ", name
        subject += match["chain"].strip()
        check = "isDefined" if has_value[0] else "isEmpty"
        bindings = [
            f" val {case['name']} = {subject}.get; "
            if case["some"] and case["name"] != "_"
            else " "
            for case in cases
        ]
        head = f"{match['margin']}{declaration}if ({subject}.{check}) {{{bindings[0]}"
        lines = ["\n" * code.count("\n", *span) for span in (
            (match.start(), first.end()), (second.start(), second.end()))]  # fmt: skip
        changes.append((match.start(), first.end(), head + lines[0]))
        changes.append((second.start(), second.end(), f"}} else {{{bindings[1]}{lines[1]}"))
    return spliced(code, sorted(changes))
