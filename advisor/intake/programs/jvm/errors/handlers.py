"""Error handlers of JVM code that swallow the error: they only log it, and the program continues.

Java and Kotlin have `catch (…)`, and Scala has `catch { case … => }`. Scala's `Try` and Kotlin's
`runCatching` hold an error as a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.conditions import DELETES, NOT_FOUND
from advisor.intake.programs.jvm.errors import error_branches, missing_targets, result_lists
from advisor.intake.programs.jvm.errors.error_functions import (
    cases,
    error_function,
    only_logs_error,
)
from advisor.intake.programs.jvm.errors.flags import (
    outcome_decides,
    removes_from_collection,
    stores_unused_error,
)
from advisor.intake.programs.jvm.log_only import SEEKS_NEXT, Others, never, only_logs
from advisor.intake.programs.jvm.records.derived_names import is_logged
from advisor.intake.programs.jvm.surroundings import BREAK, LAMBDA_HEAD
from advisor.intake.programs.jvm.text import Block, Text

_MAX_MATCHES, _MAX_BODY = 100, 4_000
_HARMLESS_ERRORS = (
    r"(?:Wakeup|Interrupted|ClosedByInterrupt|Cancellation|Kafka|CommitFailed|RetriableCommitFailed"
    r"|Rebalance\w*|Duplicate\w*|\w*Unique\w*|\w*AlreadyExists|\w*IntegrityConstraint\w*"
    r"|ProducerFenced|OutOfOrder\w*)"
)
"""Errors that no record causes, or that say that a record was processed before."""
_ANY_ERROR = (
    rf"(?:[\w.]*\.)?(?!{_HARMLESS_ERRORS}(?:Exception|Error)\b)"
    r"(?:\w*(?:Exception|Throwable|Error)|[A-Z]\w*)\b(?!\.)"
)
"""The name of a type: most end so, but those of a team's own need not (`SaveFailed`)."""
CATCH = re.compile(
    rf"\bcatch\s*\(\s*(?:final\s+)?(?:@\w+\s+)?(?:[\w.]+\s*(?:\|\s*|:\s*))*{_ANY_ERROR}"
    r"[^){]{0,200}\)\s*\{|\bcatch\s*\(\s*\w+\s*\)\s*\{"
)
"""A `catch` of Java or Kotlin for any error that a record may cause; Groovy's needs no type."""
_CANCELLATION_CATCH = re.compile(r"\bcatch\s*\(\s*\w+\s*:\s*CancellationException\s*\)\s*\{")
"""A `catch` of Kotlin that also handles the timeout of `withTimeout` (kotlinx.coroutines,
TimeoutCancellationException)."""
_WITH_TIMEOUT = re.compile(r"\bwithTimeout\s*\(")
_CATCH_CASES = re.compile(r"\bcatch\s*\{")
_CATCH_ALL_PATTERN = re.compile(
    rf"\s*(?:\w+|NonFatal\s*\(\s*\w+\s*\)|\w+\s*:\s*(?:[\w.]+\s*\|\s*)*{_ANY_ERROR}|\w+\s*@.*)\s*"
)
_ERROR_VALUE = re.compile(
    r"(?:(?<=[;{}\n:(,+])|=>(?:[ \t]*Future\s*\()?|->|<-|\belse\b)[ \t]*(?:\w+\s*\.\s*)?\b"
    r"(?:Try\s*(?:\.\s*(?:run|of)\w*\s*)?[({]|runCatching\s*\{"
    r"|Either\s*\.\s*catch\w*\s*(?:\[\w+\]\s*)?[({]"
    r"|(?:(?:allCatch|nonFatalCatch|catching\s*\([^(){}]{1,200}\))\s*\.\s*\w+"
    r"|ignoring\s*\([^(){}]{1,200}\))\s*[({]"
    r"|Using\s*\([^(){}\n]{0,100}(?:\([^(){}\n]{0,80}\))?[^(){}\n]{0,40}\)\s*\{|decode\s*\[\w+\]\s*\("
    r"|\w+\s*\((?=[^(){};\n]{0,120}\)\s*\.\s*toOption\b))"
)
"""Calls that return an error as a value. Scala's `Using` also closes its resource, and `decode` is
circe's parser. In the arguments of another call, only a log ignores the error."""
_CASE_VALUE_COMBINATOR = re.compile(r"\b(?:recoverWith|flatMap|orElse|transform)\s*$")
"""Combinators that use the value of a case clause."""
_TO_OPTION = re.compile(r"\s*\.\s*toOption\b")
_ASSIGNED_ATTEMPT = re.compile(
    r"=\s*(?:\w+\s*\.\s*)?(?:runCatching\s*\{|Try\s*[({]|(?:parse|decode|deserial)\w*\s*\()"
)
_OR_SKIP = re.compile(r"\s*\.\s*getOrNull\s*\(\s*\)\s*\?:\s*(?:continue|return)\b")
_GET_OR_ELSE = re.compile(r"\s*\.\s*getOrElse\s*\{")
_JUMP = re.compile(r"\b(?:continue|return)\b(?:@\w+)?[\s;]*$")
_CHAINED_CALL = re.compile(
    r"\s*\.\s*(?P<verb>\w+)\s*(?:<[\w<>?, ]{0,40}>\s*)?(?P<opened>[({])?|\s*match\s*\{"
)
_NEUTRAL_CALLS = frozenset({
    "onSuccess", "also", "map", "mapCatching", "apply", "foreach", "forEach", "andThen", "peek",
    "let", "tap", "flatMap", "run", "left", "failed", "swap", "void",
})  # fmt: skip
"""Calls in a chain that pass an error through, or do nothing for it."""
_ERROR_CHECK = re.compile(
    r"\b(?:is(?:Fail|Err|Success)\w*|has(?:Fail|Err)\w*|exceptionOrNull|getOrThrow|fold|failed"
    r"|getCause|onFailure)\b"
)
"""A check of the error in the arguments of such a call."""
_ERROR_CALLS = frozenset({
    "onFailure", "recover", "recoverWith", "recoverCatching", "fold", "getOrElse", "onLeft",
    "match", "leftMap", "mapLeft", "valueOr", "leftTraverse", "handleError", "handleErrorWith",
    "getOrElseGet", "mapFailure", "ifPresentOrElse", "peekLeft", "ifLeft", "ifFailure",
})  # fmt: skip
_RECOVERY_CALLS = frozenset({"recover", "recoverCatching"})
"""Calls that replace an error with a value."""
_ERROR_PROJECTIONS = frozenset({"left", "failed", "swap"})
"""Calls that make the error the value of the chain."""
_DISCARDING_CALLS = frozenset({
    "toOption", "getOrNull", "orNull", "isSuccess", "isFailure", "getOrDefault", "toEither",
    "orElse",
})  # fmt: skip
"""Calls that discard the error, or return another value."""
_VALUE_USE = re.compile(r"\s*(?:\.|\?|match\b|[!=]=|&&|\|\|)")
_ELVIS = re.compile(r"\s*\?:\s*([^\n;}]*)")
_MAX_CHAINED_CALLS = 12
_NOT_FOUND_ERROR = re.compile(rf"\b[\w.]*{NOT_FOUND}\w*\s*(?:\w+\s*)?\)")
_CALL = re.compile(r"(\w+)\s*\(")
_ARGUMENT_VERB = re.compile(
    r"[A-Z]\w*|key|value|id|of|get[A-Z]\w*|topic|bucket|builder|build|parse\w*|from\w*"
)
"""Calls that build the arguments of another call."""
_METHOD_CALL = re.compile(r"\s*(?:this\.)?(\w+)\s*\([^()]*\)\s*")
_MAX_CALL_DEPTH = 2
_FIRST_CALL = re.compile(r"[\s;]*(?:return\s+)?[\w.]+\s*\([^(){};]*(?:\([^()]*\)[^(){};]*)*\)")
_RETURN = re.compile(r"\breturn\b(?:@\w+)?\s*(?:true\b\s*)?;?\s*$")
_RETURN_VALUE = re.compile(r"\breturn\s+(?![;}\s])")
_COLLECTION_OF_ERRORS = re.compile(r"\s*(\w+)\s*(?:\+=|\.\s*add\s*\()")
_ALERT = re.compile(
    r"\s*(?:(?:\w+\s*\.\s*)*(?i:alert\w*|notifier|pager\w*|slack\w*|opsgenie\w*)\s*\.\s*\w+"
    r"|(?:\w+\s*\.\s*)?(?:notify|alert|page)(?:Team|Ops|OnCall|Admins?|Support|Operators?))\s*\(.*",
    re.DOTALL,
)
"""A statement that tells people about an error, and does nothing about its record."""
_NEXT_CATCH = re.compile(r"\s*catch\s*\([^(){}]{0,200}\)\s*\{")
_RETURN_AFTER_ATTEMPTS = re.compile(
    r"\bif\s*\([^{}]*(?:[<>]|==)[^{}]*\)\s*\{[^{}]*\breturn\b[^{}]*\}"
)
_MAX_LOOP_HEAD = 200
_ITERATION = (
    r"[^{};\n]*(?:[<>]|\bhasNext\b|\b(?:is|isNot|non)Empty\b"
    r"|=\s*\w+\s*\.\s*(?:poll|take|next|pop|read\w*)\s*\()"
)
"""The condition of a loop that takes one element after the other."""
_RETRY_LOOP = re.compile(
    rf"\b(?:while\s*\((?!{_ITERATION})[^{{}}]*\)|for\s*\([^;{{}}()]*;\s*;[^{{}}]*\))\s*$"
)
_PEEK_CALL = re.compile(r"\.\s*(?:peek|element|peekFirst)\s*\(\s*\)")
"""Calls that leave the head of a queue in its place."""
_TRANSIENT_CONDITION = r"(?=[^{};]*(?i:retr[iy]|transient|recoverable|temporar))[^{};]*"
_TRANSIENT_RETHROW = re.compile(
    rf"\bif\s*\(\s*(?!!){_TRANSIENT_CONDITION}\)\s*(?:\{{\s*throw\b[^;{{}}]*;?\s*\}}|throw\b[^;{{}}\n]*;?)"
)
"""An `if` that rethrows transient errors, which another attempt may resolve."""
_PERMANENT_ERROR_BRANCH = re.compile(
    rf"\bif\s*\(\s*!{_TRANSIENT_CONDITION}\)\s*\{{(?P<body>[^{{}}]*)\}}\s*(?:else\s*\{{\s*)?throw\b"
)
"""An `if` for all errors that are not transient."""
_DO = re.compile(r"\bdo\s*$")
_DO_CONDITION = re.compile(rf"\s*while\s*\((?!\s*false\b|{_ITERATION})")
"""The condition after the block of `do`."""
_BOUNDED_LOOP = re.compile(
    r"\b(?:while\s*\([^{}]*[<>][^{}]*\)|repeat\s*\([^{}]*\)|for\s*\([^{};]*;[^{};]+;[^{}]*\)"
    r"|for\s*\(\s*\w+\s*(?:\bin\b|<-)\s*\d+[^{}]*\))\s*$"
)
"""Loops that make a limited number of attempts, after which the program continues."""
BOOLEAN = re.compile(r"\s*(?:return\s+)?(?:true|false)\s*")
"""A statement whose value says whether something succeeded."""


@dataclass(frozen=True, slots=True)
class Handler:
    """A handler of any error: its offset, and the block whose errors it handles."""

    at: int
    attempt: Block


def swallowing_handlers(
    text: Text, *, in_function: bool = False, leaves: bool = False, others: Others = never
) -> Iterator[Handler]:
    """Yields the handlers that swallow every error: they only log it.

    The program continues after the handler, or after the loop around it with `leaves`, or returns
    with `in_function`. `others` says which other statements count as logging.
    """

    def is_logging(statement: str) -> bool:
        if others(statement) or _ALERT.fullmatch(statement):
            return True
        return _only_logs_or_stores(text, statement, _MAX_CALL_DEPTH)

    def swallows(body: str) -> bool:
        bare = BREAK.sub("", _permanent_error_code(body))
        has_expected_exit = bool(BREAK.search(body)) == leaves
        return has_expected_exit and only_logs(bare, in_function=in_function, others=is_logging)

    for match in islice(CATCH.finditer(text.plain), _MAX_MATCHES):
        block = text.block_of(match.end() - 1)
        body = text.plain[block[0] + 1 : block[1]]
        yield from _swallowing_handler(text, match.start(), body, swallows, block)
    for match in islice(_CANCELLATION_CATCH.finditer(text.plain), _MAX_MATCHES):
        block = text.block_of(match.end() - 1)
        attempt = text.attempt(match.start())
        if attempt and _WITH_TIMEOUT.search(text.plain, *attempt):
            body = text.plain[block[0] + 1 : block[1]]
            yield from _swallowing_handler(text, match.start(), body, swallows)
    for match in islice(_CATCH_CASES.finditer(text.plain), _MAX_MATCHES):
        block = text.block_of(match.end() - 1)
        for pattern, body in cases(text.plain[block[0] + 1 : block[1]][:_MAX_BODY]):
            if _CATCH_ALL_PATTERN.fullmatch(pattern):
                yield from _swallowing_handler(text, match.start(), body, swallows)
    yield from () if leaves else _swallowed_values(text)


def _permanent_error_code(body: str) -> str:
    """Returns what a handler runs for errors that are not transient; it rethrows transient ones."""
    permanent = _PERMANENT_ERROR_BRANCH.search(body)
    return permanent["body"] if permanent else _TRANSIENT_RETHROW.sub("", body)


def _swallowing_handler(
    text: Text, at: int, body: str, swallows: Callable[[str], bool], block: Block | None = None
) -> Iterator[Handler]:
    """Yields the handler at an offset if a branch of it swallows the error."""
    attempt = text.attempt(at) or text.bare_attempt(at)
    if attempt is None or outcome_decides(text, attempt, body) or is_gone(text, at, attempt):
        return
    branches = error_branches.branches(text, at, block, attempt) if block else []
    if any(
        swallows(code) for branch in branches or [body] for code in missing_targets.branches(branch)
    ):
        yield Handler(at, attempt)


def is_gone(text: Text, at: int, attempt: Block) -> bool:
    """Whether a handler is for something that no longer exists, and its attempt only deletes."""
    head = text.plain[at : text.plain.find("{", at)]
    verbs = [
        verb for verb in _CALL.findall(text.plain, *attempt) if not _ARGUMENT_VERB.fullmatch(verb)
    ]
    return bool(_NOT_FOUND_ERROR.search(head) and verbs) and all(map(DELETES.fullmatch, verbs))


def _only_logs_or_stores(text: Text, statement: str, depth: int) -> bool:
    """Whether a statement calls a method of the file that only logs the error, or only stores the
    error in a name that nothing reads, or removes an element from a collection."""
    if stores_unused_error(text, statement) or removes_from_collection(text, statement):
        return True
    call = _METHOD_CALL.fullmatch(statement)
    bodies = text.bodies(call[1]) if call and depth else []
    return bool(bodies) and all(
        only_logs(
            text.plain[start + 1 : end],
            in_function=True,
            others=lambda it: _only_logs_or_stores(text, it, depth - 1),
        )
        for start, end in bodies
    )


def _swallowed_values(text: Text) -> Iterator[Handler]:
    """Yields the attempts whose error is a value that nothing reads, or that is only logged."""
    for match in islice(_ERROR_VALUE.finditer(text.plain), _MAX_MATCHES):
        end = text.closed(match.end())
        if match[0].startswith("<-") and not _TO_OPTION.match(text.plain, end):
            continue  # the value is a Try
        if text.plain[match.start() - 1] in "(,+" and not is_logged(text, match.start()):
            continue
        enclosing = text.around(match.start())[-1:] if match[0].startswith("=>") else []
        if any(_CASE_VALUE_COMBINATOR.search(head) for _, _, head in enclosing):
            continue  # an alternative attempt
        is_swallowed = chain_swallows_error(text, end, is_last="runCatching" in match[0])
        if is_swallowed and not result_lists.are_errors_checked(text, match.end() - 1, end):
            yield Handler(match.start(), (match.end() - 1, end))


def chains_only_logging(text: Text, name: str, span: Block) -> Iterator[Block]:
    """Yields each use of a name with a call chain that only logs the error in the name's value."""
    starts = re.compile(
        rf"(?<![\w.]){name}(?=\s*(?:\.\s*(?:on[FLS]|peekLeft|ifLeft|ifFailure|left\b|fold|map|leftMap|ifPresentOr|foreach)|match\b))"
    )
    for match in islice(starts.finditer(text.plain, *span), _MAX_MATCHES):
        if chain_swallows_error(text, match.end(), is_last=None):
            yield match.start(), match.end()


def chain_swallows_error(text: Text, end: int, *, is_last: bool | None) -> bool:
    """Whether the chain after a value that may be an error only logs the error, or discards it.

    `is_last` says that `fold` takes the function for the error last, as Kotlin's Result does.
    """
    previous = ""
    for _ in range(_MAX_CHAINED_CALLS):
        link = _CHAINED_CALL.match(text.plain, end)
        if link is None:
            alternative = _ELVIS.match(text.plain, end)
            is_logged = bool(alternative) and only_logs(
                alternative[1] if alternative else "", in_function=True
            )
            return is_logged or not _VALUE_USE.match(text.plain, end)
        verb, code = link["verb"] or "match", ""
        end = link.end()
        if link["opened"] or verb == "match":
            end = text.closed(link.end())
            code = text.plain[link.end() : end - 1]
        if verb in _ERROR_CALLS or previous in _ERROR_PROJECTIONS:
            function = error_function(code, is_last=is_last)
            statement = LAMBDA_HEAD.sub("", function)
            collects = _COLLECTION_OF_ERRORS.match(statement)
            declared = collects and re.search(rf"\bva[lr]\s+{collects[1]}\b", text.plain)
            is_stored = bool(declared) and stores_unused_error(text, statement)
            if not (only_logs_error(function) or is_stored):
                return False
        elif verb in _NEUTRAL_CALLS:
            if _ERROR_CHECK.search(code):
                return False
        elif verb not in _DISCARDING_CALLS and not (
            previous in _RECOVERY_CALLS and verb in ("get", "getOrThrow")
        ):
            return False
        previous = verb
    return False


def seeks_past_record(text: Text, handler: Handler) -> bool:
    """Whether a handler seeks to the offset after the record that failed."""
    block = text.block_of(text.plain.find("{", handler.at))
    return re.compile(SEEKS_NEXT).search(text.plain, *block) is not None


def skipped_unparsable(text: Text, block: Block) -> Iterator[int]:
    """Yields the offset where a record is skipped whose value cannot be parsed:
    `.getOrNull() ?: continue`, or `.getOrElse { log.warn("x"); return }`."""
    for match in islice(
        _ASSIGNED_ATTEMPT.finditer(text.plain, max(0, block[0]), block[1]), _MAX_MATCHES
    ):
        end = text.closed(match.end())
        if _OR_SKIP.match(text.plain, end):
            yield match.start()
        elif or_else := _GET_OR_ELSE.match(text.plain, end):
            body = text.plain[or_else.end() : text.block_of(or_else.end() - 1)[1]]
            if _JUMP.search(body) and only_logs(LAMBDA_HEAD.sub("", body), in_function=True):
                yield match.start()


def is_retried(text: Text, attempt: Block, block: Block) -> bool:
    """Whether an attempt in a block is repeated until it succeeds, or its error ends the block
    after a limited number of attempts."""
    if _gives_up(text, attempt):
        return False
    inner = [(start, end) for start, end, _ in text.around(attempt[0]) if start > block[0]]
    heads = [text.plain[max(0, start - _MAX_LOOP_HEAD) : start] for start, _ in inner]
    loops = [*zip(heads, inner, strict=True)]
    do_ends = [end for head, (_, end) in loops if _DO.search(head)]
    repeats = any(_DO_CONDITION.match(text.plain, end + 1) for end in do_ends)
    is_bounded = bool(do_ends) or any(map(_BOUNDED_LOOP.search, heads))
    is_peeked = bool(heads and _PEEK_CALL.search(text.plain, *attempt))
    following = text.plain[attempt[1] : block[1]]
    throws = (
        bool(re.search(r"\bthrow\b", following))
        or _is_repeated_after_loop(text, attempt, inner)
        or _is_handled_after_loop(text, attempt)
    )
    return is_peeked or repeats or any(map(_RETRY_LOOP.search, heads)) or (throws and is_bounded)


def _gives_up(text: Text, attempt: Block) -> bool:
    """Whether a handler returns after a limited number of attempts, and only logs that."""
    next_catch = _NEXT_CATCH.match(text.plain, attempt[1] + 1)
    block = text.block_of(next_catch.end() - 1) if next_catch else attempt
    body = text.plain[block[0] + 1 : block[1]] if next_catch else ""
    return bool(_RETURN_AFTER_ATTEMPTS.search(body)) and only_logs(body, in_function=True)


def _is_repeated_after_loop(text: Text, attempt: Block, inner: Sequence[Block]) -> bool:
    """Whether the attempt in a loop is repeated once after the loop, where nothing catches its
    error: `repeat(2) { try { save(r); return } catch … }; save(r)`."""
    if not inner:
        return False
    first = _FIRST_CALL.match(text.plain, attempt[0] + 1, attempt[1])
    once_more = _FIRST_CALL.match(text.plain, inner[0][1] + 1)
    return bool(first and once_more) and first[0].strip("; \n") == once_more[0].strip("; \n")  # type: ignore[index]


def _is_handled_after_loop(text: Text, attempt: Block) -> bool:
    """Whether code after a loop of attempts does something for the record: `for (…) { try {
    save(r); return; } catch … } letters.store(r);`. An attempt that succeeds does not reach it."""
    around = text.around(attempt[0])
    heads = [text.plain[max(0, start - _MAX_LOOP_HEAD) : start] for start, _, _ in around]
    loops = [number for number, head in enumerate(heads) if _BOUNDED_LOOP.search(head)]
    if not loops or loops[-1] == 0 or not _RETURN.search(text.plain, *attempt):
        return False
    (_, end, _), enclosing = around[loops[-1]], around[loops[-1] - 1]
    code = text.plain[end + 1 : enclosing[1]]
    return not _RETURN_VALUE.search(code) and not only_logs(
        code, in_function=True, others=lambda it: _only_logs_or_stores(text, it, _MAX_CALL_DEPTH)
    )
