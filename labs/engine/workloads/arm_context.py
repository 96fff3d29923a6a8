"""Where the clients of an arm run, and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from labs.engine.clients.translate import Pinned
from labs.engine.plan.spec import Settings
from labs.engine.programs.java import JavaProgram


@dataclass(frozen=True, slots=True)
class ArmContext:
    """An arm as its clients know it.

    `folder` holds their configurations and `logs` what they complain of; `scratch` is removed
    with the brokers' data. `pinned` are the settings of the readers that the scenario sets
    itself, because a run is short, `senders` those of the producer. Values are `value_bytes` long
    at least. `java_clients` and `streams` are the Java programs that play, where they do.
    """

    settings: Settings
    bootstrap: str
    topic: str
    rate_per_s: int
    ledger: Path
    folder: Path
    logs: Path
    scratch: Path
    pinned: Mapping[str, Pinned] = field(default_factory=dict)
    senders: Mapping[str, Pinned] = field(default_factory=dict)
    value_bytes: int = 0
    java_clients: JavaProgram | None = None
    streams: JavaProgram | None = None
