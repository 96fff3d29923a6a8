"""Statements of JVM code that log, count or wait, and do nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_LOGS = r"(?:\w+\.){0,6}(?i:_?log(?:ger)?)\.\w+"
SEEKS_NEXT = r"\.seek\s*\([^;]{0,300}\boffset\s*(?:\(\s*\))?\s*\+\s*1[lL]?\b"
"""What goes on behind a record (KafkaConsumer javadoc, seek)."""
_EFFECT = (
    r"(?:(?:IO|ZIO|UIO|Task|F|Sync\[\w+\]|Mono|Completable|Single|Uni|Future|Applicative\[\w+\])"
    r"\s*(?:\.\s*(?:delay|blocking|attempt|succeed|pure|suspend|defer|just|fromRunnable|fromCallable"
    r"|fromAction|successful|apply)\s*)?[({]?\s*)"
)
"""Wrappers of a statement, such as `IO { … }`, that do nothing else."""
_EFFECTS = (
    r"(?:\w+\.)?(?:ZIO|IO|Logger\[\w+\]|Console|IO\.consoleForIO)\s*\.\s*"
    r"(?:log\w*|print\w*|errorln|error|warn|info|debug)\s*\(.*"
)
_FAILS = re.compile(
    r"\braiseError\b|\b(?:Mono|Flux|Single|Maybe|Completable|Observable|Flowable)\s*\.\s*error\s*\("
    r"|\bZIO\s*\.\s*(?:fail|die)\w*|\bfailedFuture\s*\(|\bFuture\s*\.\s*failed\s*\("
    r"|\.\s*failure\s*\("
)
"""An error that is made again."""
_HARMLESS = re.compile(
    rf"\s*(?:else\b\s*)?(?:if\s*\((?:[^()]|\([^()]*\))*\))?\s*{_EFFECT}?(?:{_EFFECTS}|MDC\.\w+\s*\(.*"
    rf"|continue(?:\s+\w+)?|return@\w+|\(\s*\)|\w+\s*->|{_LOGS}\s*(?:\(.*)?"
    r"|(?:System\.(?:out|err)|Console\.err)\.\w+\s*\(.*|\w+\??\.printStackTrace(?:\(\s*\))?"
    r"|(?:println|print|log(?:Error|Warning|Info|Debug)|(?:[\w.]+\.)?sleep|delay)\s*\(.*"
    rf"|[\w.]+{SEEKS_NEXT}.*"
    r"|[\w.]+\.(?:setRollbackOnly|rollback)\(\s*\)"
    r"|Thread\.currentThread\(\s*\)\.interrupt\(\s*\)|\w+\.cancel\(\s*(?:true|false)\s*\)"
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
OBSERVERS = (
    r"(?i:span|tracer|propagator|baggage|mdc|sentry|newrelic|metrics?|meter|timer|counter|gauge"
    r"|statsd?|histogram)"
)
"""What observes a program: its traces and metrics."""
_REPORTS = re.compile(
    r"\s*(?:(?:final\s+)?(?:va[lr]|[A-Z][\w.]*)\s+\w+\s*=\s*)?"
    rf"(?:\w+\.)*{OBSERVERS}\w*\s*(?:\(\s*\))?\.\w+\s*\(.*",
    re.DOTALL,
)
_MESSAGE = re.compile(rf"({_LOGS}\s*(?:\([^(){{}}]*\))?)\s*\{{[^{{}}]*\}}")
"""Of Kotlin's loggers, which are given a block."""
_EMPTY = (
    r"(?:(?:Mono|Flux|Maybe|Observable|Flowable)\s*\.\s*empty\s*\(\s*\)|Completable\.complete\(\s*\)"
    r"|(?:IO|ZIO|Future|UIO|Task|Applicative\[\w+\])\s*\.\s*(?:unit|none|void)"
    r"|(?:IO|ZIO|Future|UIO|Task|Sync\[\w+\])\s*\.\s*(?:pure|succeed|successful)\s*\(\s*\(\s*\)\s*\)"
    r"|(?:CompletableFuture|CompletionStage)\s*\.\s*completed(?:Future|Stage)\s*\(\s*null\s*\)"
    r"|Uni\s*\.\s*createFrom\s*\(\s*\)\s*\.\s*(?:nullItem|voidItem)\s*\(\s*\)"
    r"|null|Unit|None|Nil|(?:Collections\s*\.\s*)?empty\w*\s*(?:<[\w<>?, ]*>)?\(\s*\)"
    r"|(?:List|Set|Map|Arrays|Stream|Seq|Optional|Iterator)\s*\.\s*(?:of|empty|asList)\w*"
    r"(?:\s*\(\s*\))?|(?:list|set|map|sequence)Of\s*\(\s*\)|new\s+\w+\s*<\s*>\s*\(\s*\))"
)
_RETURN = re.compile(rf"\s*return(?:@\w+)?(?:\s+{_EMPTY})?\s*")
"""Of nothing."""
_OF_NOTHING = re.compile(rf"\s*{_EMPTY}\s*")
"""The last value of a block."""


_OF_LOGS = re.compile(
    r"\bfor\s*\([^:;(){}]{0,80}?\b(?P<own>\w+)\s*(?::|\bin\b|<-)\s*(?:\w+\.)*\w*(?i:log(?:ger)?s)\s*\)"
)
"""A loop over several logs."""
_EACH_LOG = re.compile(
    r"(?:\b(?:\w+\.)*\w*(?i:log(?:ger)?s)|\b\w*(?:List|Set|Seq|Stream|Array|list|set)(?:\.of|Of)?"
    r"\s*\([^(){}]{0,80}(?i:log)[^(){}]{0,80}\))\s*\.\s*for[Ee]ach\s*[({]\s*"
    r"(?:\(?\w+\)?\s*[-=]>\s*)?\{?\s*\w+\s*\.\s*(?P<does>(?:error|warn\w*|info|debug|trace|log|severe)"
    r"\s*\([^(){};]{0,200}(?:\([^()]{0,200}\)[^(){};]{0,200}){0,4}\))\s*;?\s*\}?\s*[)}]"
)
"""What each of several logs is told."""
_LONGEST = 4_000
"""Letters of what only writes of something."""
Others = Callable[[str], object]


def never(_: str) -> bool:
    """Whether a statement does no more: none does."""
    return False


def only_logs(body: str, *, in_function: bool = False, others: Others = never) -> bool:
    """Whether statements write of something, count or wait, and do nothing else, or are `others`
    that do no more."""
    if len(body) > _LONGEST or _FAILS.search(body):
        return False
    body = _EACH_LOG.sub(r"log.\g<does>", _MESSAGE.sub(r"\1", body))
    while of_logs := _OF_LOGS.search(body):
        own = re.compile(rf"\b{of_logs['own']}\.")
        body = own.sub("log.", f"{body[: of_logs.start()]}{body[of_logs.end() :]}")
    return all(
        _HARMLESS.fullmatch(part)
        or _NAMES.fullmatch(part)
        or _REPORTS.fullmatch(part)
        or _OF_NOTHING.fullmatch(part)
        or (in_function and _RETURN.fullmatch(part))
        or others(part)
        for part in statements(body)
    )


def statements(body: str) -> Iterator[str]:
    """The statements of a block; a new line ends one outside of brackets."""
    depth, begin = 0, 0
    for at, char in enumerate(body):
        depth += (char in "([") - (char in ")]")
        ends = (
            char in ";{}"
            or body.startswith((" *> ", " >> "), at)
            or (char == "\n" and not body[at:].lstrip().startswith("."))
        )
        if ends and depth <= 0:
            yield body[begin:at]
            begin = at + 1
    yield body[begin:]
