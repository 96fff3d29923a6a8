"""Results of JVM code of which only a log is told that a record failed.

`switch (process(r)) { case OK -> {} case FAILED -> log.warn(r); }`, Kotlin's `when`, Scala's
`match`, and `if (process(r) == Outcome.FAILED) { log.warn(r); }`: no error is thrown, so that the
next record is processed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_ARMS = 60, 24
_WRONG = (
    r"(?:\w*(?:[fF]ail|FAIL|[eE]rr(?![a-z])|ERR|[eE]rror|[rR]eject|REJECT|[uU]nsuccess)\w*"
    r"|Left|KO|Ko)"
)
_RIGHT = re.compile(
    r"\b(?:OK|Ok|Okay|DONE|Done|Right|Valid|ACCEPTED|Accepted|SAVED|Saved|STORED|Stored|PROCESSED"
    r"|Processed|\w*(?:Success|SUCCESS|Succeeded|SUCCEEDED|Completed|COMPLETED)\w*)\b"
)
_OF_WRONG = re.compile(rf"\b{_WRONG}\b")
_REST = re.compile(r"\s*(?:else|default|(?:case\s+)?_)\s*")
_QUESTION = re.compile(
    r"(?:is|has|contains|exists|can|should|seen|needs|was|check|valid|validate|verify|already|allow"
    r"|classify|parse|decode|read|get|find|kind|type|status|state)(?![a-z])\w*"
)
"""A call that does nothing with a record but ask."""
_NAMED = re.compile(
    r"(?<=[;{}\n>])\s*(?:final\s+)?(?:va[lr]|[A-Z]\w*(?:<[\w<>?, ]{0,60}>)?)\s+(?P<name>\w+)"
    r"(?:\s*:\s*[\w<>?., ]{1,60})?\s*=(?![=>])\s*(?P<made>(?:\w+\s*\.\s*){0,3}(?P<verb>\w+)\s*\()"
)
_CALL = r"(?:\w+\s*\.\s*){0,3}(?P<verb>\w+)\s*(?P<opened>\()"
_CHOOSES = re.compile(
    r"\b(?P<word>when|switch)\s*\((?:\s*val\s+\w+\s*=)?\s*(?P<subject>(?:\w+\s*\.\s*){0,3}\w+)\s*"
    r"(?P<opened>\()?|(?<=[;{}\n])[ \t]*(?P<matched>(?!(?:when|switch|if|for|while|catch)\b)"
    r"(?:\w+\s*\.\s*){0,3}\w+)"
    r"\s*(?:(?P<given>\()|match\s*\{)"
)
_IF = re.compile(
    r"\bif\s*\(\s*(?P<not>!\s*\(?\s*)?(?P<subject>(?:\w+\s*\.\s*){0,3}\w+)\s*(?P<opened>\()?"
)
_ASKED = re.compile(
    r"\s*(?:(?P<op>[!=]=)\s*(?P<to>[\w.]+)|(?P<is>instanceof|!?\s*is)\s+(?P<kind>[\w.]+)(?:<[^<>]*>)?"
    r"(?:\s+\w+|\s*\([^()]*\))?|\.\s*isInstanceOf\s*\[(?P<type>[\w.]+)[^\]]*\])\s*\)+\s*"
)
_SAYS = re.compile(
    r"\bif\s*\(\s*(?P<not>!\s*)?(?P<name>\w+)\s*\.\s*(?P<says>(?P<wrong>(?:is|has)(?:Fail|Err|Reject|Invalid)\w*|failed)"
    r"|is(?:Ok|Success|Valid|Accepted|Done)\w*|ok|success|succeeded)\s*(?:\(\s*\))?\s*\)\s*"
)
_PARTED = re.compile(
    r"\bval\s*\(\s*(?P<name>\w+)\s*,\s*\w+\s*\)\s*=[^;={}\n]{1,120}\.\s*partitionMap\s*[({]"
)
_OF_ERROR = re.compile(r"(?:err|error|errors|failure|failures|problem|cause|exception)")
"""What an error is called that a call returns."""
_SUMMED = re.compile(
    r"(?<=[;{}\n>])\s*(?P<name>\w+)\s*(?:&=|=\s*(?P=name)\s*&(?!&))\s*(?:\w+\s*\.\s*){0,3}(?P<verb>\w+)\s*\("
)
_WHEN = re.compile(r"\bwhen\s*(?=\{)")
_ELSE = re.compile(r"[\s;]*\belse\b\s*")
_BODY = re.compile(r"\s*\)\s*\{|\s*match\s*\{")
_CASE = re.compile(
    r"(?P<asked>\b(?:case|is)\b(?:(?!->|=>)[^;{}:\n]){1,160}|\b(?:default|else)\s*|(?<=[\s{;])[A-Z][\w.]*"
    r"(?:\s*,\s*[A-Z][\w.]*)*\s*)(?:->|=>|:(?!:))"
)
_BREAK = re.compile(r"\bbreak\b")


def ignored_failures(
    text: Text, uses: re.Pattern[str], span: Block, loops: Sequence[Block] = ()
) -> Iterator[int]:
    """Where a decision about the outcome of a call with a record does nothing for a failure."""
    begin = max(0, span[0])
    names = {
        match["name"]: match.end()
        for match in islice(_NAMED.finditer(text.plain, begin, span[1]), _MOST)
        if not _QUESTION.fullmatch(match["verb"])
        and uses.search(text.plain, match.end(), text.closed(match.end()))
    }
    idle = _Idle(text, loops, in_function=bool(text.named(span)))
    for found in (_chosen, _asked, _kept):
        yield from found(text, uses, span, names, idle)


def _chosen(
    text: Text, uses: re.Pattern[str], span: Block, names: dict[str, int], idle: _Idle
) -> Iterator[int]:
    """Where `switch`, `when` or `match` goes by an outcome."""
    begin = max(0, span[0])
    for match in islice(_CHOOSES.finditer(text.plain, begin, span[1]), _MOST):
        opened = "given" if match["matched"] else "opened"
        subject = match["matched"] or match["subject"]
        end = _end_of(text, uses, (subject, match.end(), bool(match[opened])), names)
        body = _BODY.match(text.plain, end) if end else None
        if match["matched"] and not match["given"] and end:
            body = re.compile("").match(text.plain, match.end())
        if body and idle.in_arms(text.block_of(body.end() - 1)):
            yield match.start()
    for match in islice(_WHEN.finditer(text.plain, begin, span[1]), _MOST):
        block = text.block_of(match.end())
        words = set(re.findall(r"\w+", text.plain[block[0] : block[1]]))
        if not words.isdisjoint(names) and idle.in_arms(block):
            yield match.start()


def _asked(
    text: Text, uses: re.Pattern[str], span: Block, names: dict[str, int], idle: _Idle
) -> Iterator[int]:
    """Where a condition asks for an outcome."""
    begin = max(0, span[0])
    for match in islice(_IF.finditer(text.plain, begin, span[1]), _MOST):
        given = (match["subject"], match.end(), bool(match["opened"]))
        end = _end_of(text, uses, given, names)
        asked = _ASKED.match(text.plain, end) if end else None
        is_used = not match["opened"] and _is_used(text, match["subject"], names, asked)
        if asked and not is_used and idle.behind(asked, bool(match["not"])):
            yield match.start()
    for match in islice(_SAYS.finditer(text.plain, begin, span[1]), _MOST):
        is_made = names.get(match["name"], match.start()) < match.start()
        is_made = is_made and not _is_used(text, match["name"], names, match)
        if is_made and idle.where(match.end(), bool(match["wrong"]) is not bool(match["not"])):
            yield match.start()


def _is_used(text: Text, name: str, names: dict[str, int], asked: re.Match[str] | None) -> bool:
    """Whether something else than a condition, and a log, is about an outcome with a name."""
    if asked is None or name not in names:
        return False
    end = text.guarded(asked.end())[1]
    if other := _ELSE.match(text.plain, end + 1):
        end = text.guarded(other.end())[1]
    span = end, text.block(names[name])[1]
    told = [*log_arguments(text, span)]
    uses = re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, *span)
    return any(not any(start <= use.start() < stop for start, stop in told) for use in uses)


def _kept(
    text: Text, uses: re.Pattern[str], span: Block, names: dict[str, int], idle: _Idle
) -> Iterator[int]:
    """Where an error has a name, or what failed of several."""
    begin = max(0, span[0])
    for name, at in names.items():
        behind = at, text.block(at)[1]
        asked = re.compile(rf"\bif\s*\(\s*{name}\s*(?:!=|\.)").search(text.plain, *behind)
        if _OF_ERROR.fullmatch(name) and asked and jvm_flags.is_never_checked(
            text, name, True, behind, loops=idle.loops, in_function=idle.in_function
        ):  # fmt: skip
            yield at
    for match in islice(_SUMMED.finditer(text.plain, begin, span[1]), _MOST):
        end = text.closed(match.end())
        known = uses.search(text.plain, match.end(), end) and not _QUESTION.fullmatch(match["verb"])
        if known and jvm_flags.is_never_checked(text, match["name"], False, (end, span[1])):
            yield match.start("name")
    for match in islice(_PARTED.finditer(text.plain, begin, span[1]), _MOST):
        end = text.closed(match.end())
        behind = end, text.block(end)[1]
        if uses.search(text.plain, match.start(), end) and jvm_flags.is_never_checked(
            text, match["name"], True, behind, loops=idle.loops
        ):
            yield match.start()


def _end_of(
    text: Text, uses: re.Pattern[str], given: tuple[str, int, bool], names: dict[str, int]
) -> int:
    """Where the value ends that a decision is about, if it is the outcome of a call with a record,
    or has a name; 0 for any other value."""
    subject, at, is_call = given
    if not is_call:
        return at if names.get(subject, at) < at else 0
    verb = re.split(r"\W+", subject.strip())[-1]
    end = text.closed(at)
    known = not _QUESTION.fullmatch(verb) and verb not in ("if", "while", "for")
    return end if known and uses.search(text.plain, at, end) else 0


class _Idle:
    """What is done for a failure, in the loops over what was polled."""

    def __init__(self, text: Text, loops: Sequence[Block], *, in_function: bool) -> None:
        self._text, self.loops, self.in_function = text, loops, in_function

    def _is_idle(self, at: int, does: str) -> bool:
        return jvm_flags.ignores_failure(
            self._text, at, does, loops=self.loops, in_function=self.in_function
        )

    def in_arms(self, block: Block) -> bool:
        """Whether the arms for a failure only write of it."""
        inside = (block[0], block[1])
        cases = [
            case for case in islice(_CASE.finditer(self._text.plain, *inside), _MOST_ARMS)
            if self._text.block(case.start()) == block
        ]  # fmt: skip
        ends = [case.start() for case in cases[1:]] + [block[1]]
        arms = [(case["asked"], self._text.plain[case.end() : end])
                for case, end in zip(cases, ends, strict=False)]  # fmt: skip
        failed = [does for asked, does in arms if _OF_WRONG.search(asked)]
        if not failed and any(_RIGHT.search(asked) for asked, _ in arms):
            failed = [does for asked, does in arms if _REST.fullmatch(asked)]
        return bool(failed) and all(
            self._is_idle(block[0] + 1, _BREAK.sub("", does)) for does in failed
        )

    def behind(self, asked: re.Match[str], is_not: bool) -> bool:
        """Whether nothing is done for a failure by a condition that asks for one."""
        kind = asked["to"] or asked["kind"] or asked["type"] or ""
        is_wrong = _OF_WRONG.search(kind.rpartition(".")[2])
        if not is_wrong and not _RIGHT.search(kind.rpartition(".")[2]):
            return False
        turned = is_not != (asked["op"] == "!=" or (asked["is"] or "").startswith("!"))
        return self.where(asked.end(), bool(is_wrong) is not turned)

    def where(self, end: int, answer: bool) -> bool:
        """Whether nothing is done where a condition that ends at a place has this answer."""
        does, other = jvm_flags.branches(self._text, end)
        failed, rest = (does, other) if answer else (other, does)
        leaves = re.search(r"\b(?:continue|return|break|throw)\b", rest)
        return self._is_idle(end, failed) and not leaves
