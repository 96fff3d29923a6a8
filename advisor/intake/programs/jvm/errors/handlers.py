"""Error handlers of JVM code that only log the error and go on.

Java and Kotlin have `catch (…)`, Scala `catch { case … => }`, and what keeps an error as a value:
Scala's `Try`, Kotlin's `runCatching`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.errors import error_branches, missing_targets, result_lists
from advisor.intake.programs.jvm.errors.flags import (
    outcome_decides,
    removes_from_collection,
    stores_unused_error,
)
from advisor.intake.programs.jvm.log_only import SEEKS_NEXT, Others, never, only_logs
from advisor.intake.programs.jvm.text import Block, Text, arguments

_MOST, _LONGEST = 100, 4_000
_HARMLESS_ERRORS = (
    r"(?:Wakeup|Interrupted|ClosedByInterrupt|Cancellation|Kafka|CommitFailed|RetriableCommitFailed"
    r"|Rebalance\w*|Duplicate\w*|\w*Unique\w*|\w*AlreadyExists|\w*IntegrityConstraint\w*"
    r"|ProducerFenced|OutOfOrder\w*)"
)
"""Errors that are not of a record, or say that it was processed before."""
_ALL = (
    rf"(?:[\w.]*\.)?(?!{_HARMLESS_ERRORS}(?:Exception|Error)\b)\w*(?:Exception|Throwable|Error)\b"
)
CATCH = re.compile(
    rf"\bcatch\s*\(\s*(?:final\s+)?(?:@\w+\s+)?(?:[\w.]+\s*(?:\|\s*|:\s*))*{_ALL}"
    r"[^){]{0,200}\)\s*\{|\bcatch\s*\(\s*\w+\s*\)\s*\{"
)
"""Of Java and Kotlin: of any error that may be one of a record; Groovy's needs no type."""
_CANCELLED = re.compile(r"\bcatch\s*\(\s*\w+\s*:\s*CancellationException\s*\)\s*\{")
"""Of Kotlin: also what `withTimeout` throws (kotlinx.coroutines, TimeoutCancellationException)."""
_IN_TIME = re.compile(r"\bwithTimeout\s*\(")
_CASES = re.compile(r"\bcatch\s*\{")
_CASE = re.compile(r"\bcase\b([^=]{1,120})=>")
_TAKES_ALL = re.compile(
    rf"\s*(?:\w+|NonFatal\s*\(\s*\w+\s*\)|\w+\s*:\s*(?:[\w.]+\s*\|\s*)*{_ALL}|\w+\s*@.*)\s*"
)
_VALUE = re.compile(
    r"(?:(?<=[;{}\n:])|=>|->|<-|\belse\b)[ \t]*(?:\w+\s*\.\s*)?\b"
    r"(?:Try\s*(?:\.\s*(?:run|of)\w*\s*)?[({]|runCatching\s*\{"
    r"|Either\s*\.\s*catch\w*\s*(?:\[\w+\]\s*)?[({]"
    r"|(?:(?:allCatch|nonFatalCatch|catching\s*\([^(){}]{1,200}\))\s*\.\s*\w+"
    r"|ignoring\s*\([^(){}]{1,200}\))\s*[({]"
    r"|Using\s*\([^(){}\n]{0,100}(?:\([^(){}\n]{0,80}\))?[^(){}\n]{0,40}\)\s*\{|decode\s*\[\w+\]\s*\()"
)
"""What makes a value of an error: `Using` of Scala closes what it is given, too, and `decode` of
circe parses."""
_HANDS_ON = re.compile(r"\b(?:recoverWith|flatMap|orElse|transform)\s*$")
"""What takes the value of its cases."""
_AS_OPTION = re.compile(r"\s*\.\s*toOption\b")
_KEPT = re.compile(r"=\s*(?:\w+\s*\.\s*)?(?:runCatching\s*\{|Try\s*[({])")
_VALUES = re.compile(r"\s*(?:\w+|\d+|-1|\(\))\s*")
"""A plain value in place of an error."""
_OR_GOES_ON = re.compile(r"\s*\.\s*getOrNull\s*\(\s*\)\s*\?:\s*(?:continue|return)\b")
_OR_LEAVES = re.compile(r"\s*\.\s*getOrElse\s*\{")
_JUMPS = re.compile(r"\b(?:continue|return)\b(?:@\w+)?[\s;]*$")
_LINK = re.compile(
    r"\s*\.\s*(?P<verb>\w+)\s*(?:<[\w<>?, ]{0,40}>\s*)?(?P<opened>[({])?|\s*match\s*\{"
)
_PASSES = frozenset({
    "onSuccess", "also", "map", "mapCatching", "apply", "foreach", "forEach", "andThen", "peek",
    "let", "tap", "flatMap", "run", "left", "failed", "swap", "void",
})  # fmt: skip
"""Steps of a chain that hand an error on, or do nothing for it, and what in them asks for it."""
_LOOKS_AT = re.compile(
    r"\b(?:is(?:Fail|Err|Success)\w*|has(?:Fail|Err)\w*|exceptionOrNull|getOrThrow|fold|failed"
    r"|getCause|onFailure)\b"
)
_ON_ERROR = frozenset({
    "onFailure", "recover", "recoverWith", "recoverCatching", "fold", "getOrElse", "onLeft",
    "match", "leftMap", "mapLeft", "valueOr", "leftTraverse", "handleError", "handleErrorWith",
    "getOrElseGet", "mapFailure", "ifPresentOrElse", "peekLeft", "ifLeft", "ifFailure",
})  # fmt: skip
_REPLACES = frozenset({"recover", "recoverCatching"})
"""What puts a value in the place of an error."""
_OF_ERROR = frozenset({"left", "failed", "swap"})
"""What makes the error the value that is handed on."""
NAMED_SIDE = re.compile(r"\s*\b(?:onFailure|ifLeft|ifFailure|fa|fe|failed|left)\s*=(?![=>])")
"""An argument of `fold` that is for an error, by its name."""
_DROPS = frozenset({
    "toOption", "getOrNull", "orNull", "isSuccess", "isFailure", "getOrDefault", "toEither",
    "orElse",
})  # fmt: skip
"""What leaves nothing of an error, or hands on another value."""
_TAKES_IT = re.compile(r"\s*(?:\.|\?|match\b|[!=]=|&&|\|\|)")
_OR_ELSE = re.compile(r"\s*\?:\s*([^\n;}]*)")
_MOST_LINKS = 12
_OF_FAILURE = re.compile(r"\.\s*(?:error|warn\w*|severe|fatal)\s*[({]")
"""How a log is told of an error."""
_IS_FUNCTION = re.compile(r"^\s*\{|[-=]>|::|_\s*\.")
_OF_SUCCESS = re.compile(r"\b(?:Success|Some|Right|Valid)\b")
_WITHOUT_NAME = re.compile(r"^\s*(?:\(\s*\)|\(?\w+\)?)\s*[-=]>")
_GONE = re.compile(r"\b[\w.]*(?:NotFound|NoSuch|NotExist|Gone)\w*\s*(?:\w+\s*)?\)")
_DELETES = re.compile(r"(?:delete|remove|unlink|purge|evict|drop|deregister|revoke)[A-Z]?\w*")
_CALLS = re.compile(r"(\w+)\s*\(")
_PARTS = re.compile(
    r"[A-Z]\w*|key|value|id|of|get[A-Z]\w*|topic|bucket|builder|build|parse\w*|from\w*"
)
"""What makes the arguments of a call."""
_ONE_CALL = re.compile(r"\s*(?:this\.)?(\w+)\s*\([^()]*\)\s*")
_DEEPEST_CALL = 2
_FIRST_CALL = re.compile(r"[\s;]*(?:return\s+)?[\w.]+\s*\([^(){};]*(?:\([^()]*\)[^(){};]*)*\)")
_BREAK = re.compile(r"\bbreak(?:@\w+)?\b")
_CAUGHT = re.compile(r"\s*catch\s*\([^(){}]{0,200}\)\s*\{")
_RETURNS_AFTER = re.compile(r"\bif\s*\([^{}]*(?:[<>]|==)[^{}]*\)\s*\{[^{}]*\breturn\b[^{}]*\}")
_HEAD = 200
_WALKS = (
    r"[^{};\n]*(?:[<>]|\bhasNext\b|\b(?:is|isNot|non)Empty\b"
    r"|=\s*\w+\s*\.\s*(?:poll|take|next|pop|read\w*)\s*\()"
)
"""The condition of a loop that takes one after the other."""
_TRIES = re.compile(rf"\b(?:while\s*\((?!{_WALKS})[^{{}}]*\)|for\s*\(\s*;\s*;[^{{}}]*\))\s*$")
_LOOKS = re.compile(r"\.\s*(?:peek|element|peekFirst)\s*\(\s*\)")
"""What leaves the first of a queue where it is."""
_PASSES_BY = r"(?=[^{};]*(?i:retr[iy]|transient|recoverable|temporar))[^{};]*"
_OF_PASSING = re.compile(
    rf"\bif\s*\(\s*(?!!){_PASSES_BY}\)\s*(?:\{{\s*throw\b[^;{{}}]*;?\s*\}}|throw\b[^;{{}}\n]*;?)"
)
"""A condition of errors that another try may end, which are thrown again."""
_LASTING = re.compile(
    rf"\bif\s*\(\s*!{_PASSES_BY}\)\s*\{{(?P<body>[^{{}}]*)\}}\s*(?:else\s*\{{\s*)?throw\b"
)
"""One of the others."""
_DO = re.compile(r"\bdo\s*$")
_UNTIL = re.compile(rf"\s*while\s*\((?!\s*false\b|{_WALKS})")
"""The condition behind the braces of `do`."""
_BOUNDED = re.compile(
    r"\b(?:while\s*\([^{}]*[<>][^{}]*\)|repeat\s*\([^{}]*\)|for\s*\([^{};]*;[^{};]+;[^{}]*\)"
    r"|for\s*\(\s*\w+\s*(?:\bin\b|<-)\s*\d+[^{}]*\))\s*$"
)
"""Loops that try so many times, and then go on."""
BOOLEAN = re.compile(r"\s*(?:return\s+)?(?:true|false)\s*")
"""A statement that says whether something succeeded."""


@dataclass(frozen=True, slots=True)
class Handler:
    """A handler of any error: where it stands, and the block whose errors it takes."""

    at: int
    attempt: Block


def swallowing_handlers(
    text: Text, *, in_function: bool = False, leaves: bool = False, others: Others = never
) -> Iterator[Handler]:
    """The handlers that do nothing but write of an error, from each of which the program goes on
    behind the block, or, `in_function`, returns; with `leaves`, behind the loop around it. `others`
    are statements that do no more."""

    def does_no_more(statement: str) -> bool:
        return bool(others(statement)) or _only_tells(text, statement, _DEEPEST_CALL)

    def is_silent(body: str) -> bool:
        bare = _BREAK.sub("", _of_lasting(body))
        own = bool(_BREAK.search(body)) == leaves
        return own and only_logs(bare, in_function=in_function, others=does_no_more)

    for match in islice(CATCH.finditer(text.plain), _MOST):
        block = text.block_of(match.end() - 1)
        body = text.plain[block[0] + 1 : block[1]]
        yield from _handler(text, match.start(), body, is_silent, block)
    for match in islice(_CANCELLED.finditer(text.plain), _MOST):
        block = text.block_of(match.end() - 1)
        attempt = text.attempt(match.start())
        if attempt and _IN_TIME.search(text.plain, *attempt):
            body = text.plain[block[0] + 1 : block[1]]
            yield from _handler(text, match.start(), body, is_silent)
    for match in islice(_CASES.finditer(text.plain), _MOST):
        block = text.block_of(match.end() - 1)
        for taken, body in _cases(text.plain[block[0] + 1 : block[1]][:_LONGEST]):
            if _TAKES_ALL.fullmatch(taken):
                yield from _handler(text, match.start(), body, is_silent)
    yield from () if leaves else _values(text)


def _of_lasting(body: str) -> str:
    """What a handler does where an error is none that may pass, of which it throws those again."""
    lasting = _LASTING.search(body)
    return lasting["body"] if lasting else _OF_PASSING.sub("", body)


def _handler(
    text: Text, at: int, body: str, is_silent: Callable[[str], bool], block: Block | None = None
) -> Iterator[Handler]:
    attempt = text.attempt(at) or text.bare_attempt(at)
    if attempt is None or outcome_decides(text, attempt, body) or is_gone(text, at, attempt):
        return
    ways = error_branches.branches(text, at, block, attempt) if block else []
    if any(is_silent(each) for way in ways or [body] for each in missing_targets.branches(way)):
        yield Handler(at, attempt)


def is_gone(text: Text, at: int, attempt: Block) -> bool:
    """Whether a handler is of what was deleted before, and its attempt deletes."""
    caught = text.plain[at : text.plain.find("{", at)]
    verbs = [verb for verb in _CALLS.findall(text.plain, *attempt) if not _PARTS.fullmatch(verb)]
    return bool(_GONE.search(caught) and verbs) and all(map(_DELETES.fullmatch, verbs))


def _only_tells(text: Text, statement: str, depth: int) -> bool:
    """Whether a statement is a call of a method of the file that only writes of an error."""
    if stores_unused_error(text, statement) or removes_from_collection(text, statement):
        return True
    call = _ONE_CALL.fullmatch(statement)
    bodies = text.bodies(call[1]) if call and depth else []
    return bool(bodies) and all(
        only_logs(
            text.plain[start + 1 : end],
            in_function=True,
            others=lambda it: _only_tells(text, it, depth - 1),
        )
        for start, end in bodies
    )


def _cases(body: str) -> Iterator[tuple[str, str]]:
    """What each `case` of Scala takes, and does."""
    cases = [*_CASE.finditer(body)]
    ends = [case.start() for case in cases[1:]] + [len(body)]
    for case, end in zip(cases, ends, strict=False):
        yield case[1], body[case.end() : end]


def _values(text: Text) -> Iterator[Handler]:
    """Errors that are kept as a value which nothing reads, or of which is only written."""
    for match in islice(_VALUE.finditer(text.plain), _MOST):
        end = text.closed(match.end())
        if match[0].startswith("<-") and not _AS_OPTION.match(text.plain, end):
            continue  # of a Try
        around = text.around(match.start())[-1:] if match[0].startswith("=>") else []
        if any(_HANDS_ON.search(head) for _, _, head in around):
            continue  # what is tried instead
        is_dropped = _is_dropped(text, end, is_last="runCatching" in match[0])
        if is_dropped and not result_lists.are_errors_checked(text, match.end() - 1, end):
            yield Handler(match.start(), (match.end() - 1, end))


def chains_only_logging(text: Text, name: str, span: Block) -> Iterator[Block]:
    """The chains of calls behind a name that do no more than write of an error that it has."""
    starts = re.compile(
        rf"(?<![\w.]){name}(?=\s*(?:\.\s*(?:on[FLS]|peekLeft|ifLeft|ifFailure|left\b|fold|map|leftMap|ifPresentOr|foreach)|match\b))"
    )
    for match in islice(starts.finditer(text.plain, *span), _MOST):
        if _is_dropped(text, match.end(), is_last=None):
            yield match.start(), match.end()


def _is_dropped(text: Text, end: int, *, is_last: bool | None) -> bool:
    """Whether nothing of a chain behind a value with an error does more than write of that;
    `is_last` says that `fold` has the function for an error last, as that of Kotlin's Result."""
    before = ""
    for _ in range(_MOST_LINKS):
        link = _LINK.match(text.plain, end)
        if link is None:
            other = _OR_ELSE.match(text.plain, end)
            writes = bool(other) and only_logs(other[1] if other else "", in_function=True)
            return writes or not _TAKES_IT.match(text.plain, end)
        verb, given = link["verb"] or "match", ""
        end = link.end()
        if link["opened"] or verb == "match":
            end = text.closed(link.end())
            given = text.plain[link.end() : end - 1]
        if verb in _ON_ERROR or before in _OF_ERROR:
            if not only_logs_error(error_function(given, is_last=is_last)):
                return False
        elif verb in _PASSES:
            if _LOOKS_AT.search(given):
                return False
        elif verb not in _DROPS and not (before in _REPLACES and verb in ("get", "getOrThrow")):
            return False
        before = verb
    return False


def error_function(given: str, *, is_last: bool | None) -> str:
    """What of two functions that `fold` is given is done for an error; all where it is one. Where
    its type does not tell whether that `is_last`, what writes of an error is, or what acts."""
    parts = [part for part in arguments(f"{given})", 0, f"{given})", len(given) + 1) if part]
    for part in parts:
        if named := NAMED_SIDE.match(part):
            return part[named.end() :]
    if len(parts) != 2 or not all(_IS_FUNCTION.search(part) for part in parts):
        return given
    if is_last is None:
        return min(parts, key=lambda part: (not _OF_FAILURE.search(part), only_logs_error(part)))
    return parts[-1 if is_last else 0]


def only_logs_error(given: str) -> bool:
    """Whether what is done for an error only writes of it, or gives an empty value for it."""
    cases = [own for taken, own in _cases(given) if not _OF_SUCCESS.search(taken)]
    body = _WITHOUT_NAME.sub("", re.sub(r"^\s*\{|\}\s*$", "", given))
    return all(
        only_logs(case, in_function=True, others=_VALUES.fullmatch) for case in cases or [body]
    )


def seeks_past_record(text: Text, handler: Handler) -> bool:
    """Whether a handler goes on behind the record that an error is of."""
    block = text.block_of(text.plain.find("{", handler.at))
    return re.compile(SEEKS_NEXT).search(text.plain, *block) is not None


def skipped_unparsable(text: Text, block: Block) -> Iterator[int]:
    """Where a record is left whose value cannot be made: `.getOrNull() ?: continue`, or
    `.getOrElse { log.warn("x"); return }`."""
    for match in islice(_KEPT.finditer(text.plain, max(0, block[0]), block[1]), _MOST):
        end = text.closed(match.end())
        if _OR_GOES_ON.match(text.plain, end):
            yield match.start()
        elif other := _OR_LEAVES.match(text.plain, end):
            body = text.plain[other.end() : text.block_of(other.end() - 1)[1]]
            if _JUMPS.search(body) and only_logs(_WITHOUT_NAME.sub("", body), in_function=True):
                yield match.start()


def is_retried(text: Text, attempt: Block, block: Block) -> bool:
    """Whether an attempt in a block is made until it succeeds, or an error ends the block behind
    so many attempts."""
    if _gives_up(text, attempt):
        return False
    inner = [(start, end) for start, end, _ in text.around(attempt[0]) if start > block[0]]
    loops = [text.plain[max(0, start - _HEAD) : start] for start, _ in inner]
    around = [*zip(loops, inner, strict=True)]
    done = [end for loop, (_, end) in around if _DO.search(loop)]
    again = any(_UNTIL.match(text.plain, end + 1) for end in done)
    bounded = bool(done) or any(map(_BOUNDED.search, loops))
    is_left = bool(loops and _LOOKS.search(text.plain, *attempt))
    behind = text.plain[attempt[1] : block[1]]
    throws = bool(re.search(r"\bthrow\b", behind)) or _is_done_again(text, attempt, inner)
    return is_left or again or any(map(_TRIES.search, loops)) or (throws and bounded)


def _gives_up(text: Text, attempt: Block) -> bool:
    """Whether a handler returns after so many attempts, and only writes of that."""
    caught = _CAUGHT.match(text.plain, attempt[1] + 1)
    block = text.block_of(caught.end() - 1) if caught else attempt
    body = text.plain[block[0] + 1 : block[1]] if caught else ""
    return bool(_RETURNS_AFTER.search(body)) and only_logs(body, in_function=True)


def _is_done_again(text: Text, attempt: Block, inner: Sequence[Block]) -> bool:
    """Whether what is attempted in a loop is done once more behind that, where nothing takes an
    error: `repeat(2) { try { save(r); return } catch … }; save(r)`."""
    if not inner:
        return False
    first = _FIRST_CALL.match(text.plain, attempt[0] + 1, attempt[1])
    once_more = _FIRST_CALL.match(text.plain, inner[0][1] + 1)
    return bool(first and once_more) and first[0].strip("; \n") == once_more[0].strip("; \n")  # type: ignore[index]
