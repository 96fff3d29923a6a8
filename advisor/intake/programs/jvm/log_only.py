"""Statements of JVM code that log, count or wait, and do nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_LOG_CALL = r"(?:\w+\.){0,6}(?i:_?log(?:ger)?)\.\w+"
ERROR_LOG = re.compile(r"\.\s*(?:error|warn\w*|severe|fatal)\s*[({]")
"""The call of a logger at a level for errors."""
SEEKS_NEXT = r"\.seek\s*\([^;]{0,300}\boffset\s*(?:\(\s*\))?\s*\+\s*1[lL]?\b"
"""A seek to the offset after a record (KafkaConsumer javadoc, seek)."""
_EFFECT_WRAPPER = (
    r"(?:(?:IO|ZIO|UIO|Task|F|Sync\[\w+\]|Mono|Completable|Single|Uni|Future|Applicative\[\w+\])"
    r"\s*(?:\.\s*(?:delay|blocking|attempt|succeed|pure|suspend|defer|just|fromRunnable|fromCallable"
    r"|fromAction|successful|apply)\s*)?[({]?\s*)"
)
"""Wrappers of a statement, such as `IO { … }`, that do nothing else."""
_EFFECT_LOG_CALL = (
    r"(?:\w+\.)?(?:ZIO|IO|Logger\[\w+\]|Console|IO\.consoleForIO)\s*\.\s*"
    r"(?:log\w*|print\w*|errorln|error|warn|info|debug)\s*\(.*"
)
_FAILS = re.compile(
    r"\braiseError\b|\b(?:Mono|Flux|Single|Maybe|Completable|Observable|Flowable)\s*\.\s*error\s*\("
    r"|\bZIO\s*\.\s*(?:fail|die)\w*|\bfailedFuture\s*\(|\bFuture\s*\.\s*failed\s*\("
    r"|\.\s*failure\s*\("
)
"""A call that returns an error to the caller."""
_HARMLESS = re.compile(
    rf"\s*(?:else\b\s*)?(?:if\s*\((?:[^()]|\([^()]*\))*\))?\s*{_EFFECT_WRAPPER}?(?:{_EFFECT_LOG_CALL}|MDC\.\w+\s*\(.*"
    rf"|continue(?:(?:\s+|@)\w+)?|return@\w+|\(\s*\)|\w+\s*->|{_LOG_CALL}\s*(?:\(.*)?"
    r"|(?:System\.(?:out|err)|Console\.err)\.\w+\s*\(.*|\w+\??\.printStackTrace(?:\(\s*\))?"
    r"|(?:println|print|log(?:Error|Warning|Info|Debug)|(?:[\w.]+\.)?(?:sleep|[bB]ack_?[oO]ff)\w*"
    r"|delay)\s*\(.*"
    rf"|[\w.]+{SEEKS_NEXT}.*"
    r"|[\w.]+\.(?:setRollbackOnly|rollback)\(\s*\)"
    r"|Thread\.currentThread\(\s*\)\.interrupt\(\s*\)|\w+\.cancel\(\s*(?:true|false)\s*\)"
    r"|[\w.() ]+\.(?:increment|inc|mark|incrementAndGet)(?:\(\s*\))?|\w+\s*\+=\s*1|\w+\+\+)?\s*",
    re.DOTALL,
)
_DESCRIBING_METHOD = (
    r"(?:getMessage|getCause|format|formatted|toString|topic|partition|offset|key|value|valueOf"
    r"|getClass|getSimpleName|getName|hasOffset|timestamp|currentTimeMillis|nanoTime|now|between"
    r"|toMillis|toNanos)"
)
_DESCRIPTION = re.compile(
    r"\s*(?:final\s+)?(?:va[lr]|String|Throwable|Exception|long|int|boolean|Duration|Object)\s+\w+"
    rf"(?:\s*:\s*[\w.?]+)?\s*=(?!=)(?:[^()]|\b{_DESCRIBING_METHOD}\s*\((?=[^()])|\b{_DESCRIBING_METHOD}\s*\(\)|\))*"
)
"""A local variable that holds a description of an error or a record, for a log."""
OBSERVERS = (
    r"(?i:span|tracer|propagator|baggage|mdc|sentry|newrelic|metrics?|meter|timer|counter|gauge"
    r"|statsd?|histogram)"
)
"""Names of the objects that observe a program: traces and metrics."""
_OBSERVER_CALL = re.compile(
    r"\s*(?:(?:final\s+)?(?:va[lr]|[A-Z][\w.]*)\s+\w+\s*=\s*)?"
    rf"(?:\w+\.)*{OBSERVERS}\w*\s*(?:\(\s*\))?\.\w+\s*\(.*",
    re.DOTALL,
)
_LAZY_LOG_CALL = re.compile(rf"({_LOG_CALL}\s*(?:\([^(){{}}]*\))?)\s*\{{[^{{}}]*\}}")
"""A call of one of Kotlin's loggers, which take the message as a block."""
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
_EMPTY_RETURN = re.compile(rf"\s*return(?:@\w+)?(?:\s+{_EMPTY})?\s*")
"""A return without a value, or with an empty one."""
_EMPTY_VALUE = re.compile(rf"\s*{_EMPTY}\s*")
"""An empty value as the last expression of a block."""


_LOOP_OVER_LOGS = re.compile(
    r"\bfor\s*\([^:;(){}]{0,80}?\b(?P<logger>\w+)\s*(?::|\bin\b|<-)\s*(?:\w+\.)*\w*(?i:log(?:ger)?s)\s*\)"
)
"""A loop over several loggers."""
_FOR_EACH_LOG = re.compile(
    r"(?:(?<!\w)(?<!\w\.)(?:\w+\.)*\w*(?i:log(?:ger)?s)|\b\w*(?:List|Set|Seq|Stream|Array|list|set)(?:\.of|Of)?"
    r"\s*\([^(){}]{0,80}(?i:log)[^(){}]{0,80}\))\s*\.\s*for[Ee]ach\s*[({]\s*"
    r"(?:\(?\w+\)?\s*[-=]>\s*)?\{?\s*\w+\s*\.\s*(?P<call>(?:error|warn\w*|info|debug|trace|log|severe)"
    r"\s*\([^(){};]{0,200}(?:\([^()]{0,200}\)[^(){};]{0,200}){0,4}\))\s*;?\s*\}?\s*[)}]"
)
"""A `forEach` over several loggers, and the call of each."""
_LONGEST = 4_000
"""The most characters of statements that only log."""
Others = Callable[[str], object]


def never(_: str) -> bool:
    """Returns False: no other statement is harmless."""
    return False


def only_logs(body: str, *, in_function: bool = False, others: Others = never) -> bool:
    """Whether all statements of a body only log, count or wait, or match `others`; `in_function`
    allows them to return an empty value."""
    if len(body) > _LONGEST or _FAILS.search(body):
        return False
    body = _FOR_EACH_LOG.sub(r"log.\g<call>", _LAZY_LOG_CALL.sub(r"\1", body))
    while loop := _LOOP_OVER_LOGS.search(body):
        logger_call = re.compile(rf"\b{loop['logger']}\.")
        body = logger_call.sub("log.", f"{body[: loop.start()]}{body[loop.end() :]}")
    return all(
        _HARMLESS.fullmatch(statement)
        or _DESCRIPTION.fullmatch(statement)
        or _OBSERVER_CALL.fullmatch(statement)
        or _EMPTY_VALUE.fullmatch(statement)
        or (in_function and _EMPTY_RETURN.fullmatch(statement))
        or others(statement)
        for statement in statements(body)
    )


def statements(body: str) -> Iterator[str]:
    """Yields the statements of a block; a line break outside of parentheses ends a statement."""
    depth, start = 0, 0
    for at, char in enumerate(body):
        depth += (char in "([") - (char in ")]")
        is_end = (
            char in ";{}"
            or body.startswith((" *> ", " >> "), at)
            or (char == "\n" and not body[at:].lstrip().startswith("."))
        )
        if is_end and depth <= 0:
            yield body[start:at]
            start = at + 1
    yield body[start:]
