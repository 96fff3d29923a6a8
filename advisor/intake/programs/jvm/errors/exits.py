"""JVM programs that end while their producer still has records in its buffer.

A record passed to `send()` waits in a buffer for its batch, and the thread that sends it ends with
the program (KafkaProducer javadoc: "failure to close the producer after use will leak these
resources"; KafkaThread.daemon). `close()` and `flush()` wait for the buffer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from advisor.intake.programs.jvm.text import Block, Text

LEFT = (
    "the program ends without waiting for the records in its producer's buffer: close() and "
    "flush() wait for them"
)
_MAIN = re.compile(
    r"\bstatic\s+void\s+main\s*\(|\bfun\s+main\s*\(|\bdef\s+main\s*\(|\bextends\s+App\b"
)
_BUFFER_WAIT = re.compile(
    r"\bclose\b(?!\s*\(\s*(?:Duration\s*\.\s*ZERO|0\s*[,)]))|\b(?:flush|addShutdownHook|use|Using|destroy|shutdown)\b|::\s*close|\btry\s*\([^{};]*Producer"
)
"""Code that may wait for the buffer, anywhere in the program."""
_LONG_RUNNING = re.compile(
    r"\bwhile\s*\(\s*(?:true|1|!|\w+(?:\.get\(\))?\s*\))|\bfor\s*\(\s*;\s*;|\bdo\s*\{"
    r"|\b(?:await\w*|join\w*|block\w*|start|schedule\w*|run|listen|park|subscribe|forever)\s*\("
    r"|\b(?:Await|Thread|Executor\w*|SpringApplication|launch|runBlocking|\w*Future|poll"
    r"|suspend\w*|[Pp]romise|Deferred|CountDownLatch)\b(?!\s*\.\s*sleep)"
)
"""Code that may keep the program running, or lets other code send."""
_DAEMON = re.compile(r"\.\s*setDaemon\s*\(\s*true|\bisDaemon\s*=\s*true")
_LONG_RUNNING_WITH_DAEMONS = re.compile(
    r"\bwhile\s*\(\s*(?:true|1|!)|\b(?:await\w*|join\w*|block\w*|park|get|forever|schedule\w*)\s*\("
    r"|\b(?:Executor\w*|SpringApplication|runBlocking|Await|CountDownLatch)\b"
)
"""Code that keeps a program with daemon threads running (java.lang.Thread, setDaemon)."""


def unflushed_sends(
    text: Text, producers: Collection[str], sends: Collection[Block]
) -> Iterator[int]:
    """Yields the offsets of sends that may still be in the buffer when the program ends."""
    main = _MAIN.search(text.plain)
    if (
        main is None
        or not producers
        or _BUFFER_WAIT.search(text.plain)
        or _is_shared(text, producers)
    ):
        return
    block = text.block_of(text.plain.find("{", main.end()))
    reached = text.reached(block)
    long_running = _LONG_RUNNING_WITH_DAEMONS if _DAEMON.search(text.plain) else _LONG_RUNNING
    if any(long_running.search(text.plain, max(0, start), end) for start, end in reached):
        return
    for at, _ in sends:
        if any(start < at < end for start, end in reached):
            yield at


def _is_shared(text: Text, producers: Collection[str]) -> bool:
    """Whether code outside of the file may use a producer."""
    passed = re.compile(rf"\b(\w+)\s*\((?:[^();]*,)?\s*(?:{'|'.join(sorted(producers))})\s*[,)]")
    stored = re.compile(rf"[=]\s*(?:{'|'.join(sorted(producers))})\s*[;\n]|\breturn\s+\w*roducer\b")
    calls = (match[1] for match in passed.finditer(text.plain))
    return bool(stored.search(text.plain)) or any(not text.bodies(name) for name in calls)
