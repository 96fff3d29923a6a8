"""Calls with which JVM code hands records over to other threads, and waits for these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text, closing_bracket

_MOST, _REACH = 20, 120
HANDOVER = re.compile(
    r"\.\s*(?:submit|tell|enqueue|tryEmit\w*|emit|emitNext|launchIn)\s*\(|\.\s*submit\s*\{|(?<![rR]etry)(?<![tT]emplate)(?<![bB]reaker)\.\s*execute\s*\((?=\s*(?:\(\s*\)|new\b|[\w.]+::))"
    r"|\b(?i:disruptor|ringBuffer)\w*\s*\.\s*(?:try)?[pP]ublish\w*\s*\("
    r"|\.\s*async\s*\(\s*\)\s*\.\s*\w+\s*\("
    r"|\.\s*(?:ofVirtual|ofPlatform)\s*\(\s*\)[^;{}]{0,80}?\.\s*start\s*\("
    r"|\.\s*(?:schedule|executeBlocking|runOnContext)\s*\(|\b\w+\s!\s(?=\w)|\b\w+\s\?\s(?=[A-Z]\w*\s*\()"
    r"|\beventBus\s*\(\s*\)\s*\.\s*(?:send|publish|request)\s*\("
    r"|\b(?i:event_?bus|vertx)\w*\s*\.\s*(?:send|publish|request)\s*\(\s*,"
    r"|\b\w*(?i:pool|exec|worker)\w*\s*\.\s*execute\s*[({]|\b\w*(?i:bulkProcessor|ingester)\s*\.\s*add\s*\(|\b(?!commit)\w+Async\s*\(|\bnew\s+Thread\s*\("
    r"|\b\w*[wW]orker\w*\s*\.\s*(?:add|addAll|offer|put|enqueue|queue|dispatch)\s*\("
    r"|\b\w+Async(?:Client)?\s*\.\s*(?!close\b)\w+\s*\("
    r"|\bThread\s*\.\s*startVirtualThread\s*\(|\b(?:launch|async|thread|Future)\b\s*(?:\([^(){]*\)\s*)?[({]"
    r"|\bFuture\s*\.\s*(?:traverse|sequence)\s*(?:\[\w+\]\s*)?\("
)
_ASYNC_CLIENT = (
    r"(?:\w+AsyncClient|AsyncHttpClient|JsonStreamWriter|\w+FutureStub|EventHubBufferedProducerClient|DatagramSocket|MulticastSocket|DatagramChannel|AmazonS3Async|Amazon\w+Async|KinesisProducer|S3?TransferManager|S3TransferManager"
    r"|\w*AsyncCommands{})(?:\s*<[^;(){{}}]{{0,80}}>)?"
)
_PUBSUB = "com.google.cloud.pubsub"
_UNCONFIRMED_SENDS = (
    (r"(?!)", r"\b\w*(?i:asyncStub|futureStub)\w*\s*\.\s*\w+\s*\("),
    (r"(?!)", r"\.\s*toCompletableFuture\s*\((?=\s*\)\s*;)"
     r"|\.\s*publish\s*\((?=[^;{}]{0,200},\s*0\s*,\s*\w+\s*\))"),
    (r"\b(?:waitForConfirms\w*|txCommit|setChannelTransacted)\b",
     r"\bbasicPublish\s*\(|\b\w*[rR]abbitTemplate\w*\s*\.\s*(?:convertAndSend|send)\s*\("),
)  # fmt: skip
"""Pairs of a wait and a send to another kind of broker. Without the wait in the program, the send
returns before the broker confirms it: RabbitMQ's channels without confirms (its guide, Publisher
Confirms) and MQTT's messages with QoS 0."""
_NATS, _FIRESTORE = "io.nats", "com.google.cloud.firestore"
_DECLARATION = (
    r"\b{0}\s+(\w+)\s*(?=[=;,)])|\b(\w+)\s*:\s*{0}(?![\w.])|\b(\w+)\s*=\s*(?:new\s+)?{0}\s*[.(]"
    r"|\b{0}[\w\s.]{{0,40}}\([^(){{}};]{{0,80}}\)[\w\s.)]{{0,40}}\{{\s*(\w+)\s*(?:->|=>)"
)
_TEMPORARY_CLIENT_CALL = (
    r"\b{0}(?:\s*\.\s*\w+)?\s*\([^(){{}};]{{0,80}}\)(?:\s*\.\s*\w+\s*\{{\s*it)?"
    r"\s*\.\s*(?!close\b|build)\w+\s*\("
)
"""A call of a client that is created for this call alone."""


@lru_cache(maxsize=4)
def handover_calls(plain: str) -> re.Pattern[str]:
    """Returns the pattern of calls that hand work over in a program.

    They include any call of a client whose methods return immediately (AWS SDK, `S3AsyncClient`;
    google-cloud-pubsub, `Publisher`; Lettuce, `RedisAsyncCommands`).
    """
    types = _ASYNC_CLIENT.format("|Publisher" if _PUBSUB in plain else "")
    declared = re.findall(_DECLARATION.format(types), plain)
    names = (
        "|".join(sorted({name for match in declared for name in match if name})[:_MOST]) or "(?!)"
    )
    sends = "".join(f"|{send}" for wait, send in _UNCONFIRMED_SENDS if not re.search(wait, plain))
    if _NATS in plain:  # core NATS is at most once; JetStream acknowledges
        connections = [
            *re.findall(r"\bConnection\s+(\w+)|\b(\w+)\s*=\s*Nats\s*\.\s*connect", plain)
        ]
        nats = "|".join(sorted({name for match in connections for name in match if name})[:_MOST])
        sends += rf"|\b(?:{nats or '(?!)'})\s*\.\s*publish\s*\("
    if _FIRESTORE in plain:  # its writes return an ApiFuture
        sends += r"|\.\s*(?:document|collection)\s*\([^;{}]{0,200}?\)\s*"
        sends += r"\.\s*(?:set|add|update|create|delete)\s*\("
    calls = rf"\b(?:{names})\s*\.\s*(?!close\b|shutdown\b|flush\b|waiter\b)\w+\s*\("
    sends += f"|{_TEMPORARY_CLIENT_CALL.format(types)}"
    return re.compile(f"{HANDOVER.pattern}|{calls}{sends}")


SUBSCRIBES = re.compile(
    r"\.\s*onComplete\s*(?:\{|\((?=\s*[\w{(]))|\.\s*(?:subscribe|unsafeRunAsync\w*|unsafeRunAndForget|unsafeToFuture)\s*[({]"
)
"""The start of a reactive chain or of an effect of Scala, which does not wait for the result."""
PUT = re.compile(r"\b(\w+)\s*\.\s*(?:put|add|addAll|offer|send|trySend)\s*\(")
QUEUE = (
    r"\b{0}\s*:\s*\w*(?:Queue|Deque|Channel)\b|"
    r"\b\w*(?:Queue|Deque|Channel)\b(?:<[^;=()]{{0,80}}>)?\s+{0}\b"
    r"|\b{0}\s*=\s*(?:new\s+)?\w*(?:Queue|Deque|Channel)\b"
)
AWAITS_RESULT = re.compile(
    r"\b(?:await|pause|awaitAll|joinAll|throwIfFailed|invokeAny|waitFor\w+|flushSync|txCommit|block\w*)\s*\("
    r"|\b(?:join|result)\s*\((?=\)|\s*(?:\d|[\w.]*(?i:time|millis|second|duration|wait|max)))"
    r"|\bAwait\s*\.\s*result\s*\("
    r"|(?<=Future::)(?:join|get)\b|(?<=Thread::)join\b"
    r"|\bget\s*\((?:\)|\s*[\w.]+\s*,\s*(?:TimeUnit|(?:MILLI|MICRO|NANO)?SECONDS|MINUTES))"
    r"|\bget(?:Unchecked|Uninterruptibly|Done|Now)\s*\(|\b(?:coroutineScope|runBlocking)\b"
)
"""Calls that wait for other threads, and throw their errors or may do so. Whitespace between
parentheses stands for a string literal."""
WAITS = re.compile(
    rf"{AWAITS_RESULT.pattern}|\b(?:invokeAll|await(?:Termination|Quiescence)|ready)\s*\(|\bsupervisorScope\b"
    r"|\bacquire\w*\s*\(\s*\w"
)
ONLY_WAITS = re.compile(
    r"\b(?:latch|barrier|phaser|done)\w*\s*\.\s*await\s*\(|\bsupervisorScope\b"
    r"|\b(?:invokeAll|await(?:Termination|Quiescence)|ready)\s*\(|\bacquire\w*\s*\(\s*\w",
    re.IGNORECASE,
)
"""Calls that wait for other threads, but do not throw their errors."""
COUNTED = re.compile(r"\b(?:countDown|arriveAndDeregister|release)\b")
AWAIT = re.compile(r"\.\s*await\s*\(")
THEN = re.compile(r"\b(?:whenComplete|then\w+)\s*[({]")
EVERY = re.compile(
    r"(?<=[;{}\n])\s*(?:(?:(?:List<[\w<>?, ]{1,60}>|va[lr])\s+\w+\s*=\s*)?\w+\.invokeAll"
    r"|Await\s*\.\s*ready)\s*\("
)
"""A statement that waits for futures and discards them, with their errors."""
THREAD = re.compile(r"\bThread\b|\bthread\b|\bof(?:Virtual|Platform)\b")
IS_DONE = re.compile(r"\.\s*isDone\b")
OF_SCOPE = re.compile(r"(?:launch|async)\b")
"""Builders of coroutines whose error `join()` does not throw."""
SCOPES = ("runBlocking", "coroutineScope")
SCOPE = re.compile(r"\b(?:coroutineScope|runBlocking|supervisorScope)\b[^{};]*$")
"""Scopes that wait at their end for the coroutines that are launched in them."""
_OTHER_SCOPE = re.compile(r"\b(?!this\b)\w+(?:\([^()]{0,80}\))?\s*\.\s*$")


_OPENING = re.compile(r"[({]")
_BLOCK_AFTER = re.compile(r"[ \t]*\{")
_GET_CALL = re.compile(r"(?<![\w.])(?:this\s*\.\s*)?(\w{1,60})\s*\.\s*get\s*\(\s*\)")
_OPTIONAL_CALL = re.compile(r"\b(?:find\w*|ofNullable|min|max|reduce|anyOf)\s*\(")
"""A call that returns an Optional whose value is taken, or that waits for one of several
futures."""
_TAKES_VALUE = re.compile(r"\s*\.\s*(?:get|join)\s*\(")
_LONGEST_CALL = 1_000
_FUTURE = re.compile(r"Future|Deferred|Promise|Stage|Task|Async|Job|Exchange")
_TYPED_NAME = re.compile(
    r"\b(?P<java>[A-Z]\w{1,60})(?:\s*[<\[][^;=(){}]{0,80}[>\]])?\s+(?P<java_name>\w{1,60})\s*[=;,):]"
    r"|\b(?P<kotlin_name>\w{1,60})\s*:\s*(?:[a-z]\w*\.){0,6}(?P<kotlin>[A-Z]\w+)"
    r"|\b(?P<assigned_name>\w{1,60})\s*=\s*(?:new\s+)?(?P<constructor>(?:Atomic|Optional|ThreadLocal|WeakReference"
    r"|SoftReference|Mutable|Counter|Gauge|Suppliers|Lazy)\w*)\s*[(<.\[]"
)
"""A name with its type, or with the type of the value that is assigned to it."""
_INTRODUCED_NAME = re.compile(
    r"\b(\w+)\s*(?:=(?!=)|->|=>|:|\bin\b|<-)|[\w>\]]\s+(\w+)\s*[=;,):]|\b(it|_)\b"
)
"""A name that the text introduces: a variable, a parameter or a loop variable."""


@dataclass(frozen=True, slots=True)
class WaitPatterns:
    """Patterns of the waits in a text: `any` matches all, `asks` only those that throw errors."""

    any: re.Pattern[str]
    asks: re.Pattern[str]


def wait_patterns(plain: str) -> WaitPatterns:
    """Returns the patterns of the waits in a text."""
    return WaitPatterns(
        without_value_holders(WAITS, plain), without_value_holders(AWAITS_RESULT, plain)
    )


@lru_cache(maxsize=8)
def without_value_holders(pattern: re.Pattern[str], plain: str) -> re.Pattern[str]:
    """Returns a pattern that ignores calls of objects which only hold a value.

    These are an Optional that a call returns, and names that the text does not introduce or whose
    type is not that of a future.
    """
    receivers = {*islice(_optional_calls(plain), _MOST)}
    receivers |= {rf"\b{name}" for name in _value_holders(plain)}
    lookbehinds = "".join(rf"(?<!{receiver}\.)" for receiver in sorted(receivers)[: 2 * _MOST])
    return (
        re.compile(f"{lookbehinds}(?:{pattern.pattern})", pattern.flags) if receivers else pattern
    )


def _optional_calls(plain: str) -> Iterator[str]:
    """Yields a pattern for each such call whose value is taken."""
    for match in islice(_OPTIONAL_CALL.finditer(plain), _MOST):
        end = closing_bracket(plain, match.end(), _LONGEST_CALL)
        if _TAKES_VALUE.match(plain, end):
            yield re.escape(plain[match.start() : end])


@lru_cache(maxsize=4)
def _value_holders(plain: str) -> frozenset[str]:
    receivers = {match[1] for match in _GET_CALL.finditer(plain)}
    if not receivers:
        return frozenset()
    types = dict[str, list[str]]()
    for match in _TYPED_NAME.finditer(plain):
        name = match["java_name"] or match["kotlin_name"] or match["assigned_name"]
        types.setdefault(name, []).append(match["java"] or match["kotlin"] or match["constructor"])
    introduced_names = {
        name for match in _INTRODUCED_NAME.finditer(plain) for name in match.groups() if name
    }
    return frozenset(
        name for name in receivers
        if (name not in introduced_names and name not in types)
        or (name in types and not any(map(_FUTURE.search, types[name])))
    )  # fmt: skip


def unawaited_launches(text: Text, handovers: Sequence[int], span: Block) -> int:
    """Returns the offset of a coroutine that is launched in another scope than the waiting ones;
    0 if there is none."""
    matches = without_value_holders(WAITS, text.plain).finditer(text.plain, *span)
    waits = [match[0] for match in islice(matches, _MOST)]
    if not waits or not all(SCOPE.search(wait) for wait in waits):
        return 0
    before = ((at, text.plain[max(0, at - _REACH) : at]) for at in handovers)
    return next((at for at, prefix in before
                 if OF_SCOPE.match(text.plain, at) and _OTHER_SCOPE.search(prefix)), 0)  # fmt: skip


def handover_end(text: Text, at: int) -> int:
    """Returns the end of the call at an offset that hands a record over, with Kotlin's block after
    its arguments."""
    opened = _OPENING.search(text.plain, at)
    if opened is None:
        return at
    block = (
        opened if opened[0] == "{" else _BLOCK_AFTER.match(text.plain, text.closed(opened.end()))
    )
    if block:
        return text.block_of(block.end() - 1)[1] + 1
    return text.closed(opened.end())


def is_in_scope(text: Text, block: int, handover: int, commit: int) -> bool:
    """Whether a commit is in the scope that waits, at its end, for a record that is handed over;
    `block` is the start of the block of the poll."""
    return any(
        start < commit < end and SCOPE.search(head)
        for start, end, head in text.around(handover)
        if start > block
    )
