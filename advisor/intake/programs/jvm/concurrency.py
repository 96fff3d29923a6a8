"""Method names with which JVM code hands records to threads, and waits for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text

_MOST, _REACH = 20, 120
HAND = re.compile(
    r"\.\s*(?:submit|tell|enqueue|tryEmit\w*|launchIn)\s*\(|\.\s*submit\s*\{|\.\s*execute\s*\((?=\s*(?:\(\s*\)|new\b|[\w.]+::))"
    r"|\b(?i:disruptor|ringBuffer)\w*\s*\.\s*(?:try)?[pP]ublish\w*\s*\("
    r"|\.\s*async\s*\(\s*\)\s*\.\s*\w+\s*\("
    r"|\.\s*(?:ofVirtual|ofPlatform)\s*\(\s*\)[^;{}]{0,80}?\.\s*start\s*\("
    r"|\.\s*(?:schedule|executeBlocking|runOnContext)\s*\(|\b\w+\s!\s(?=\w)"
    r"|\beventBus\s*\(\s*\)\s*\.\s*(?:send|publish|request)\s*\("
    r"|\b(?i:event_?bus|vertx)\w*\s*\.\s*(?:send|publish|request)\s*\(\s*,"
    r"|\b\w*(?i:pool|exec|worker)\w*\s*\.\s*execute\s*[({]|\b\w*(?i:bulkProcessor|ingester)\s*\.\s*add\s*\(|\b(?!commit)\w+Async\s*\(|\bnew\s+Thread\s*\("
    r"|\b\w+Async(?:Client)?\s*\.\s*(?!close\b)\w+\s*\("
    r"|\bThread\s*\.\s*startVirtualThread\s*\(|\b(?:launch|async|thread|Future)\b\s*(?:\([^(){]*\)\s*)?[({]"
)
_ASIDE = (
    r"(?:\w+AsyncClient|AsyncHttpClient|JsonStreamWriter|\w+FutureStub|EventHubBufferedProducerClient|DatagramSocket|MulticastSocket|DatagramChannel|AmazonS3Async|Amazon\w+Async|KinesisProducer|S3?TransferManager|S3TransferManager"
    r"|\w*AsyncCommands{})(?:\s*<[^;(){{}}]{{0,80}}>)?"
)
_OF_PUBSUB = "com.google.cloud.pubsub"
_BROKERS = (
    (r"(?!)", r"\b\w*(?i:asyncStub|futureStub)\w*\s*\.\s*\w+\s*\("),
    (r"(?!)", r"\.\s*toCompletableFuture\s*\((?=\s*\)\s*;)"
     r"|\.\s*publish\s*\((?=[^;{}]{0,200},\s*0\s*,\s*\w+\s*\))"),
    (r"\b(?:waitForConfirms\w*|txCommit|setChannelTransacted)\b",
     r"\bbasicPublish\s*\(|\b\w*[rR]abbitTemplate\w*\s*\.\s*(?:convertAndSend|send)\s*\("),
)  # fmt: skip
"""Sends to brokers of other kinds that no broker has confirmed when they return, unless the
program has what waits for that: RabbitMQ's channels without confirms (its guide, Publisher
Confirms) and MQTT's messages with QoS 0."""
_OF_NATS, _OF_FIRESTORE = "io.nats", "com.google.cloud.firestore"
_DECLARED = (
    r"\b{0}\s+(\w+)\s*(?=[=;,)])|\b(\w+)\s*:\s*{0}(?![\w.])|\b(\w+)\s*=\s*(?:new\s+)?{0}\s*[.(]"
    r"|\b{0}[\w\s.]{{0,40}}\([^(){{}};]{{0,80}}\)[\w\s.)]{{0,40}}\{{\s*(\w+)\s*(?:->|=>)"
)
_MADE_FOR_IT = (
    r"\b{0}(?:\s*\.\s*\w+)?\s*\([^(){{}};]{{0,80}}\)(?:\s*\.\s*\w+\s*\{{\s*it)?"
    r"\s*\.\s*(?!close\b|build)\w+\s*\("
)
"""A call of one that is made for it alone."""


@lru_cache(maxsize=4)
def handover_calls(plain: str) -> re.Pattern[str]:
    """What hands something on in a program: also any call of a client whose methods return at once
    (AWS SDK, `S3AsyncClient`; google-cloud-pubsub, `Publisher`; Lettuce, `RedisAsyncCommands`)."""
    types = _ASIDE.format("|Publisher" if _OF_PUBSUB in plain else "")
    declared = re.findall(_DECLARED.format(types), plain)
    names = (
        "|".join(sorted({name for found in declared for name in found if name})[:_MOST]) or "(?!)"
    )
    sends = "".join(f"|{send}" for waits, send in _BROKERS if not re.search(waits, plain))
    if _OF_NATS in plain:  # its core is at most once; JetStream answers
        own = [*re.findall(r"\bConnection\s+(\w+)|\b(\w+)\s*=\s*Nats\s*\.\s*connect", plain)]
        nats = "|".join(sorted({name for found in own for name in found if name})[:_MOST])
        sends += rf"|\b(?:{nats or '(?!)'})\s*\.\s*publish\s*\("
    if _OF_FIRESTORE in plain:  # each of its writes is an ApiFuture
        sends += r"|\.\s*(?:document|collection)\s*\([^;{}]{0,200}?\)\s*"
        sends += r"\.\s*(?:set|add|update|create|delete)\s*\("
    calls = rf"\b(?:{names})\s*\.\s*(?!close\b|shutdown\b|flush\b|waiter\b)\w+\s*\("
    sends += f"|{_MADE_FOR_IT.format(types)}"
    return re.compile(f"{HAND.pattern}|{calls}{sends}")


SUBSCRIBES = re.compile(
    r"\.\s*(?:subscribe|unsafeRunAsync\w*|unsafeRunAndForget|unsafeToFuture)\s*\("
)
"""Of a reactive chain, or an effect of Scala, which is not waited for."""
PUT = re.compile(r"\b(\w+)\s*\.\s*(?:put|add|addAll|offer|send|trySend)\s*\(")
QUEUE = (
    r"\b{0}\s*:\s*\w*(?:Queue|Deque|Channel)\b|"
    r"\b\w*(?:Queue|Deque|Channel)\b(?:<[^;=()]{{0,80}}>)?\s+{0}\b"
    r"|\b{0}\s*=\s*(?:new\s+)?\w*(?:Queue|Deque|Channel)\b"
)
ASKS = re.compile(
    r"\b(?:await|pause|awaitAll|joinAll|throwIfFailed|invokeAny|waitFor\w+|flushSync|txCommit|block\w*)\s*\("
    r"|\b(?:join|result)\s*\((?=\)|\s*(?:\d|[\w.]*(?i:time|millis|second|duration|wait|max)))"
    r"|\bAwait\s*\.\s*result\s*\("
    r"|(?<=Future::)(?:join|get)\b|(?<=Thread::)join\b|\bacquire\w*\s*\(\s*\w"
    r"|\bget\s*\((?:\)|\s*[\w.]+\s*,\s*(?:TimeUnit|(?:MILLI|MICRO|NANO)?SECONDS|MINUTES))"
    r"|\bget(?:Unchecked|Uninterruptibly|Done|Now)\s*\(|\b(?:coroutineScope|runBlocking)\b"
)
"""What waits for others, and throws what they throw, or may; between brackets that hold blanks
stood a string."""
WAITS = re.compile(
    rf"{ASKS.pattern}|\b(?:invokeAll|awaitTermination|ready)\s*\(|\bsupervisorScope\b"
)
ONLY_WAITS = re.compile(
    r"\b(?:latch|barrier|phaser|done)\w*\s*\.\s*await\s*\(|\bsupervisorScope\b"
    r"|\b(?:invokeAll|awaitTermination|ready)\s*\(",
    re.IGNORECASE,
)
"""What waits for others, and hears of no error of theirs."""
COUNTED = re.compile(r"\b(?:countDown|arriveAndDeregister)\b")
AWAIT = re.compile(r"\.\s*await\s*\(")
THEN = re.compile(r"\b(?:whenComplete|then\w+)\s*\(")
EVERY = re.compile(r"(?<=[;{}\n])\s*(?:\w+\.invokeAll|Await\s*\.\s*ready)\s*\(")
"""Whose futures nothing takes."""
THREAD = re.compile(r"\bThread\b|\bthread\b")
IS_DONE = re.compile(r"\.\s*isDone\b")
OF_SCOPE = re.compile(r"(?:launch|async)\b")
"""Whose error `join()` does not throw."""
SCOPES = ("runBlocking", "coroutineScope")
SCOPE = re.compile(r"\b(?:coroutineScope|runBlocking|supervisorScope)\b[^{};]*$")
"""What waits at its end for the coroutines that are launched in it."""
_OTHER_SCOPE = re.compile(r"\b(?!this\b)\w+(?:\([^()]{0,80}\))?\s*\.\s*$")


_GOT = re.compile(r"(?<![\w.])(?:this\s*\.\s*)?(\w{1,60})\s*\.\s*get\s*\(\s*\)")
_FOUND = re.compile(
    r"\b(?:find\w*|ofNullable|min|max|reduce|anyOf)\s*\("
    r"(?:[^(){};]|\((?:[^(){};]|\([^(){};]{0,80}+\)){0,80}+\)){0,120}+\)"
    r"(?=\s*\.\s*(?:get|join)\s*\()"
)
"""A call that returns an Optional of which the value is taken, or waits for one of several."""
_FUTURE = re.compile(r"Future|Deferred|Promise|Stage|Task|Async|Job|Exchange")
_TYPED = re.compile(
    r"\b(?P<java>[A-Z]\w{1,60})(?:\s*[<\[][^;=(){}]{0,80}[>\]])?\s+(?P<typed>\w{1,60})\s*[=;,):]"
    r"|\b(?P<named>\w{1,60})\s*:\s*(?:[a-z]\w*\.){0,6}(?P<kotlin>[A-Z]\w+)"
    r"|\b(?P<given>\w{1,60})\s*=\s*(?:new\s+)?(?P<made>(?:Atomic|Optional|ThreadLocal|WeakReference"
    r"|SoftReference|Mutable|Counter|Gauge|Suppliers|Lazy)\w*)\s*[(<.\[]"
)
"""The type of a name, or of what it is given."""
_MADE = re.compile(r"\b(\w+)\s*(?:=(?!=)|->|=>|:|\bin\b|<-)|[\w>\]]\s+(\w+)\s*[=;,):]|\b(it|_)\b")
"""Names that something is called in the text."""


@dataclass(frozen=True, slots=True)
class WaitPatterns:
    """Where a text waits for others: `any` finds all of it, `asks` what throws their errors."""

    any: re.Pattern[str]
    asks: re.Pattern[str]


def wait_patterns(plain: str) -> WaitPatterns:
    """The patterns for this text."""
    return WaitPatterns(without_value_holders(WAITS, plain), without_value_holders(ASKS, plain))


@lru_cache(maxsize=8)
def without_value_holders(pattern: re.Pattern[str], plain: str) -> re.Pattern[str]:
    """What a pattern finds but where it is asked of what only holds a value: a name whose type is
    no future's or that nothing of the text is called, or an Optional that a call returns."""
    held = {*islice((re.escape(match[0]) for match in _FOUND.finditer(plain)), _MOST)}
    held |= {rf"\b{name}" for name in _holders(plain)}
    others = "".join(rf"(?<!{one}\.)" for one in sorted(held)[: 2 * _MOST])
    return re.compile(f"{others}(?:{pattern.pattern})", pattern.flags) if held else pattern


@lru_cache(maxsize=4)
def _holders(plain: str) -> frozenset[str]:
    got = {match[1] for match in _GOT.finditer(plain)}
    if not got:
        return frozenset()
    types = dict[str, list[str]]()
    for match in _TYPED.finditer(plain):
        name = match["typed"] or match["named"] or match["given"]
        types.setdefault(name, []).append(match["java"] or match["kotlin"] or match["made"])
    made = {name for match in _MADE.finditer(plain) for name in match.groups() if name}
    return frozenset(
        name for name in got
        if (name not in made and name not in types)
        or (name in types and not any(map(_FUTURE.search, types[name])))
    )  # fmt: skip


def unawaited_launches(text: Text, hands: Sequence[int], span: Block) -> int:
    """Where a coroutine is launched in a scope of its own, if nothing but another scope waits."""
    every = without_value_holders(WAITS, text.plain).finditer(text.plain, *span)
    found = [match[0] for match in islice(every, _MOST)]
    if not found or not all(SCOPE.search(wait) for wait in found):
        return 0
    before = ((at, text.plain[max(0, at - _REACH) : at]) for at in hands)
    return next((at for at, own in before
                 if OF_SCOPE.match(text.plain, at) and _OTHER_SCOPE.search(own)), 0)  # fmt: skip


def is_behind(text: Text, hand: int, commit: int) -> bool:
    """Whether a commit is in a function that is done behind a future."""
    then = THEN.finditer(text.plain, hand, commit)
    return any(commit < text.closed(match.end()) for match in then)


def is_in_scope(text: Text, block: int, hand: int, commit: int) -> bool:
    """Whether a commit is in the scope that waits, at its end, for who is given a record; `block`
    is where that of the poll begins."""
    return any(
        start < commit < end and SCOPE.search(head)
        for start, end, head in text.around(hand)
        if start > block
    )
