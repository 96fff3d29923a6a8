"""Names of groups and applications that are generated at each start.

Committed offsets are stored under the name of the group, which is the `application.id` in Kafka
Streams (KafkaConsumer javadoc, "Offsets and Consumer Position"; Kafka Streams, "Required
configuration parameters"). A new name has none.
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
_OFFSET_OWNERS = frozenset({"groupid", "applicationid"})
NO_OFFSETS = (
    "is a new one at each start: a new name has no committed offsets, so that each start begins "
    "where auto.offset.reset says. That is not covered; give it a fixed name"
)


def is_generated(text: str) -> bool:
    """Whether a value, as it is written in a program or a file, changes at each start."""
    return _GENERATED.search(text) is not None


def with_assignments(code: str, written: str) -> str:
    """The source of a value and, if it is a variable, the expressions that the program assigns to
    it."""
    if not re.fullmatch(r"\s*[\w.]+\s*", written):
        return written
    assigned = rf"\b{re.escape(written.strip())}\s*=(?!=)\s*([^;\n]{{1,{_REACH}}})"
    return " ".join([written, *re.findall(assigned, code)])


def refuse_new_group(
    reading: Reading, component: Component, name: str, text: str, line: int
) -> bool:
    """Refuses a `group.id` or an `application.id` that is generated at each start. Returns whether
    it was refused."""
    short_name = name.removeprefix("kafka.").removeprefix("consumer.")
    # To Spring, names with dots, hyphens or capitals are the same (relaxed binding).
    is_refused = re.sub(r"[._-]", "", short_name).lower() in _OFFSET_OWNERS and is_generated(text)
    if is_refused:
        reading.add_problem(component, name, line, f"{shown(name)} {NO_OFFSETS}")
    return is_refused
