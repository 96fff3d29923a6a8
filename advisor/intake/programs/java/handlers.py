"""Handlers of any error in code in Java's manner that only write of it and go on.

Java and Kotlin have `catch (…)`, Scala `catch { case … => }`, and what keeps an error as a value:
Scala's `Try`, Kotlin's `runCatching`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.java.looped import looped
from advisor.intake.programs.java.text import Block, Text

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
    r"[^){]{0,200}\)\s*\{"
)
"""Of Java and Kotlin: of any error that may be one of a record."""
_CANCELLED = re.compile(r"\bcatch\s*\(\s*\w+\s*:\s*CancellationException\s*\)\s*\{")
"""Of Kotlin: also what `withTimeout` throws (kotlinx.coroutines, TimeoutCancellationException)."""
_IN_TIME = re.compile(r"\bwithTimeout\s*\(")
_CASES = re.compile(r"\bcatch\s*\{")
_CASE = re.compile(r"\bcase\b([^=]{1,120})=>")
_TAKES_ALL = re.compile(
    rf"\s*(?:\w+|NonFatal\s*\(\s*\w+\s*\)|\w+\s*:\s*(?:[\w.]+\s*\|\s*)*{_ALL}|\w+\s*@.*)\s*"
)
_VALUE = re.compile(
    r"(?:(?<=[;{}\n])|=>|->)[ \t]*(?:\w+\s*\.\s*)?\b"
    r"(?:Try\s*(?:\.\s*(?:run|of)\w*\s*)?[({]|runCatching\s*\{"
    r"|Either\s*\.\s*catch\w+\s*[({]|allCatch\s*\.\s*\w+\s*[({])"
)
_KEPT = re.compile(r"=\s*(?:\w+\s*\.\s*)?(?:runCatching\s*\{|Try\s*[({])")
_VALUES = re.compile(r"\s*(?:\w+|\d+|-1|\(\))\s*")
"""A plain value in place of an error."""
_OR_GOES_ON = re.compile(r"\s*\.\s*getOrNull\s*\(\s*\)\s*\?:\s*(?:continue|return)\b")
_LINK = re.compile(
    r"\s*\.\s*(?P<verb>\w+)\s*(?:<[\w<>?, ]{0,40}>\s*)?(?P<opened>[({])?|\s*match\s*\{"
)
_PASSES = frozenset({
    "onSuccess", "also", "map", "mapCatching", "apply", "foreach", "forEach", "andThen", "peek",
    "let", "tap", "flatMap", "run",
})  # fmt: skip
"""What hands on an error, or does nothing for one, and what is done in it that asks for one."""
_LOOKS_AT = re.compile(
    r"\b(?:isFailure|isSuccess|exceptionOrNull|getOrThrow|fold|failed|getCause|onFailure)\b"
)
_ON_ERROR = frozenset({
    "onFailure", "recover", "recoverWith", "recoverCatching", "fold", "getOrElse", "onLeft",
    "match",
})  # fmt: skip
_DROPS = frozenset({
    "toOption", "getOrNull", "orNull", "isSuccess", "isFailure", "getOrDefault", "toEither",
    "orElse",
})  # fmt: skip
"""What leaves nothing of an error, or hands on another value."""
_TAKES_IT = re.compile(r"\s*(?:\.|\?|match\b|[!=]=|&&|\|\|)")
_OR_ELSE = re.compile(r"\s*\?:\s*([^\n;}]*)")
_MOST_LINKS = 12
_WITHOUT_NAME = re.compile(r"^\s*(?:\(\s*\)|\(?\w+\)?)\s*[-=]>")
_LOGS = r"(?:\w+\.){0,6}(?i:_?log(?:ger)?)\.\w+"
_SEEKS_NEXT = r"\.seek\s*\([^;]{0,300}\boffset\s*(?:\(\s*\))?\s*\+\s*1[lL]?\b"
"""What goes on behind a record (KafkaConsumer javadoc, seek)."""
_HARMLESS = re.compile(
    r"\s*(?:else\b\s*)?(?:if\s*\((?:[^()]|\([^()]*\))*\))?\s*(?:MDC\.\w+\s*\(.*"
    rf"|continue(?:\s+\w+)?|return@\w+|\(\s*\)|\w+\s*->|{_LOGS}\s*(?:\(.*)?"
    r"|(?:System\.(?:out|err)|Console\.err)\.\w+\s*\(.*|\w+\??\.printStackTrace(?:\(\s*\))?"
    r"|(?:println|print|log(?:Error|Warning|Info|Debug)|(?:[\w.]+\.)?sleep|delay)\s*\(.*"
    rf"|[\w.]+{_SEEKS_NEXT}.*"
    r"|Thread\.currentThread\(\s*\)\.interrupt\(\s*\)"
    r"|[\w.() ]+\.(?:increment|inc|mark|incrementAndGet)(?:\(\s*\))?|\w+\s*\+=\s*1|\w+\+\+)?\s*",
    re.DOTALL,
)
_TELLS = (
    r"(?:getMessage|getCause|format|formatted|toString|topic|partition|offset|key|value|valueOf"
    r"|getClass|getSimpleName|getName|hasOffset|timestamp|currentTimeMillis|nanoTime|now|between"
    r"|toMillis|toNanos)"
)
_NAMES = re.compile(
    r"\s*(?:final\s+)?(?:va[lr]|String|Throwable|Exception|long|int|boolean|Duration|Object)\s+\w+"
    rf"(?:\s*:\s*[\w.?]+)?\s*=(?!=)(?:[^()]|\b{_TELLS}\s*\((?=[^()])|\b{_TELLS}\s*\(\)|\))*"
)
"""A local name for what is told of an error."""
_REPORTS = re.compile(
    r"\s*(?:\w+\.)*(?i:span|sentry|newrelic|metrics?|meter|timer|counter|statsd?|histogram)\w*"
    r"\s*(?:\(\s*\))?\.\w+\s*\(.*",
    re.DOTALL,
)
_ONE_CALL = re.compile(r"\s*(?:this\.)?(\w+)\s*\([^()]*\)\s*")
_KEEPS_ERROR = re.compile(r"\s*(?:this\.)?(\w+)\s*=(?!=)\s*\w+\s*")
_KEPT_BY = re.compile(
    r"\s*(?:this\.)?(\w+)\s*\.\s*(?:add|put|offer|push|addLast)\s*\(.*", re.DOTALL
)
_IS_PUT = re.compile(r"\s*(?:=(?!=)|;|:|\.\s*(?:add|put|offer|push|addLast)\s*\()")
_DEEPEST_CALL = 2
_FLAG = re.compile(r"\s*(?:this\.)?(\w+)\s*=\s*(true|false)\s*")
_IF = re.compile(r"\bif\s*\(\s*!?\s*$")
_COMMITS = re.compile(r"\s*\)\s*\{?\s*(?:\w+\s*\.\s*)?commit(?:Sync|Async)\s*\(")
_ELSE = re.compile(r"[\s;}]*\belse\b")
_MESSAGE = re.compile(rf"({_LOGS}\s*(?:\([^(){{}}]*\))?)\s*\{{[^{{}}]*\}}")
"""Of Kotlin's loggers, which are given a block."""
_BREAK = re.compile(r"\bbreak(?:@\w+)?\b")
_HEAD = 200
_WALKS = (
    r"[^{};\n]*(?:[<>]|\bhasNext\b|\b(?:is|isNot|non)Empty\b"
    r"|=\s*\w+\s*\.\s*(?:poll|take|next|pop|read\w*)\s*\()"
)
"""The condition of a loop that takes one after the other."""
_TRIES = re.compile(rf"\b(?:while\s*\((?!{_WALKS})[^{{}}]*\)|for\s*\(\s*;\s*;[^{{}}]*\))\s*$")
_LOOKS = re.compile(r"\.\s*(?:peek|element|peekFirst)\s*\(\s*\)")
"""What leaves the first of a queue where it is."""
_DO = re.compile(r"\bdo\s*$")
_UNTIL = re.compile(rf"\s*while\s*\((?!\s*false\b|{_WALKS})")
"""The condition behind the braces of `do`."""
_BOUNDED = re.compile(
    r"\b(?:while\s*\([^{}]*[<>][^{}]*\)|repeat\s*\([^{}]*\)|for\s*\([^{};]*;[^{};]+;[^{}]*\)"
    r"|for\s*\(\s*\w+\s*(?:\bin\b|<-)\s*\d+[^{}]*\))\s*$"
)
"""Loops that try so many times, and then go on."""
_EMPTY = (
    r"(?:null|Unit|None|Nil|(?:Collections\s*\.\s*)?empty\w*\s*(?:<[\w<>?, ]*>)?\(\s*\)"
    r"|(?:List|Set|Map|Arrays|Stream|Seq|Optional|Iterator)\s*\.\s*(?:of|empty|asList)\w*"
    r"(?:\s*\(\s*\))?|(?:list|set|map|sequence)Of\s*\(\s*\)|new\s+\w+\s*<\s*>\s*\(\s*\))"
)
_RETURN = re.compile(rf"\s*(?:return(?:@\w+)?(?:\s+{_EMPTY})?|{_EMPTY})\s*")
"""Of nothing, also as the last value of a block."""


Others = Callable[[str], object]


def _none(_: str) -> bool:
    return False


BOOLEAN = re.compile(r"\s*(?:return\s+)?(?:true|false)\s*")
"""A statement that says whether something succeeded."""


@dataclass(frozen=True, slots=True)
class Handler:
    """A handler of any error: where it stands, and the block whose errors it takes."""

    at: int
    attempt: Block


def silent(
    text: Text, *, in_function: bool = False, leaves: bool = False, others: Others = _none
) -> Iterator[Handler]:
    """The handlers that do nothing but write of an error, from each of which the program goes on
    behind the block, or, `in_function`, returns; with `leaves`, behind the loop around it. `others`
    are statements that do no more."""

    def does_no_more(statement: str) -> bool:
        return bool(others(statement)) or _only_tells(text, statement, _DEEPEST_CALL)

    def is_silent(body: str) -> bool:
        bare = _BREAK.sub("", body)
        own = bool(_BREAK.search(body)) == leaves
        return own and only_writes(bare, in_function=in_function, others=does_no_more)

    for match in islice(CATCH.finditer(text.plain), _MOST):
        block = text.block_of(match.end() - 1)
        body = text.plain[block[0] + 1 : block[1]]
        yield from _handler(text, match.start(), body, is_silent)
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


def _handler(text: Text, at: int, body: str, is_silent: Callable[[str], bool]) -> Iterator[Handler]:
    attempt = text.attempt(at) or text.bare_attempt(at)
    if attempt and is_silent(body):
        yield Handler(at, attempt)


def _only_tells(text: Text, statement: str, depth: int) -> bool:
    """Whether a statement is a call of a method of the file that only writes of an error."""
    kept = _KEEPS_ERROR.fullmatch(statement) or _KEPT_BY.fullmatch(statement)
    if kept and not _is_read(text, kept[1]):
        return True
    if (flag := _FLAG.fullmatch(statement)) and _only_withholds(text, flag[1], flag[2]):
        return True
    call = _ONE_CALL.fullmatch(statement)
    bodies = text.bodies(call[1]) if call and depth else []
    return len(bodies) == 1 and only_writes(
        text.plain[bodies[0][0] + 1 : bodies[0][1]],
        in_function=True,
        others=lambda it: _only_tells(text, it, depth - 1),
    )


def _only_withholds(text: Text, name: str, value: str) -> bool:
    """Whether a flag decides of nothing but a commit, and a later round of the loop has it anew:
    what is polled and committed then is behind the record that failed."""
    uses = [*islice(re.finditer(rf"\b{name}\b", text.plain), _MOST)]
    puts = [use for use in uses if _IS_PUT.match(text.plain, use.end())]
    other = re.compile(r"\s*=\s*false\b" if value == "true" else r"\s*=\s*true\b")
    anew = any(other.match(text.plain, it.end()) and looped(text, it.start()) for it in puts)
    asked = [use for use in uses if use not in puts]
    return anew and bool(asked) and all(_asks_whether_to_commit(text, use) for use in asked)


def _asks_whether_to_commit(text: Text, use: re.Match[str]) -> bool:
    """Whether a flag is read to commit or not to, with nothing else to do instead."""
    commit = _COMMITS.match(text.plain, use.end())
    if not commit or not _IF.search(text.plain, max(0, use.start() - 40), use.start()):
        return False
    return not _ELSE.match(text.plain, text.closed(commit.end()))


def _is_read(text: Text, name: str) -> bool:
    """Whether something of the file reads a name."""
    uses = islice(re.finditer(rf"\b{name}\b", text.plain), _MOST)
    return any(not _IS_PUT.match(text.plain, it.end()) for it in uses)


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
        if _is_dropped(text, end):
            yield Handler(match.start(), (match.end() - 1, end))


def _is_dropped(text: Text, end: int) -> bool:
    """Whether nothing of a chain behind a value with an error does more than write of that."""
    for _ in range(_MOST_LINKS):
        link = _LINK.match(text.plain, end)
        if link is None:
            other = _OR_ELSE.match(text.plain, end)
            is_quiet = bool(other) and only_writes(other[1] if other else "", in_function=True)
            return is_quiet or not _TAKES_IT.match(text.plain, end)
        verb, given = link["verb"] or "match", ""
        end = link.end()
        if link["opened"] or verb == "match":
            end = text.closed(link.end())
            given = text.plain[link.end() : end - 1]
        if verb in _PASSES:
            if _LOOKS_AT.search(given):
                return False
        elif verb in _ON_ERROR:
            if not _is_quiet(given):
                return False
        elif verb not in _DROPS:
            return False
    return False


def _is_quiet(given: str) -> bool:
    """Whether what is done for an error only writes of it, or gives an empty value for it."""
    cases = [own for taken, own in _cases(given) if "Success" not in taken]
    last = given.rpartition("},")[2] if "}," in given else given
    body = _WITHOUT_NAME.sub("", re.sub(r"^\s*\{|\}\s*$", "", last))
    return all(
        only_writes(it, in_function=True, others=_VALUES.fullmatch) for it in cases or [body]
    )


def seeks_next(text: Text, handler: Handler) -> bool:
    """Whether a handler goes on behind the record that an error is of."""
    block = text.block_of(text.plain.find("{", handler.at))
    return re.compile(_SEEKS_NEXT).search(text.plain, *block) is not None


def left_out(text: Text, block: Block) -> Iterator[int]:
    """Where a record is left whose value cannot be made: `.getOrNull() ?: continue`."""
    for match in islice(_KEPT.finditer(text.plain, max(0, block[0]), block[1]), _MOST):
        if _OR_GOES_ON.match(text.plain, text.closed(match.end())):
            yield match.start()


def tries_again(text: Text, attempt: Block, block: Block) -> bool:
    """Whether an attempt in a block is made until it succeeds, or an error ends the block behind
    so many attempts."""
    inner = [(start, end) for start, end, _ in text.around(attempt[0]) if start > block[0]]
    loops = [text.plain[max(0, start - _HEAD) : start] for start, _ in inner]
    around = [*zip(loops, inner, strict=True)]
    done = [end for loop, (_, end) in around if _DO.search(loop)]
    again = any(_UNTIL.match(text.plain, end + 1) for end in done)
    bounded = bool(done) or any(map(_BOUNDED.search, loops))
    is_left = bool(loops and _LOOKS.search(text.plain, *attempt))
    throws = bool(re.search(r"\bthrow\b", text.plain[attempt[1] : block[1]]))
    return is_left or again or any(map(_TRIES.search, loops)) or (throws and bounded)


def only_writes(body: str, *, in_function: bool = False, others: Others = _none) -> bool:
    """Whether statements write of something, count or wait, and do nothing else, or are `others`
    that do no more."""
    body = _MESSAGE.sub(r"\1", body)
    return all(
        _HARMLESS.fullmatch(part)
        or _NAMES.fullmatch(part)
        or _REPORTS.fullmatch(part)
        or (in_function and _RETURN.fullmatch(part))
        or others(part)
        for part in _statements(body)
    )


def _statements(body: str) -> Iterator[str]:
    """The statements of a block; a new line ends one outside of brackets."""
    depth, begin = 0, 0
    for at, char in enumerate(body):
        depth += (char in "([") - (char in ")]")
        ends = char in ";{}" or (char == "\n" and not body[at:].lstrip().startswith("."))
        if ends and depth <= 0:
            yield body[begin:at]
            begin = at + 1
    yield body[begin:]
