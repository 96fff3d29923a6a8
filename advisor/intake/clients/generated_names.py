"""Names of groups and applications that are generated at each start.

A group has its positions under its name, and an application of Kafka Streams has its own under
`application.id` (KafkaConsumer javadoc, "Offsets and Consumer Position"; Kafka Streams, "Required
configuration parameters"): under a new name there is none.
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_GENERATED = re.compile(
    r"\$\{(?:random\.|[^{}]*\b[uU][uU][iI][dD]\b)|\b(?:uuid\d?|UUID)\s*\(|\brandomUUID\b"
    r"|\btime\.time\b|\btime_ns\b|\bnow\s*\(|\btoday\s*\(|\bcurrentTimeMillis\b|\bnanoTime\b|\brandint\b"
    r"|\bnextInt\b|\btoken_hex\b|\bmkdtemp\b|\bTemporaryDirectory\b|\bcreateTempDirectory\b"
    r"|\bstrftime\b"
)
_REACH = 300
_OF_POSITIONS = frozenset({"groupid", "applicationid"})
_NO_POSITION = (
    "is another one at each start: no position is found under a new name, so that each start "
    "begins where auto.offset.reset says. That is not advised on; give it a name that stays"
)


def is_new(text: str) -> bool:
    """Whether a value, as a program or a file writes it, is another one at each start."""
    return _GENERATED.search(text) is not None


def with_assigned(code: str, written: str) -> str:
    """A value as it is written, and what a program assigns to the variable that it is."""
    if not re.fullmatch(r"\s*[\w.]+\s*", written):
        return written
    assigned = rf"\b{re.escape(written.strip())}\s*=(?!=)\s*([^;\n]{{1,{_REACH}}})"
    return " ".join([written, *re.findall(assigned, code)])


def refuse_new_group(
    reading: Reading, component: Component, name: str, text: str, line: int
) -> bool:
    """Refuses the name of a group, or of an application of Kafka Streams, that is another one at
    each start. Returns whether it is."""
    last = name.removeprefix("kafka.").removeprefix("consumer.")
    # Spring takes a name with dots, hyphens or capitals for the same (relaxed binding).
    is_refused = re.sub(r"[._-]", "", last).lower() in _OF_POSITIONS and is_new(text)
    if is_refused:
        reading.wrong(component, name, line, f"{shown(name)} {_NO_POSITION}")
    return is_refused
