"""JVM programs that end while their producer still has records in its buffer.

What was handed to `send()` waits in a buffer for its batch, and the thread that sends it ends with
the program (KafkaProducer javadoc: "failure to close the producer after use will leak these
resources"; KafkaThread.daemon). `close()` and `flush()` wait for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from advisor.intake.programs.jvm.text import Block, Text

LEFT = (
    "the program ends without having waited for what is still in its producer's buffer: close() "
    "and flush() wait for it"
)
_MAIN = re.compile(
    r"\bstatic\s+void\s+main\s*\(|\bfun\s+main\s*\(|\bdef\s+main\s*\(|\bextends\s+App\b"
)
_WAITS = re.compile(
    r"\bclose\b(?!\s*\(\s*(?:Duration\s*\.\s*ZERO|0\s*[,)]))|\b(?:flush|addShutdownHook|use|Using|destroy|shutdown)\b|::\s*close|\btry\s*\([^{};]*Producer"
)
"""What may wait for the buffer, wherever it stands."""
_GOES_ON = re.compile(
    r"\bwhile\s*\(\s*(?:true|1|!|\w+(?:\.get\(\))?\s*\))|\bfor\s*\(\s*;\s*;|\bdo\s*\{"
    r"|\b(?:await\w*|join\w*|block\w*|start|schedule\w*|run|listen|park|subscribe|forever)\s*\("
    r"|\b(?:Await|Thread|Executor\w*|SpringApplication|launch|runBlocking|\w*Future|poll"
    r"|suspend\w*|[Pp]romise|Deferred|CountDownLatch)\b(?!\s*\.\s*sleep)"
)
"""What may keep a program going, or have others send."""
_DAEMON = re.compile(r"\.\s*setDaemon\s*\(\s*true|\bisDaemon\s*=\s*true")
_BESIDE_DAEMONS = re.compile(
    r"\bwhile\s*\(\s*(?:true|1|!)|\b(?:await\w*|join\w*|block\w*|park|get|forever|schedule\w*)\s*\("
    r"|\b(?:Executor\w*|SpringApplication|runBlocking|Await|CountDownLatch)\b"
)
"""What keeps a program going whose threads end with it (java.lang.Thread, setDaemon)."""


def unflushed_sends(
    text: Text, producers: Collection[str], sends: Collection[Block]
) -> Iterator[int]:
    """Sends that a program may leave in its buffer when it ends."""
    main = _MAIN.search(text.plain)
    if main is None or not producers or _WAITS.search(text.plain) or _is_handed(text, producers):
        return
    block = text.block_of(text.plain.find("{", main.end()))
    reached = text.reached(block)
    goes_on = _BESIDE_DAEMONS if _DAEMON.search(text.plain) else _GOES_ON
    if any(goes_on.search(text.plain, max(0, start), end) for start, end in reached):
        return
    for at, _ in sends:
        if any(start < at < end for start, end in reached):
            yield at


def _is_handed(text: Text, producers: Collection[str]) -> bool:
    """Whether code of elsewhere is given a producer."""
    given = re.compile(rf"\b(\w+)\s*\((?:[^();]*,)?\s*(?:{'|'.join(sorted(producers))})\s*[,)]")
    stored = re.compile(rf"[=]\s*(?:{'|'.join(sorted(producers))})\s*[;\n]|\breturn\s+\w*roducer\b")
    calls = (match[1] for match in given.finditer(text.plain))
    return bool(stored.search(text.plain)) or any(not text.bodies(name) for name in calls)
