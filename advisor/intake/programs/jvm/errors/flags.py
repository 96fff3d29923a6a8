"""Variables of JVM code that record whether something failed, and the code that checks them.

A consumer does not go back because nothing was committed: the next `poll()` starts after the record
that failed, and so does the next commit (KafkaConsumer javadoc). So a flag, or a list of errors,
that only prevents a commit does nothing about an error.
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
from advisor.intake.programs.jvm.surroundings import BREAK, JUMP, SEEK
from advisor.intake.programs.jvm.text import Block, Text

_MAX_MATCHES, _MAX_STATEMENT = 100, 200
_ADD = r"(?:add|put|offer|push|addLast)"
_STORING_STATEMENT = re.compile(
    rf"\s*(?:this\.)?(?P<name>\w+)\s*(?:=(?!=)\s*(?P<value>\w+|Optional\s*\.\s*empty\s*\(\s*\))|\.\s*{_ADD}\s*\(.*|\+=.*)\s*",
    re.DOTALL,
)
"""A statement that stores a value in a variable or a collection."""
_LAMBDA = re.compile(r"\A\s*(?:case\s*)?(?:\([\w\s,]*\)|\w+(?:\s*,\s*\w+)*)\s*[-=]>")
_DEAD_LETTER = re.compile(r"(?i)letter|dlq|dlt|quarantine|poison|parking")
"""Names of dead-letter queues."""
_WRITE_ACCESS = re.compile(rf"\s*(?:=(?!=)|;|:(?!:)|\+=|\.\s*(?:{_ADD[3:-1]}|clear)\s*\()")
_RESET = {
    True: re.compile(
        r"\s*(?::[^=;{}]{0,60})?(?:=\s*(?:false\b|null\b|0|new\b|None\b"
        r"|(?:\w+\s*\.\s*)?\w*(?:List|Set|Seq|Buffer|Map|Queue)\w*"
        r"\s*[(.<\[])|\.\s*clear\s*\()"
    ),
    False: re.compile(r"\s*(?::[^=;{}]{0,60})?=\s*(?:true\b|(?!new\b|if\b|when\b)\w[\w.]*+\s*\()"),
}
_CONDITION = (
    r"\bif\s*\(\s*(?P<not>!\s*)?(?:this\.)?{}\b\s*(?P<accessor>\.\s*\w+\s*(?:\(\s*\))?)?"
    r"\s*(?:(?P<operator>[!=]=|>)\s*(?P<value>null|true|false|0)\s*)?\)"
)
_PRESENT_CALL = (
    r"(?<![\w.]){0}\s*(?:\?\s*\.\s*(?:let|also|run|apply)|\.\s*(?:foreach|ifPresent))\s*[({{]"
)
"""A call that does nothing where a name has no value."""
_ALTERNATIVE = re.compile(r"\s*(?:\?:|\?\s*\.|\.)")
_NEGATIVE_ACCESSORS = ("isEmpty", "isFailure", "isLeft")
_ACCESSOR = re.compile(
    r"(?:isEmpty|isNotEmpty|nonEmpty|size|length|get|isFailure|isSuccess|isLeft|isRight|isDefined"
    r"|isPresent|any)"
)
_REMOVAL = re.compile(
    r"\s*(?:this\.)?(?:(?P<name>\w+)\s*\.\s*remove\w*\s*\(.*\)|(?P<receiver>\w+)\s*-=\s*(?!\d).*)\s*",
    re.DOTALL,
)
_SIZE_CHECK = (
    r"\b(?:if|while|check|require|assert\w*)\s*\([^;{{}}]*\b{0}\s*\.\s*(?:size|count|length"
    r"|contains)"
)
_INCREMENT = re.compile(
    r"\b(\w+)\s*(?:\+\+|\+=\s*1\b|\.\s*(?:incrementAndGet|getAndIncrement)\s*\(\s*\))"
)
_EXIT_CHECK = r"\b(?:exit|exitProcess|check|require|assert\w*)\s*\([^;{{}}\n]*\b(?:{0})\b"
"""An exit status, or an assertion, that reports a failure when the program ends."""
_LAST_FLAG = re.compile(r"(\w+)\s*=\s*true\s*;?\s*(?:break\b(?:@\w+)?\s*;?\s*)?$")
_LAST_ASSIGNMENT = re.compile(r"(?<![\w.])(\w+)\s*=(?!=)[^;=]{1,160};?\s*$")
_NO_VALUE = r"\s*(?:null|None|Optional\s*\.\s*empty\s*\(\s*\))(?!\w)"
_ROUND_END = re.compile(r"\b(?:continue|return)\b[^;{}]*;?\s*$")
_ELSE = re.compile(r"[\s;}]*\belse\b")
_COMMIT_STATEMENT = re.compile(r"\s*(?:\w+\s*\.\s*)*commit(?:Sync|Async)?\s*\(.*", re.DOTALL)


def branches(text: Text, at: int) -> tuple[str, str]:
    """Returns the code that runs if the condition that ends at an offset holds, and the code that
    runs otherwise."""
    then, other = (text.plain[slice(*span)] for span in _branch_spans(text, at))
    return then.removeprefix("{"), other.removeprefix("{")


def _branch_spans(text: Text, at: int) -> tuple[Block, Block]:
    """Returns the spans of both branches; the second is empty without an `else`."""
    start, end = text.controlled_block(at)
    after = end + (text.plain[end : end + 1] in ("}", ";"))
    other = _ELSE.match(text.plain, after, after + 40)
    return (start, end), text.controlled_block(other.end()) if other else (after, after)


def ignores_failure(
    text: Text, at: int, code: str, *, loops: Sequence[Block] = (), in_function: bool = False
) -> bool:
    """Whether the code for a failure, after a condition that ends at an offset, only logs it,
    commits, or leaves one of `loops`, which are over polled records."""
    if breaks_one_of(text, at, loops) and not SEEK.search(text.plain, at, text.block(at)[1]):
        code = BREAK.sub("", code)
    return only_logs(code, in_function=in_function, others=_COMMIT_STATEMENT.fullmatch)


def commits_only_if(text: Text, at: int, *, in_function: bool = False) -> bool:
    """Whether the code after a condition that ends at an offset commits, and nothing is done where
    the condition does not hold."""
    then, failed = branches(text, at)
    ends = JUMP.search(then) or SEEK.search(text.plain, at, text.block(at)[1])
    commits = any(map(_COMMIT_STATEMENT.fullmatch, re.split(r"[;{}\n]", then)))
    return commits and not ends and ignores_failure(text, at, failed, in_function=in_function)


def _checks(
    text: Text, name: str, value: bool, span: Block
) -> Iterator[tuple[Block, str | None, Block]]:
    """Yields the span of each condition on a name, the code that runs where the name has this
    value, and the span that does not run then. The code is None if it is unknown, or if it follows
    the whole `if`."""
    for match in islice(
        re.compile(_CONDITION.format(name)).finditer(text.plain, *span), _MAX_MATCHES
    ):
        accessor = re.sub(r"\W", "", match["accessor"] or "")
        holds = value is not (accessor in _NEGATIVE_ACCESSORS)
        holds = holds is not (bool(match["operator"] == "==") and match["value"] != "true")
        holds = holds is not (match["operator"] == "!=" and match["value"] == "true")
        holds = holds is not bool(match["not"])
        then, other = branches(text, match.end())
        failed, rest = (then, other) if holds else (other, then)
        is_known = not accessor or _ACCESSOR.fullmatch(accessor)
        then_span, else_span = _branch_spans(text, match.end())
        unreached = else_span if holds else then_span
        if holds and _ROUND_END.search(then) and not other:
            unreached = else_span[0], text.block(match.start())[1]
        code = failed if is_known and (holds or not JUMP.search(rest)) else None
        yield match.span(), code, unreached


def is_never_checked(
    text: Text, name: str, value: bool, span: Block, *,
    loops: Sequence[Block] = (), in_function: bool = False, ignored_spans: Sequence[Block] = (),
) -> bool:  # fmt: skip
    """Whether nothing in a span is done where a name has this value. Uses in `ignored_spans` do not
    count."""
    span, clears = (max(0, span[0]), span[1]), re.compile(rf"\b{name}\s*\.\s*clear\s*\(\s*\)")
    ignored = [*log_arguments(text, span), *_logging_loops(text, name, span), *ignored_spans]
    for place, failed, unreached in _checks(text, name, value, span):
        if failed is None or not ignores_failure(
            text, place[1], clears.sub("", failed), loops=loops, in_function=in_function
        ):
            return False
        ignored += [place, unreached]
    for call in islice(
        re.compile(_PRESENT_CALL.format(name)).finditer(text.plain, *span),
        0 if value else _MAX_MATCHES,
    ):
        end = text.closed(call.end())
        ignored += [] if _ALTERNATIVE.match(text.plain, end) else [(call.start(), end)]
    uses = islice(re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, *span), _MAX_MATCHES)
    return all(
        _WRITE_ACCESS.match(text.plain, use.end()) or any(a <= use.start() < b for a, b in ignored)
        for use in uses
    )


def _logging_loops(text: Text, name: str, span: Block) -> Iterator[Block]:
    """Yields the spans of loops over the value of a name that only log its elements."""
    for _, body in record_loops.record_loops(text, {name}, span):
        code = _LAMBDA.sub("", text.plain[body[0] + 1 : body[1]]).strip("{}() \n")
        if only_logs(code):
            yield max(span[0], text.plain.rfind(name, span[0], body[0])), body[1]


def stores_unused_error(text: Text, statement: str) -> bool:
    """Whether a statement stores an error in a variable that nothing reads, or that only decides
    about a commit and is reset in each round of the loop."""
    stored = _STORING_STATEMENT.fullmatch(statement)
    if stored is None:
        return False
    name, value, whole = (
        stored["name"],
        not re.match(r"(?:false|null|None|Optional)\b", stored["value"] or ""),
        (0, len(text.plain)),
    )
    uses = [*islice(re.finditer(rf"\b{name}\b", text.plain), _MAX_MATCHES)]
    if all(_WRITE_ACCESS.match(text.plain, use.end()) for use in uses):
        is_dead_letter = _DEAD_LETTER.search(name) and not re.search(
            COLLECTION.format(name), text.plain
        )
        return stored["value"] not in ("true", "false") and not is_dead_letter
    is_reset = any(
        _RESET[value].match(text.plain, use.end()) and is_in_loop(text, use.start()) for use in uses
    )
    return is_reset and is_never_checked(text, name, value, whole)


def removes_from_collection(text: Text, statement: str) -> bool:
    """Whether a statement removes an element from a collection, also by its iterator, and no
    condition checks the size of the collection."""
    removal = _REMOVAL.fullmatch(statement)
    if removal is None:
        return False
    name = removal["name"] or removal["receiver"]
    iterator = re.search(
        rf"\b{name}\s*(?::[^=;{{}}]{{1,60}})?=\s*(\w+)\s*\.\s*(?:list)?[iI]terator\b", text.plain
    )
    return not checks_size(text, name) and not (iterator and checks_size(text, iterator[1]))


def checks_size(text: Text, name: str) -> bool:
    """Whether a condition checks the size of a collection."""
    return re.search(_SIZE_CHECK.format(name), text.plain) is not None


def _is_absent(text: Text, name: str, attempt: Block, handler: str) -> bool:
    """Whether a name has no value where the attempt that assigns it fails."""
    before = text.plain[text.block(attempt[0])[0] + 1 : attempt[0]]
    absent = re.compile(rf"\b{name}\s*(?::[^=;{{}}]{{1,60}})?={_NO_VALUE}")
    return any(map(absent.search, (before, handler)))


def outcome_decides(text: Text, attempt: Block, handler: str) -> bool:
    """Whether the exit status, or other code, depends on a counter of the handler, or on what the
    last statement of the attempt sets."""
    names = [(name, True) for name in _INCREMENT.findall(handler)]
    flag = _LAST_FLAG.search(text.plain[attempt[0] : attempt[1]].rstrip()[-_MAX_STATEMENT:])
    names += [(flag[1], False)] if flag else []
    whole, after = (0, len(text.plain)), (attempt[1], text.block(attempt[0])[1])
    assigned = _LAST_ASSIGNMENT.search(
        text.plain[attempt[0] : attempt[1]].rstrip()[-_MAX_STATEMENT:]
    )
    if assigned and _is_absent(text, assigned[1], attempt, handler) and any(
        failed is not None and not ignores_failure(text, place[1], failed)
        for place, failed, _ in _checks(text, assigned[1], False, after)
    ):  # fmt: skip
        return True
    outcomes = "|".join(name for name, _ in names[:2]) or "(?!)"
    if ".poll(" not in text.plain and re.search(_EXIT_CHECK.format(outcomes), text.plain):
        return True
    return any(
        failed is not None and not ignores_failure(text, place[1], failed)
        for name, value in names[:2] for place, failed, _ in _checks(text, name, value, whole)
    )  # fmt: skip
