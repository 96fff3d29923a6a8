"""What JVM code only makes for a record, and nothing runs: publishers that nobody subscribes to,
effects, streams without a terminal operation; and futures of its own methods that nothing takes.

Sources: Reactive Streams (a Publisher has nothing to do before `subscribe`), as MongoDB's driver,
R2DBC, Spring's WebClient, Mutiny and RxJava say of theirs; java.util.stream (lazy until a terminal
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
_OF = r"(?:\s*[<\[][^;(){}]{0,120}[>\]])?"
_PUBLISHER = (
    r"(?:Mono|Flux|Uni|Multi|Single|Maybe|Observable|Flowable|Publisher|Completable|Flow|IO|ZIO"
    r"|UIO|RIO|URIO|Task)"
)
_FUTURE = r"(?:CompletableFuture|CompletionStage|Future|ListenableFuture|ApiFuture|Deferred)"
_CLIENT = r"\w*(?:Reactive|R2dbc)\w*|CosmosAsync\w+|RSocketRequester|Mutiny\s*\.\s*\w+"
_BY_IMPORT = (
    ("com.mongodb.reactivestreams", "MongoCollection|MongoDatabase"),
    ("r2dbc", "DatabaseClient"),
    ("io.vertx.mutiny", r"\w*Pool|\w*Client"),
    ("io.vertx.rxjava", r"\w*Pool|\w*Client"),
)
"""Classes of a package that have the names of others."""
_OF_VERTX = "io.vertx."
_INTERFACE = re.compile(
    r"\binterface\s+(\w+)[^{};]{0,200}?(?:\bextends\b|:)[^{};]{0,120}"
    r"\b(?:\w*Reactive\w*|R2dbc\w+|RxJava3\w+)"
)
_DECLARED = (
    r"\b{0}\s+(\w+)\s*(?=[=;,)])|\b(\w+)\s*:\s*(?:[\w.]{{1,80}}\.)?{0}(?![\w.])"
    r"|\b(\w+)\s*=\s*(?:new\s+)?{0}\s*[.(]"
)
_RETURNS = (
    r"\b{0}{1}\s+(\w+)\s*\([^;{{}}]{{0,300}}\)\s*(?:throws\b[^{{;]{{0,80}})?\{{"
    r"|\b(?:fun|def)\s+(?:\w+\.)?(\w+)\s*\([^;{{}}]{{0,300}}?\)\s*:\s*{0}\s*[<\[]"
)
_OF_INTERFACE = r"\b{0}{1}\s+(\w+)\s*\([^;{{}}]{{0,200}}\)\s*;"
_MADE = (
    r"|\b(?:Mono|Flux|Multi|Completable|Single|Maybe|Observable|Flowable|StreamSupport)\s*\.\s*\w+\s*\("
    r"|\bUni\s*\.\s*createFrom\s*\(|\b(?:ZIO|IO|Task|UIO)\s*(?:\.\s*\w+\s*)?[({]"
    r"|\bflow(?:Of)?\s*[({]|\b\w+\s*\.\s*reactive\s*\("
)
"""What makes one where it stands."""
_LAZY = re.compile(
    r"\.\s*(?:parallelS|s)tream\s*\(|\.\s*as(?:Sequence|Flow)\s*\(|\.\s*(?:bodyToMono|bodyToFlux"
    r"|toBodilessEntity|toEntity|exchangeToMono|transact"
    r"|decorate(?:Runnable|Supplier|Callable|CheckedRunnable|Function))\s*\("
)
"""A call in a chain that tells what the chain is."""
_RUNS = re.compile(
    r"(?:unsafeRun\w*|block\w*|await\w*|subscribe(?!On)|collect(?!List|Map|Sorted|Multi)|unsafeToFuture|toFuture|toCompletableFuture|run"
    r"|toIterable|first|single|last|toList|toSet|toArray|fold|reduce|count|launchIn|forEach|foreach"
    r"|iterator|join|get|any|all|none|find|min|max|sum|shareIn|stateIn|produceIn|asFuture|orTimeout"
    r"|whenComplete|handle|thenAccept|thenRun|call|apply|accept)"
    r"(?![a-z])\w*"
)
"""What runs it, or hands it to who may."""
_INTERPOLATES = re.compile(r"\b(?:sqlu?|fr0?|cql|query)\s+$")
"""What stands before a string of Scala of which it makes something (doobie, Slick)."""
_IS_TAKEN = re.compile(r"[ \t]*(?:[;}]|\n(?!\s*[.?)]))")
_EACH = re.compile(
    r"\b(?:for[Ee]ach|doOn\w+|peek|tap|also)\s*[({]\s*(?:case\s*)?\(?\s*\w+(?:\s*,\s*\w+)?\s*\)?"
    r"\s*(?:->|=>)\s*$"
)
"""Calls that ignore what their function returns."""
_CLOSES = re.compile(r"\s*[)}]")
_STATEMENT = re.compile(r"(?:^|[;{})]|->|=>)\s*$")
_LINE = re.compile(r"[\w\]\"']\s*\n\s*$")
_NO_END = re.compile(r"\b(?:return|yield|throw|in|await|extends)\s*$")
_NAMED = re.compile(r"(?:\b(?:va[lr])|[\w>\]])\s+(\w+)\s*(?::[^=;{}\n]{0,80})?=\s*$")
_BLOCK = re.compile(
    r"\b(?:for|while|if)\b[^{}]*\)\s*$|\b(?:else|try|do|finally)\s*$"
    r"|\bfun\b[^={}]*$|:\s*Unit\s*=\s*$|(?:^|[;{}\n])\s*(?:runBlocking|coroutineScope)\s*$"
)
"""What stands before braces whose last value is nothing."""


_IsUsed = Callable[[Text, str, int], bool]
"""Whether something uses a name behind a place."""


@dataclass(frozen=True, slots=True)
class _Heads:
    """Where something that is lazy, or a future, may begin in a program."""

    lazy: re.Pattern[str]
    eager: re.Pattern[str]
    blocking: re.Pattern[str]
    """Of Spring's RestClient, whose calls have the names of WebClient's, and are done at once."""


def never_run(text: Text, body: Block, uses: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """Where a block makes something for a record of which nothing comes, and what that does;
    `uses` are uses of one."""
    yield from ((BEFORE, at) for at in _undone(text, body, uses))
    yield from ((ASYNCHRONOUS, at) for at in _untaken(text, body, uses))
    heads = _heads(text.plain)
    for one in comprehensions.comprehensions(text, body):
        what = one.makes(text.plain, heads.lazy, heads.eager)
        is_used = results.is_name_read if what == SKIP else _is_used
        own = what and uses.search(text.plain, one.begin, one.end)
        if own and _is_dropped(text, one.begin, one.end, is_used):
            yield what, one.begin


def _undone(text: Text, body: Block, uses: re.Pattern[str]) -> Iterator[int]:
    """Where a block only makes what would process a record."""
    heads = _heads(text.plain)
    for pattern, is_head in ((heads.lazy, True), (_LAZY, False)):
        for match in islice(pattern.finditer(text.plain, max(0, body[0]), body[1]), _MOST):
            begin = match.start() if is_head else text.chain(match.end() - 1)
            if not is_head and heads.blocking.match(text.plain, begin):
                continue
            if _is_left(text, begin, match.end(), uses):
                yield match.start()


def _untaken(text: Text, body: Block, uses: re.Pattern[str]) -> Iterator[int]:
    """Where a block begins what goes on beside it, and lets the future go."""
    eager = _heads(text.plain).eager
    for match in islice(eager.finditer(text.plain, max(0, body[0]), body[1]), _MOST):
        called = re.findall(r"\w+", match[0])[-1]
        asks = concurrency.wait_patterns(text.plain).asks
        waits = any(asks.search(text.plain, *own) for own in text.bodies(called))
        if not waits and _is_left(text, match.start(), match.end(), uses):
            yield match.start()


def _is_left(text: Text, begin: int, opened: int, uses: re.Pattern[str]) -> bool:
    """Whether nothing runs, or takes, a chain of calls; the first one's bracket is behind a
    place."""
    plain = text.plain
    is_braces = plain[opened - 1] == "{"
    end = text.block_of(opened - 1)[1] + 1 if is_braces else text.closed(opened)
    for step in steps(text, end):
        if _RUNS.fullmatch(step.name):
            return False
        end = max(step.end + 1, step.begin) if plain[step.begin - 1] in "({" else step.begin
    if written := _INTERPOLATES.search(plain[max(0, begin - _LONGEST) : begin]):
        begin = max(0, begin - _LONGEST) + written.start()
    return bool(uses.search(plain, begin, end)) and _is_dropped(text, begin, end, _is_used)


def _is_dropped(text: Text, begin: int, end: int, is_used: _IsUsed) -> bool:
    """Whether an expression is a statement, or has a name that nothing uses."""
    plain = text.plain
    before = plain[max(0, begin - _REACH) : begin]
    if _EACH.search(before) and _CLOSES.match(plain, end):
        return True
    if not _IS_TAKEN.match(plain, end) or not _is_nothing(text, begin, end):
        return False
    if named := _NAMED.search(before):
        return not is_used(text, named[1], end)
    is_statement = _STATEMENT.search(before) or _LINE.search(before)
    return bool(is_statement) and not _NO_END.search(before)


def _is_nothing(text: Text, begin: int, end: int) -> bool:
    """Whether an expression is not the value of the braces around it."""
    if not re.compile(r"\s*\}").match(text.plain, end):
        return True
    around = text.around(begin)
    return bool(around) and bool(_BLOCK.search(around[-1][2]))


def _is_used(text: Text, name: str, at: int) -> bool:
    """Whether something but a log uses a name behind a place, in the block around that."""
    stop = text.block(at)[1]
    logs = [*log_arguments(text, (at, stop))]
    uses = islice(re.compile(rf"\b{name}\b").finditer(text.plain, at, stop), _MOST)
    return any(not any(start <= use.start() < end for start, end in logs) for use in uses)


def _names(pattern: str, plain: str) -> set[str]:
    found = islice(re.finditer(pattern, plain), _MOST)
    return {name for match in found for name in match.groups() if name}


def _any_of(names: set[str]) -> str:
    return "|".join(sorted(names)[:_MOST_NAMES]) or "(?!)"


@lru_cache(maxsize=2)
def _heads(plain: str) -> _Heads:
    own = "".join(f"|{types}" for package, types in _BY_IMPORT if package in plain)
    own += "".join(f"|{name}" for name in sorted(_names(_INTERFACE.pattern, plain)))
    blocking = _any_of(_names(_DECLARED.format("RestClient"), plain))
    clients = _any_of(_names(_DECLARED.format(f"(?:{_CLIENT}{own}){_OF}"), plain))
    lazy = _any_of(_names(_RETURNS.format(_PUBLISHER, _OF), plain))
    eager = _any_of(_names(_RETURNS.format(_FUTURE, _OF), plain))
    of_interface = _any_of(_names(_OF_INTERFACE.format(_FUTURE, _OF), plain))
    eager += r"|db\s*\.\s*run|database\s*\.\s*run" if "slick" in plain else ""
    vertx = _OF_VERTX in plain and f"{_OF_VERTX}mutiny" not in plain
    kinds = (
        _names(_DECLARED.format(r"(?:\w*Pool|SqlClient|SqlConnection)"), plain)
        if vertx
        else set[str]()
    )
    futures = rf"|\b(?:{_any_of(kinds)})\s*\.\s*\w+\s*\("
    far = r"(?<![\w.])(?:this\s*\.\s*)?"
    return _Heads(
        re.compile(rf"{far}(?:{clients})\s*\.\s*\w+\s*[({{]|{far}(?:{lazy})\s*\({_MADE}"),
        re.compile(rf"{far}(?:{eager})\s*\({futures}|{far}\w+\s*\.\s*(?:{of_interface})\s*\("),
        re.compile(rf"(?:this\s*\.\s*)?(?:{blocking})\b"),
    )
