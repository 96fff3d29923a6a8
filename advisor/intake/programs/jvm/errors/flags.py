"""Names of JVM code that say whether something failed, and what is done then.

A consumer does not go back because nothing was committed: the next `poll()` is behind the record
that failed, and so is the next commit (KafkaConsumer javadoc). So a flag, or a list of errors, that
only keeps back a commit does nothing about an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records import record_loops
from advisor.intake.programs.jvm.records.buffers import COLLECTION
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.records.partial_polls import breaks_one_of
from advisor.intake.programs.jvm.records.repetition import is_in_loop
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _LAST = 100, 200
_PUTS = r"(?:add|put|offer|push|addLast)"
_KEEPS = re.compile(
    rf"\s*(?:this\.)?(?P<name>\w+)\s*(?:=(?!=)\s*(?P<to>\w+)|\.\s*{_PUTS}\s*\(.*|\+=.*)\s*",
    re.DOTALL,
)
"""A statement that keeps something in a name."""
_LAMBDA = re.compile(r"\A\s*(?:\([\w\s,]*\)|\w+(?:\s*,\s*\w+)*)\s*[-=]>")
_DEAD_LETTER = re.compile(r"(?i)letter|dlq|dlt|quarantine|poison|parking")
"""What a place for messages that failed is called, which others made."""
_IS_PUT = re.compile(rf"\s*(?:=(?!=)|;|:(?!:)|\+=|\.\s*(?:{_PUTS[3:-1]}|clear)\s*\()")
_RESETS = {
    True: re.compile(
        r"\s*(?::[^=;{}]{0,60})?(?:=\s*(?:false\b|null\b|0|new\b|None\b|\w*(?:List|Set|Seq|Buffer)\w*"
        r"\s*[(.<\[])|\.\s*clear\s*\()"
    ),
    False: re.compile(r"\s*(?::[^=;{}]{0,60})?=\s*(?:true\b|(?!new\b|if\b|when\b)\w[\w.]*+\s*\()"),
}
_ASKED = (
    r"\bif\s*\(\s*(?P<not>!\s*)?(?:this\.)?{}\b\s*(?P<of>\.\s*\w+\s*(?:\(\s*\))?)?"
    r"\s*(?:(?P<op>[!=]=|>)\s*(?P<to>null|true|false|0)\s*)?\)"
)
_NEGATIVE = ("isEmpty", "isFailure", "isLeft")
_OF = re.compile(
    r"(?:isEmpty|isNotEmpty|nonEmpty|size|length|get|isFailure|isSuccess|isLeft|isRight|isDefined"
    r"|isPresent|any)"
)
_TAKES_OUT = re.compile(
    r"\s*(?:this\.)?(?:(?P<name>\w+)\s*\.\s*remove\w*\s*\(.*\)|(?P<of>\w+)\s*-=\s*(?!\d).*)\s*",
    re.DOTALL,
)
_SIZE_ASKED = (
    r"\b(?:if|while|check|require|assert\w*)\s*\([^;{{}}]*\b{0}\s*\.\s*(?:size|count|length"
    r"|contains)"
)
_COUNTS = re.compile(r"\b(\w+)\s*(?:\+\+|\+=\s*1\b)")
_TELLS = r"\b(?:exit|exitProcess|check|require|assert\w*)\s*\([^;{{}}\n]*\b(?:{0})\b"
"""How a program that ends tells who started it."""
_SAYS = re.compile(r"(\w+)\s*=\s*true\s*;?\s*$")
_MAKES = re.compile(r"(?<![\w.])(\w+)\s*=(?!=)[^;=]{1,160};?\s*$")
_NONE = r"\s*(?:null|None|Optional\s*\.\s*empty\s*\(\s*\))(?!\w)"
_BREAK = re.compile(r"\bbreak(?:@\w+)?\b")
_JUMPS = re.compile(r"\b(?:continue|return|break|throw)\b")
_ENDS_ROUND = re.compile(r"\b(?:continue|return)\b[^;{}]*;?\s*$")
_BACK = re.compile(r"\bseek\w*\s*\(")
_ELSE = re.compile(r"[\s;}]*\belse\b")
_COMMITS = re.compile(r"\s*(?:\w+\s*\.\s*)*commit(?:Sync|Async)?\s*\(.*", re.DOTALL)


def branches(text: Text, at: int) -> tuple[str, str]:
    """What is done if the condition that ends at a place holds, and what is done otherwise."""
    does, other = (text.plain[slice(*span)] for span in _spans(text, at))
    return does.removeprefix("{"), other.removeprefix("{")


def _spans(text: Text, at: int) -> tuple[Block, Block]:
    """Where that stands; what else is empty where there is nothing."""
    start, end = text.guarded(at)
    behind = end + (text.plain[end : end + 1] in ("}", ";"))
    other = _ELSE.match(text.plain, behind, behind + 40)
    return (start, end), text.guarded(other.end()) if other else (behind, behind)


def ignores_failure(
    text: Text, at: int, failed: str, *, loops: Sequence[Block] = (), in_function: bool = False
) -> bool:
    """Whether what is done for a failure, behind a condition that ends at a place, only writes of
    it or commits, or leaves a loop over what was polled."""
    if breaks_one_of(text, at, loops) and not _BACK.search(text.plain, at, text.block(at)[1]):
        failed = _BREAK.sub("", failed)
    return only_logs(failed, in_function=in_function, others=_COMMITS.fullmatch)


def commits_only_if(text: Text, at: int, *, in_function: bool = False) -> bool:
    """Whether what stands behind a condition that ends at a place commits, and where it does not
    hold nothing is done."""
    does, failed = branches(text, at)
    ends = _JUMPS.search(does) or _BACK.search(text.plain, at, text.block(at)[1])
    commits = any(map(_COMMITS.fullmatch, re.split(r"[;{}\n]", does)))
    return commits and not ends and ignores_failure(text, at, failed, in_function=in_function)


def _failed(
    text: Text, name: str, value: bool, span: Block
) -> Iterator[tuple[Block, str | None, Block]]:
    """The conditions that ask for a name, and what is done behind each where it has a value; None
    where that is not known, or stands behind the condition. At last where what is done then is
    not."""
    for match in islice(re.compile(_ASKED.format(name)).finditer(text.plain, *span), _MOST):
        of = re.sub(r"\W", "", match["of"] or "")
        answer = value is not (of in _NEGATIVE)
        answer = answer is not (bool(match["op"] == "==") and match["to"] != "true")
        answer = answer is not (match["op"] == "!=" and match["to"] == "true")
        answer = answer is not bool(match["not"])
        does, other = branches(text, match.end())
        failed, rest = (does, other) if answer else (other, does)
        is_known = not of or _OF.fullmatch(of)
        own, others = _spans(text, match.end())
        never = others if answer else own
        if answer and _ENDS_ROUND.search(does) and not other:
            never = others[0], text.block(match.start())[1]
        idle = failed if is_known and (answer or not _JUMPS.search(rest)) else None
        yield match.span(), idle, never


def is_never_checked(
    text: Text, name: str, value: bool, span: Block, *,
    loops: Sequence[Block] = (), in_function: bool = False,
) -> bool:  # fmt: skip
    """Whether nothing between two places is done where a name has a value."""
    span, clears = (max(0, span[0]), span[1]), re.compile(rf"\b{name}\s*\.\s*clear\s*\(\s*\)")
    passed = [*log_arguments(text, span), *_told(text, name, span)]
    for place, failed, never in _failed(text, name, value, span):
        if failed is None or not ignores_failure(
            text, place[1], clears.sub("", failed), loops=loops, in_function=in_function
        ):
            return False
        passed += [place, never]
    uses = islice(re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, *span), _MOST)
    return all(
        _IS_PUT.match(text.plain, use.end()) or any(a <= use.start() < b for a, b in passed)
        for use in uses
    )


def _told(text: Text, name: str, span: Block) -> Iterator[Block]:
    """The loops over what has a name that only write of it."""
    for _, body in record_loops.record_loops(text, {name}, span):
        does = _LAMBDA.sub("", text.plain[body[0] + 1 : body[1]]).strip("{}() \n")
        if only_logs(does):
            yield max(span[0], text.plain.rfind(name, span[0], body[0])), body[1]


def stores_unused_error(text: Text, statement: str) -> bool:
    """Whether a statement keeps an error in a name that nothing reads, or that decides only about
    a commit and starts anew with each round of the loop."""
    kept = _KEEPS.fullmatch(statement)
    if kept is None:
        return False
    name, value, whole = (
        kept["name"],
        kept["to"] not in ("false", "null", "None"),
        (0, len(text.plain)),
    )
    uses = [*islice(re.finditer(rf"\b{name}\b", text.plain), _MOST)]
    if all(_IS_PUT.match(text.plain, use.end()) for use in uses):
        is_letter = _DEAD_LETTER.search(name) and not re.search(COLLECTION.format(name), text.plain)
        return kept["to"] not in ("true", "false") and not is_letter
    is_reset = any(
        _RESETS[value].match(text.plain, use.end()) and is_in_loop(text, use.start())
        for use in uses
    )
    return is_reset and is_never_checked(text, name, value, whole)


def removes_from_collection(text: Text, statement: str) -> bool:
    """Whether a statement takes something out of a collection, or what an iterator gave last, and
    no condition asks for the size of that."""
    taken = _TAKES_OUT.fullmatch(statement)
    if taken is None:
        return False
    name = taken["name"] or taken["of"]
    made = re.search(
        rf"\b{name}\s*(?::[^=;{{}}]{{1,60}})?=\s*(\w+)\s*\.\s*(?:list)?[iI]terator\b", text.plain
    )
    return not checks_size(text, name) and not (made and checks_size(text, made[1]))


def checks_size(text: Text, name: str) -> bool:
    """Whether a condition asks how many a collection has."""
    return re.search(_SIZE_ASKED.format(name), text.plain) is not None


def _is_absent(text: Text, name: str, attempt: Block, handler: str) -> bool:
    """Whether a name has nothing where an attempt fails that gives it something."""
    before = text.plain[text.block(attempt[0])[0] + 1 : attempt[0]]
    absent = re.compile(rf"\b{name}\s*(?::[^=;{{}}]{{1,60}})?={_NONE}")
    return any(map(absent.search, (before, handler)))


def outcome_decides(text: Text, attempt: Block, handler: str) -> bool:
    """Whether an end, or something else, depends on a count of a handler, or on what an attempt
    says at its own end."""
    names = [(name, True) for name in _COUNTS.findall(handler)]
    says = _SAYS.search(text.plain[attempt[0] : attempt[1]].rstrip()[-_LAST:])
    names += [(says[1], False)] if says else []
    whole, behind = (0, len(text.plain)), (attempt[1], text.block(attempt[0])[1])
    made = _MAKES.search(text.plain[attempt[0] : attempt[1]].rstrip()[-_LAST:])
    if made and _is_absent(text, made[1], attempt, handler) and any(
        failed is not None and not ignores_failure(text, place[1], failed)
        for place, failed, _ in _failed(text, made[1], False, behind)
    ):  # fmt: skip
        return True
    counted = "|".join(name for name, _ in names[:2]) or "(?!)"
    if ".poll(" not in text.plain and re.search(_TELLS.format(counted), text.plain):
        return True
    return any(
        failed is not None and not ignores_failure(text, place[1], failed)
        for name, value in names[:2] for place, failed, _ in _failed(text, name, value, whole)
    )  # fmt: skip
