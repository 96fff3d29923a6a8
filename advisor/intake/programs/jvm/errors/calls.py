"""Methods by what they do with a future, or with a lambda that returns one."""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.surroundings import CONSUMER_COMMIT
from advisor.intake.programs.jvm.text import without_types

FOR_EACH = frozenset({
    "forEach", "foreach", "forEachOrdered", "forEachIndexed", "onEach", "ifPresent", "peek",
})  # fmt: skip
DISCARDS_VALUE = FOR_EACH | {
    "also", "apply", "repeat", "execute", "runAsync", "Thread", "launch", "thread",
    "startVirtualThread", "scheduleAtFixedRate", "scheduleWithFixedDelay", "fixedRateTimer",
}  # fmt: skip
"""Calls that discard the value of their lambda."""
WRAPS = frozenset({"submit", "supplyAsync", "async", "Future", "Try", "runCatching"})
"""Calls that return another future, or a result, which holds the value of their lambda."""
UNWRAPS = frozenset({"get", "join", "await", "awaitAll", "getOrThrow"})
"""Calls that return the value of such a future or result."""
EXECUTES = frozenset({"submit", "supplyAsync", "runAsync", "execute", "Thread"})
PASSES = WRAPS | {
    "map", "flatMap", "mapToObj", "mapNotNull", "mapIndexed", "collect", "let", "run", "use",
    "with", "traverse", "transform", "thenCompose", "compose", "Using",
    "resource", "mapValues", "stream", "parallelStream", "values", "toList", "toArray", "toSet",
    "asSequence", "iterator", "filter", "entrySet", "asScala", "asJava", "sorted", "parallel",
    "sequential", "view", "withContext", "toSeq", "toVector", "of", "asList", "listOf", "Some",
    "Seq", "List", "par", "ofNullable", "coroutineScope", "runBlocking", "unordered", "boxed",
    "associateWith", "ready", "future",
    "last", "first", "toMutableList", "stripMargin", "reversed", "orElseThrow", "getValue", "value",
}  # fmt: skip
"""Calls whose value is computed from their arguments, or from the value of their lambda."""
HAS_RECEIVER = ("apply", "run", "with")
"""Kotlin's functions whose lambda has a receiver."""
STORES = frozenset({
    "add", "addAll", "addLast", "addFirst", "offer", "put", "push", "append", "addOne",
    "putIfAbsent",
})  # fmt: skip
READS_NO_ERROR = STORES | {
    "size", "length", "isEmpty", "isNotEmpty", "nonEmpty", "clear", "isDone", "isCancelled",
    "count", "cancel", "containsKey", "contains", "toString", "hashCode", "getClass", "isCompleted",
    "indices", "lastIndex", "remove", "removeIf", "sizeHint",
    "complete", "completeExceptionally", "success", "failure", "trySuccess", "tryFailure",
    "tryComplete",
}  # fmt: skip
"""Calls that neither read nor report an error."""
TAKES_ERROR = frozenset({"whenComplete", "whenCompleteAsync", "handle", "handleAsync"})
"""Calls whose lambda has the error as a parameter."""
KEEPS_ERROR = frozenset({
    "thenAccept", "thenApply", "thenRun", "thenAcceptAsync", "thenApplyAsync", "thenRunAsync",
})  # fmt: skip
"""Calls that return a future with the same error."""
TESTS = {"if", "while", "when", "switch"}
_POLL_CALL = re.compile(r"\.\s*poll\s*\(\s*\w")
LOGS = re.compile(r"(?i)(?:print\w*|info|debug|trace|warn\w*|error|log\w*|format)")


def after_first_argument(arguments: str) -> str:
    """Returns the arguments of a call after the first one; empty if there is only one."""
    depth = 0
    for at, char in enumerate(without_types(arguments)):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and char == ",":
            return arguments[at + 1 :]
    return ""


def lambda_body(code: str) -> str:
    """Returns the body of a lambda with one parameter."""
    return re.sub(r"^\s*\(?\w+\)?\s*(?:->|=>)", "", code)


def is_poll_loop(code: str) -> bool:
    """Whether code is a poll loop that commits: an error that leaves it ends polls and commits."""
    return bool(_POLL_CALL.search(code)) and bool(CONSUMER_COMMIT.search(code))
