"""Records that JVM code counts and, by their number alone, leaves undone:
`if (++n > 5) { continue; } save(r);`, `if (n % 10 == 0) { save(r); }`.

A commit of all that was polled is behind these, too (KafkaConsumer javadoc).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.text import Block, Text, blanked

_MOST = 40
_ASKED = re.compile(
    r"\bif\s*\(\s*\(?\s*(?:\+\+\s*)?(?P<name>\w+)(?:\s*\+\+|\s*\.\s*(?:incrementAndGet|getAndIncrement)\s*\(\s*\))?"
    r"\s*\)?\s*(?:(?P<op>[<>]=?)|%\s*\w+\s*(?P<of>[=!]=))\s*\w+\s*\)\s*"
)
_COUNTS = (
    r"(?:\+\+\s*{0}\b|\b{0}\s*(?:\+\+|\+=\s*1\b|\.\s*(?:incrementAndGet|getAndIncrement)\s*\())"
)
_SET = r"\b{0}\s*(?:=(?!=)|\.\s*set\s*\(|--|-=)"
_NUMBERS = re.compile(r"i|j|n|ix|idx|index|pos|position|num|number")
"""What the number of a loop is called that counts (`normal_form.indexed_loops`): it stands there
without being given a value."""
_GIVEN = r"\b{0}\s*(?::(?!:)|=(?!=)|[-+*/]=|\+\+|--)|[\w>]\s+{0}\s*[,);]"
_LEAVES = re.compile(r"\b(?:continue|break|return)\b(?:@\w+)?")


def skipped_by_count(text: Text, uses: re.Pattern[str], loops: Sequence[Block]) -> Iterator[int]:
    """Where a loop over records does nothing with one because so many came before it."""
    for start, end in loops:
        begin = max(0, start)
        for match in islice(_ASKED.finditer(text.plain, begin, end), _MOST):
            counts = re.compile(_COUNTS.format(match["name"])).finditer(text.plain, begin, end)
            own = any(text.block(one.start()) == (start, end) for one in counts)
            own = own or _is_number(text, match["name"])
            is_set = re.compile(_SET.format(match["name"])).search(text.plain, begin, end)
            if own and not is_set and text.block(match.start()) == (start, end):
                yield from (match.start(),) if _leaves(text, uses, (begin, end), match) else ()


def _is_number(text: Text, name: str) -> bool:
    return bool(_NUMBERS.fullmatch(name)) and not re.search(_GIVEN.format(name), text.plain)


def _leaves(text: Text, uses: re.Pattern[str], loop: Block, match: re.Match[str]) -> bool:
    """Whether one side of a condition is all that is done with a record, and the other one is
    nothing."""
    does, other = jvm_flags.branches(text, match.end())
    seen = blanked(text.plain, log_arguments(text, loop))
    guarded = text.guarded(match.end())
    before, behind = seen[loop[0] : match.start()], seen[guarded[1] : loop[1]]
    if _uses(uses, before):
        return False
    if _LEAVES.search(does):
        is_above = match["op"] in (">", ">=") or match["of"] == "!="
        return is_above and only_logs(_LEAVES.sub("", does)) and _uses(uses, behind)
    is_below = match["op"] in ("<", "<=") or match["of"] == "=="
    done = _uses(uses, seen[slice(*guarded)])
    return is_below and done and not other.strip() and not _uses(uses, behind)


def _uses(uses: re.Pattern[str], code: str) -> bool:
    """Whether something is called with a record, in code without what is only logged."""
    return bool(uses.search(code)) and not only_logs(code.removeprefix("{"))
