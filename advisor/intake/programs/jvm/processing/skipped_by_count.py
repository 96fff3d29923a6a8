"""Records that JVM code counts and skips by their number alone:
`if (++n > 5) { continue; } save(r);`, `if (n % 10 == 0) { save(r); }`.

A commit of all polled records covers the skipped ones too (KafkaConsumer javadoc).
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
_COUNT_CHECK = re.compile(
    r"\bif\s*\(\s*\(?\s*(?:\+\+\s*)?(?P<name>\w+)(?:\s*\+\+|\s*\.\s*(?:incrementAndGet|getAndIncrement)\s*\(\s*\))?"
    r"\s*\)?\s*(?:(?P<op>[<>]=?)|%\s*\w+\s*(?P<equality>[=!]=))\s*\w+\s*\)\s*"
)
_INCREMENT = (
    r"(?:\+\+\s*{0}\b|\b{0}\s*(?:\+\+|\+=\s*1\b|\.\s*(?:incrementAndGet|getAndIncrement)\s*\())"
)
_RESET = r"\b{0}\s*(?:=(?!=)|\.\s*set\s*\(|--|-=)"
_INDEX_NAME = re.compile(r"i|j|n|ix|idx|index|pos|position|num|number")
"""Names of loop indexes that `normal_form.indexed_loops` leaves without an assignment."""
_ASSIGNMENT = r"\b{0}\s*(?::(?!:)|=(?!=)|[-+*/]=|\+\+|--)|[\w>]\s+{0}\s*[,);]"
_JUMP = re.compile(r"\b(?:continue|break|return)\b(?:@\w+)?")


def skipped_by_count(text: Text, uses: re.Pattern[str], loops: Sequence[Block]) -> Iterator[int]:
    """Conditions in a loop over records that skip a record because of its number."""
    for start, end in loops:
        begin = max(0, start)
        for match in islice(_COUNT_CHECK.finditer(text.plain, begin, end), _MOST):
            increments = re.compile(_INCREMENT.format(match["name"])).finditer(
                text.plain, begin, end
            )
            is_counter = any(
                text.block(increment.start()) == (start, end) for increment in increments
            )
            is_counter = is_counter or _is_loop_index(text, match["name"])
            is_reset = re.compile(_RESET.format(match["name"])).search(text.plain, begin, end)
            if is_counter and not is_reset and text.block(match.start()) == (start, end):
                yield from (
                    (match.start(),) if _skips_record(text, uses, (begin, end), match) else ()
                )


def _is_loop_index(text: Text, name: str) -> bool:
    return bool(_INDEX_NAME.fullmatch(name)) and not re.search(_ASSIGNMENT.format(name), text.plain)


def _skips_record(text: Text, uses: re.Pattern[str], loop: Block, match: re.Match[str]) -> bool:
    """Whether one branch of a condition is all the processing of a record, and the other branch
    does nothing."""
    body, other_branch = jvm_flags.branches(text, match.end())
    code = blanked(text.plain, log_arguments(text, loop))
    guarded = text.controlled_block(match.end())
    before, after = code[loop[0] : match.start()], code[guarded[1] : loop[1]]
    if _processes(uses, before):
        return False
    if _JUMP.search(body):
        is_above = match["op"] in (">", ">=") or match["equality"] == "!="
        return is_above and only_logs(_JUMP.sub("", body)) and _processes(uses, after)
    is_below = match["op"] in ("<", "<=") or match["equality"] == "=="
    is_processed = _processes(uses, code[slice(*guarded)])
    return is_below and is_processed and not other_branch.strip() and not _processes(uses, after)


def _processes(uses: re.Pattern[str], code: str) -> bool:
    """Whether code uses a record other than to log it."""
    return bool(uses.search(code)) and not only_logs(code.removeprefix("{"))
