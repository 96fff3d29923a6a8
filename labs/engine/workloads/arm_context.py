"""The context of an arm's clients: settings, addresses and folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from labs.engine.clients.translate import Pinned
from labs.engine.plan.spec import Settings
from labs.engine.programs.java import JavaProgram


@dataclass(frozen=True, slots=True)
class ArmContext:
    """What the clients of an arm need to know.

    `folder` holds their configurations and `logs` their logs; `scratch` is removed with the
    brokers' data. `pinned` are the settings of the readers that the scenario overrides because a
    run is short, and `senders` those of the producer. Values have at least `value_bytes` bytes.
    `java_clients` and `streams` are the Java programs of the arm, None if it has none.
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
