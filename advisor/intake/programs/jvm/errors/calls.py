"""Method names by what they do with a future, or with a lambda that returns one."""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.text import without_types

EACH = frozenset({
    "forEach", "foreach", "forEachOrdered", "forEachIndexed", "onEach", "ifPresent", "peek",
})  # fmt: skip
TAKES_NOTHING = EACH | {
    "also", "apply", "repeat", "execute", "runAsync", "Thread", "launch", "thread",
    "startVirtualThread",
}  # fmt: skip
"""Calls that make nothing of what a lambda returns."""
LATER = frozenset({"submit", "supplyAsync", "async", "Future", "Try", "runCatching"})
"""Calls whose value is another future, or a result, with what the lambda returns in it."""
UNWRAPS = frozenset({"get", "join", "await", "awaitAll", "getOrThrow"})
"""Calls that give what is in that."""
EXECUTES = frozenset({"submit", "supplyAsync", "runAsync", "execute", "Thread"})
PASSES = LATER | {
    "map", "flatMap", "mapToObj", "mapNotNull", "mapIndexed", "collect", "let", "run", "use",
    "with", "traverse", "transform", "thenCompose", "compose", "Using",
    "resource", "mapValues", "stream", "parallelStream", "values", "toList", "toArray", "toSet",
    "asSequence", "iterator", "filter", "entrySet", "asScala", "asJava", "sorted", "parallel",
    "sequential", "view", "withContext", "toSeq", "toVector", "of", "asList", "listOf", "Some",
    "Seq", "List", "par", "ofNullable", "coroutineScope", "runBlocking", "unordered", "boxed",
    "associateWith",
    "last", "first", "toMutableList", "stripMargin", "reversed", "orElseThrow", "getValue", "value",
}  # fmt: skip
"""Calls whose value is made of their arguments, or of the value of their lambda."""
OWN = ("apply", "run", "with")
"""Kotlin's calls whose braces have a receiver."""
KEEPS = frozenset({
    "add", "addAll", "addLast", "addFirst", "offer", "put", "push", "append", "addOne",
    "putIfAbsent",
})  # fmt: skip
SAYS_NOTHING = KEEPS | {
    "size", "length", "isEmpty", "isNotEmpty", "nonEmpty", "clear", "isDone", "isCancelled",
    "count", "cancel", "containsKey", "contains", "toString", "hashCode", "getClass", "isCompleted",
    "indices", "lastIndex", "remove", "removeIf", "sizeHint",
}  # fmt: skip
"""Calls that tell nothing of an error, and read none."""
TOLD = frozenset({"whenComplete", "whenCompleteAsync", "handle", "handleAsync"})
"""Calls whose lambda is told of an error."""
THEN = frozenset({
    "thenAccept", "thenApply", "thenRun", "thenAcceptAsync", "thenApplyAsync", "thenRunAsync",
})  # fmt: skip
"""Calls whose value is a future with the same error."""
TESTS = {"if", "while", "when", "switch"}
_POLL = re.compile(r"\.\s*poll\s*\(\s*\w")
_COMMIT = re.compile(r"\.\s*commit(?:Sync|Async)\s*\(")
WRITES = re.compile(r"(?i)(?:print\w*|info|debug|trace|warn\w*|error|log\w*|format)")


def after_first_argument(given: str) -> str:
    """What a call is given behind its first argument; empty if that is all."""
    depth = 0
    for at, char in enumerate(without_types(given)):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and char == ",":
            return given[at + 1 :]
    return ""


def lambda_body(given: str) -> str:
    """What a lambda of one parameter does."""
    return re.sub(r"^\s*\(?\w+\)?\s*(?:->|=>)", "", given)


def is_poll_loop(code: str) -> bool:
    """Whether code is a consumer's own loop: an error that leaves it ends its polls and commits."""
    return bool(_POLL.search(code)) and bool(_COMMIT.search(code))
