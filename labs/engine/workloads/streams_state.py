"""A Kafka Streams application with state: it counts how often it was handed each message.

The state is the sink: at the end it is asked for every message, and one that it does not count has
left no effect. It is held in memory, so that it is gone with its instance, as a folder of RocksDB
is gone with its machine; where it is `logged`, its changelog topic has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import pyarrow.parquet as pq

from labs.engine.plan.topic import lab_min_isr, lowered_notes
from labs.engine.protocol.admin import quiet_admin
from labs.engine.record.ledger import TableWriter
from labs.engine.workloads.group import GROUP
from labs.engine.workloads.streams import StreamsTopology

CHANGELOG = f"{GROUP}-counts-changelog"
"""The topic that Kafka Streams makes for the state (application.id, store, `changelog`)."""

_STORE = "counts"
_ASK_S = 10.0
_FACTOR, _LEAST = "replication.factor", "topic.min.insync.replicas"


class StatefulTopology(StreamsTopology):
    """`StreamsTopology` with a store, in whose changelog as many copies are as was described."""

    counts_results = False

    @property
    def _state(self) -> str:
        return str(self._application.get("state", "logged"))

    def _differs(self, role: str) -> Iterator[str]:
        yield from super()._differs(role)
        if role != "consumer":
            return
        yield "the state is held in memory: it is gone with the instance, as with its state.dir"
        described = self._described_copies
        if self._copies < described:
            yield f"streams {_FACTOR}: {self._copies} instead of {described}, as many as brokers"
        stated = int(self.arm.settings["streams"].get(_LEAST, 1))
        yield from lowered_notes(f"streams {_LEAST}", self._least(stated), stated)

    def _in_file(self, name: str) -> dict[str, str | int | bool]:
        settings = super()._in_file(name)
        least = self._least(int(settings.get(_LEAST, 1)))
        return {**settings, _FACTOR: self._copies, _LEAST: least}

    def _least(self, described: int) -> int:
        return lab_min_isr(self._described_copies, described, self._copies)

    @cached_property
    def _copies(self) -> int:
        """Of its internal topics; asked when the first instance starts."""
        with quiet_admin(self.arm.bootstrap) as admin:
            return min(self._described_copies, len(admin.list_topics(timeout=_ASK_S).brokers))

    @property
    def _described_copies(self) -> int:
        """-1 is the brokers' default (KIP-733)."""
        settings = self.arm.settings
        stated = int(settings["streams"].get(_FACTOR, -1))
        default = settings.get("broker", {}).get("default.replication.factor", 1)
        return stated if stated > 0 else int(default)

    def read_effects(self) -> bool:
        """What the state counts of the messages that the group was handed."""
        counted = {int(item): n for item, n in self.client("consumer").latest["kept"].items()}
        rows = [{"sink": "state", "value": number, "applied": n} for number, n in counted.items()]
        TableWriter(self.arm.ledger, "effects", "sink").flush_rows(rows)
        state = [
            {"store": _STORE, "key": str(number), "expected": 1, "actual": counted.get(number, 0)}
            for number in self._handed()
        ]
        TableWriter(self.arm.ledger, "state", "sink").flush_rows(state)
        return True

    def _handed(self) -> set[int]:
        table = pq.read_table(
            self.arm.ledger / "deliveries.parquet", columns=["value"],
            filters=[("group", "=", GROUP)],
        )  # fmt: skip
        return {int(item) for item in table.column("value").to_pylist() if item is not None}
