"""Chains of calls that go by what a method returns which says whether something failed:
`rs.stream().allMatch(this::tried)`, `rs.filterNot(tried)`, `all.removeIf(r -> !tried(r))`.

What is left out of a list because it failed is passed over, unless something asks for it.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors.flags import checks_size, is_never_checked
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _LONGEST_HEAD = 60, 120
_LISTS = frozenset({"filter", "filterNot", "withFilter", "takeWhile", "dropWhile", "partition"})
_IN_PLACE = frozenset({"removeIf", "removeAll", "retainAll"})
_NUMBERS = frozenset({"count", "size", "length"})
_TURNS = frozenset({"filterNot", "removeIf", "removeAll", "noneMatch", "none"})
"""What takes those for which its function returns false."""
_CHOOSES = (
    r"\.\s*(?P<verb>allMatch|anyMatch|noneMatch|all|any|none|forall|exists|takeWhile|dropWhile"
    r"|filter|withFilter|filterNot|partition|removeIf|removeAll|retainAll|count|find|indexWhere)"
    r"\s*(?P<opened>[({{])\s*(?:\(?\w+\)?\s*[-=]>\s*)?(?P<not>!)?\s*(?:(?:this)?\s*::\s*)?{0}\b"
)
_GIVEN_TO = re.compile(r"(?:\bva[lr]|[\w>\]])\s+(\w+)\s*(?::[^=;{}\n]{1,60})?=\s*$")
"""The name that something gets."""
_PARTED = re.compile(r"\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*=\s*$")
_ALONE = re.compile(r"(?:[;{}\n>]|^)\s*$")
_ASKED = re.compile(r"\bif\s*\(\s*(?P<not>!\s*)?$")
_WHOLE = re.compile(r"\s*\)")
_JUMPS = re.compile(r"\b(?:continue|return|break|throw)\b")
_LAMBDA = re.compile(r"\s*\{?\s*(?:case\s*)?\(?\w+\)?\s*[-=]>")


def is_only_filter(text: Text, name: str, span: Block) -> bool:
    """Whether a chain goes by what a method of this name returns, and nothing asks what came of
    it."""
    found = re.compile(_CHOOSES.format(name)).finditer(text.plain, *span)
    return any(_is_unasked(text, match, span) for match in islice(found, _MOST))


def _is_unasked(text: Text, match: re.Match[str], span: Block) -> bool:
    opened, verb = match.start("opened"), match["verb"]
    begin, end = text.chain(opened), text.closed(opened + 1)
    before = text.plain[max(0, span[0], begin - _LONGEST_HEAD) : begin]
    of_failed = bool(match["not"]) != (verb in _TURNS)
    behind = end, text.block(match.start())[1]
    if verb in _IN_PLACE:
        return _is_left(text, text.plain[begin : match.start()].strip(), of_failed, behind)
    if asked := _ASKED.search(before):
        return _is_idle(text, end, of_failed is not bool(asked["not"]))
    if parted := _PARTED.search(before):
        return is_never_checked(text, parted[1 if match["not"] else 2], True, behind)
    if named := _GIVEN_TO.search(before):
        if verb in _LISTS and not any(step.name in _NUMBERS for step in steps(text, end)):
            return _is_left(text, named[1], of_failed, behind)
        return is_never_checked(text, named[1], of_failed, behind)
    if not _ALONE.search(before):
        return False
    return not (of_failed and verb in _LISTS | {"find"}) or all(
        only_logs(_LAMBDA.sub("", text.plain[step.begin : max(step.begin, step.end)]))
        for step in steps(text, end)
    )


def _is_left(text: Text, name: str, of_failed: bool, behind: Block) -> bool:
    """Whether nothing is done about what failed of a list of this name: it has those, or only the
    others."""
    if of_failed:
        return is_never_checked(text, name, True, behind)
    return not checks_size(text, name)


def _is_idle(text: Text, end: int, answer: bool) -> bool:
    """Whether nothing is done where a condition that ends behind a place has this answer."""
    whole = _WHOLE.match(text.plain, end)
    if whole is None:
        return False
    does, other = jvm_flags.branches(text, whole.end())
    failed, rest = (does, other) if answer else (other, does)
    return jvm_flags.ignores_failure(text, whole.end(), failed) and (
        answer or not _JUMPS.search(rest)
    )
