"""Work for a record that JVM code creates and never runs: publishers without a subscriber, effects,
and streams without a terminal operation; and futures of the program's methods that it drops.

Sources: Reactive Streams (a Publisher does nothing before `subscribe`), and likewise MongoDB's
driver, R2DBC, Spring's WebClient, Mutiny and RxJava; java.util.stream (lazy until a terminal
operation); kotlinx.coroutines (a Flow is cold); cats-effect and ZIO (an IO is a description);
Resilience4j (`decorate…` only wraps).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from advisor.intake.programs.facts import ASYNCHRONOUS, BEFORE, SKIP
from advisor.intake.programs.jvm import concurrency
from advisor.intake.programs.jvm.errors import results
from advisor.intake.programs.jvm.processing import comprehensions
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_NAMES, _REACH, _LONGEST = 60, 20, 160, 600
_TYPE_ARGUMENTS = r"(?:\s*[<\[][^;(){}]{0,120}[>\]])?"
_PUBLISHER = (
    r"(?:Mono|Flux|Uni|Multi|Single|Maybe|Observable|Flowable|Publisher|Completable|Flow|IO|ZIO"
    r"|UIO|RIO|URIO|Task)"
)
_FUTURE = r"(?:CompletableFuture|CompletionStage|Future|ListenableFuture|ApiFuture|Deferred)"
_CLIENT = r"\w*(?:Reactive|R2dbc)\w*|CosmosAsync\w+|RSocketRequester|Mutiny\s*\.\s*\w+"
_CLIENTS_BY_IMPORT = (
    ("com.mongodb.reactivestreams", "MongoCollection|MongoDatabase"),
    ("r2dbc", "DatabaseClient"),
    ("io.vertx.mutiny", r"\w*Pool|\w*Client"),
    ("io.vertx.rxjava", r"\w*Pool|\w*Client"),
)
"""Reactive clients whose class names other packages use too."""
_VERTX_PACKAGE = "io.vertx."
_REACTIVE_INTERFACE = re.compile(
    r"\binterface\s+(\w+)[^{};]{0,200}?(?:\bextends\b|:)[^{};]{0,120}"
    r"\b(?:\w*Reactive\w*|R2dbc\w+|RxJava3\w+)"
)
_DECLARATION = (
    r"\b{0}\s+(\w+)\s*(?=[=;,)])|\b(\w+)\s*:\s*(?:[\w.]{{1,80}}\.)?{0}(?![\w.])"
    r"|\b(\w+)\s*=\s*(?:new\s+)?{0}\s*[.(]"
)
_METHOD_RETURNING = (
    r"\b{0}{1}\s+(\w+)\s*\([^;{{}}]{{0,300}}\)\s*(?:throws\b[^{{;]{{0,80}})?\{{"
    r"|\b(?:fun|def)\s+(?:\w+\.)?(\w+)\s*\([^;{{}}]{{0,300}}?\)\s*:\s*{0}\s*[<\[]"
)
_INTERFACE_METHOD = r"\b{0}{1}\s+(\w+)\s*\([^;{{}}]{{0,200}}\)\s*;"
_PUBLISHER_FACTORY = (
    r"|\b(?:Mono|Flux|Multi|Completable|Single|Maybe|Observable|Flowable|StreamSupport)\s*\.\s*\w+\s*\("
    r"|\bUni\s*\.\s*createFrom\s*\(|\b(?:ZIO|IO|Task|UIO)\s*(?:\.\s*\w+\s*)?[({]"
    r"|\bflow(?:Of)?\s*[({]|\b\w+\s*\.\s*reactive\s*\("
)
"""Calls that create a publisher or an effect."""
_LAZY_CALL = re.compile(
    r"\.\s*(?:parallelS|s)tream\s*\(|\.\s*as(?:Sequence|Flow)\s*\(|\.\s*(?:bodyToMono|bodyToFlux"
    r"|toBodilessEntity|toEntity|exchangeToMono|transact"
    r"|decorate(?:Runnable|Supplier|Callable|CheckedRunnable|Function))\s*\("
)
"""A call that makes its chain lazy."""
_RUNNING_CALL = re.compile(
    r"(?:unsafeRun\w*|block\w*|await\w*|subscribe(?!On)|collect(?!List|Map|Sorted|Multi)|unsafeToFuture|toFuture|toCompletableFuture|run"
    r"|toIterable|first|single|last|toList|toSet|toArray|fold|reduce|count|launchIn|forEach|foreach"
    r"|iterator|join|get|any|all|none|find|min|max|sum|shareIn|stateIn|produceIn|asFuture|orTimeout"
    r"|whenComplete|handle|thenAccept|thenRun|call|apply|accept)"
    r"(?![a-z])\w*"
)
"""Calls that run a publisher, or pass it to code that may run it."""
_INTERPOLATOR = re.compile(r"\b(?:sqlu?|fr0?|cql|query)\s+$")
"""The interpolator before a Scala string that makes a query of it (doobie, Slick)."""
_STATEMENT_END = re.compile(r"[ \t]*(?:[;}]|\n(?!\s*[.?)]))")
_FOR_EACH = re.compile(
    r"\b(?:for[Ee]ach|doOn\w+|peek|tap|also)\s*[({]\s*(?:case\s*)?\(?\s*\w+(?:\s*,\s*\w+)?\s*\)?"
    r"\s*(?:->|=>)\s*$"
)
"""Calls that ignore the value that their function returns."""
_CLOSING = re.compile(r"\s*[)}]")
_STATEMENT_START = re.compile(r"(?:^|[;{})]|->|=>)\s*$")
_LINE_START = re.compile(r"[\w\]\"']\s*\n\s*$")
_VALUE_KEYWORD = re.compile(r"\b(?:return|yield|throw|in|await|extends)\s*$")
_ASSIGNMENT = re.compile(r"(?:\b(?:va[lr])|[\w>\]])\s+(\w+)\s*(?::[^=;{}\n]{0,80})?=\s*$")
_UNIT_BLOCK_HEAD = re.compile(
    r"\b(?:for|while|if)\b[^{}]*\)\s*$|\b(?:else|try|do|finally)\s*$"
    r"|\bfun\b[^={}]*$|:\s*Unit\s*=\s*$|(?:^|[;{}\n])\s*(?:runBlocking|coroutineScope)\s*$"
)
"""The head of a block whose last expression is not its value."""


_IsUsed = Callable[[Text, str, int], bool]
"""A function that says whether code after a place uses a name."""


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns for calls in a program that return a lazy value or a future."""

    lazy: re.Pattern[str]
    eager: re.Pattern[str]
    blocking: re.Pattern[str]
    """Calls of Spring's RestClient, which have the names of WebClient's calls but block."""


def never_run(text: Text, body: Block, uses: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """Yields the facts about work for a record that never runs or is not waited for, each with its
    offset; `uses` matches a use of a record."""
    yield from ((BEFORE, at) for at in _unsubscribed_publishers(text, body, uses))
    yield from ((ASYNCHRONOUS, at) for at in _dropped_futures(text, body, uses))
    patterns = _patterns(text.plain)
    for comprehension in comprehensions.comprehensions(text, body):
        fact = comprehension.fact(text.plain, patterns.lazy, patterns.eager)
        is_used = results.is_name_read if fact == SKIP else _is_used
        uses_record = fact and uses.search(text.plain, comprehension.begin, comprehension.end)
        if uses_record and _is_dropped(text, comprehension.begin, comprehension.end, is_used):
            yield fact, comprehension.begin


def _unsubscribed_publishers(text: Text, body: Block, uses: re.Pattern[str]) -> Iterator[int]:
    """Calls that create a publisher which would process a record, and which nothing runs."""
    patterns = _patterns(text.plain)
    for pattern, is_start in ((patterns.lazy, True), (_LAZY_CALL, False)):
        for match in islice(pattern.finditer(text.plain, max(0, body[0]), body[1]), _MOST):
            begin = match.start() if is_start else text.chain(match.end() - 1)
            if not is_start and patterns.blocking.match(text.plain, begin):
                continue
            if _is_unused_chain(text, begin, match.end(), uses):
                yield match.start()


def _dropped_futures(text: Text, body: Block, uses: re.Pattern[str]) -> Iterator[int]:
    """Calls that start asynchronous work on a record and drop the future."""
    eager = _patterns(text.plain).eager
    for match in islice(eager.finditer(text.plain, max(0, body[0]), body[1]), _MOST):
        method = re.findall(r"\w+", match[0])[-1]
        asks = concurrency.wait_patterns(text.plain).asks
        waits = any(asks.search(text.plain, *span) for span in text.bodies(method))
        if not waits and _is_unused_chain(text, match.start(), match.end(), uses):
            yield match.start()


def _is_unused_chain(text: Text, begin: int, opening: int, uses: re.Pattern[str]) -> bool:
    """Whether nothing runs or uses the value of a chain of calls; `opening` is the offset after the
    opening bracket of its first call."""
    plain = text.plain
    is_braces = plain[opening - 1] == "{"
    end = text.block_of(opening - 1)[1] + 1 if is_braces else text.closed(opening)
    for step in steps(text, end):
        if _RUNNING_CALL.fullmatch(step.name):
            return False
        end = max(step.end + 1, step.begin) if plain[step.begin - 1] in "({" else step.begin
    if interpolator := _INTERPOLATOR.search(plain[max(0, begin - _LONGEST) : begin]):
        begin = max(0, begin - _LONGEST) + interpolator.start()
    return bool(uses.search(plain, begin, end)) and _is_dropped(text, begin, end, _is_used)


def _is_dropped(text: Text, begin: int, end: int, is_used: _IsUsed) -> bool:
    """Whether an expression is a statement, or is assigned to a name that nothing uses."""
    plain = text.plain
    before = plain[max(0, begin - _REACH) : begin]
    if _FOR_EACH.search(before) and _CLOSING.match(plain, end):
        return True
    if not _STATEMENT_END.match(plain, end) or not _is_not_block_value(text, begin, end):
        return False
    if assignment := _ASSIGNMENT.search(before):
        return not is_used(text, assignment[1], end)
    is_statement = _STATEMENT_START.search(before) or _LINE_START.search(before)
    return bool(is_statement) and not _VALUE_KEYWORD.search(before)


def _is_not_block_value(text: Text, begin: int, end: int) -> bool:
    """Whether an expression is not the value of the block around it."""
    if not re.compile(r"\s*\}").match(text.plain, end):
        return True
    blocks = text.around(begin)
    return bool(blocks) and bool(_UNIT_BLOCK_HEAD.search(blocks[-1][2]))


def _is_used(text: Text, name: str, at: int) -> bool:
    """Whether code other than a log uses a name after a place, in the block around the place."""
    stop = text.block(at)[1]
    logs = [*log_arguments(text, (at, stop))]
    uses = islice(re.compile(rf"\b{name}\b").finditer(text.plain, at, stop), _MOST)
    return any(not any(start <= use.start() < end for start, end in logs) for use in uses)


def _names(pattern: str, plain: str) -> set[str]:
    matches = islice(re.finditer(pattern, plain), _MOST)
    return {name for match in matches for name in match.groups() if name}


def _alternation(names: set[str]) -> str:
    return "|".join(sorted(names)[:_MOST_NAMES]) or "(?!)"


@lru_cache(maxsize=2)
def _patterns(plain: str) -> _Patterns:
    client_types = "".join(f"|{types}" for package, types in _CLIENTS_BY_IMPORT if package in plain)
    client_types += "".join(
        f"|{name}" for name in sorted(_names(_REACTIVE_INTERFACE.pattern, plain))
    )
    blocking = _alternation(_names(_DECLARATION.format("RestClient"), plain))
    clients = _alternation(
        _names(_DECLARATION.format(f"(?:{_CLIENT}{client_types}){_TYPE_ARGUMENTS}"), plain)
    )
    lazy = _alternation(_names(_METHOD_RETURNING.format(_PUBLISHER, _TYPE_ARGUMENTS), plain))
    eager = _alternation(_names(_METHOD_RETURNING.format(_FUTURE, _TYPE_ARGUMENTS), plain))
    interface_methods = _alternation(
        _names(_INTERFACE_METHOD.format(_FUTURE, _TYPE_ARGUMENTS), plain)
    )
    eager += r"|db\s*\.\s*run|database\s*\.\s*run" if "slick" in plain else ""
    vertx = _VERTX_PACKAGE in plain and f"{_VERTX_PACKAGE}mutiny" not in plain
    vertx_clients = (
        _names(_DECLARATION.format(r"(?:\w*Pool|SqlClient|SqlConnection)"), plain)
        if vertx
        else set[str]()
    )
    vertx_calls = rf"|\b(?:{_alternation(vertx_clients)})\s*\.\s*\w+\s*\("
    start = r"(?<![\w.])(?:this\s*\.\s*)?"
    return _Patterns(
        re.compile(
            rf"{start}(?:{clients})\s*\.\s*\w+\s*[({{]|{start}(?:{lazy})\s*\({_PUBLISHER_FACTORY}"
        ),
        re.compile(
            rf"{start}(?:{eager})\s*\({vertx_calls}|{start}\w+\s*\.\s*(?:{interface_methods})\s*\("
        ),
        re.compile(rf"(?:this\s*\.\s*)?(?:{blocking})\b"),
    )
