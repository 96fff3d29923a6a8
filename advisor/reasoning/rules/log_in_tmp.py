"""Messages in a temporary folder.

What it is
    log.dirs of a broker names a folder below /tmp, as in the sample files that Kafka ships, or one
    that is in memory (/dev/shm, /run).

Why it matters
    Many systems empty /tmp when they start, and the broker comes back without its copies. With one
    copy its messages are lost. With more, they survive only if another replica is in sync at that
    moment.

Use instead
    log.dirs on a disk of its own.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.catalog.texts import TEMPORARY
from advisor.reasoning.finding import Alike, Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a temporary folder among the log directories."""
    folders = [name.strip() for name in pipeline.text(Component.BROKER, "log.dirs").split(",")]
    names = [folder for folder in folders if folder.startswith(tuple(f"{t}/" for t in TEMPORARY))
             or folder in TEMPORARY]  # fmt: skip
    if not names:
        return None
    return (
        f"log.dirs={names[0]}: a restart of the machine may empty it, and with it this broker's "
        "copy of every message is lost."
    )


RULE = Rule(
    code="B007",
    name="log-in-a-temporary-folder",
    severity=Severity.HIGH,
    component=Component.BROKER,
    setting="log.dirs",
    check=check,
    sources=("Kafka ConfigDef, log.dir (default /tmp/kafka-logs)",
             "Kafka config/server.properties (log.dirs=/tmp/kraft-combined-logs)"),
    valid=(
        {"family": "java"},
        {"family": "java", "broker.log.dirs": "/var/lib/kafka,/tmpdata/kafka"},
    ),
    invalid=(
        {"family": "java", "broker.log.dirs": f"{TEMPORARY[0]}/logs"},
        {"family": "java", "broker.log.dirs": "/var/lib/kafka, /tmp"},
        {"family": "java", "broker.log.dirs": f"{TEMPORARY[2]}/kafka"},
    ),
    shown_by=(
        Alike(
            "broker-disk-lost",
            "of a folder that is lost with its disk: no run starts a "
            "machine anew",
        ),
    ),
)  # fmt: skip
