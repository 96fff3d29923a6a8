"""A Kafka Streams application with state: it counts how often it received each message.

The state is the sink: at the end every message is looked up, and a message without a count has no
effect. The state is held in memory, so it is lost with its instance, as a RocksDB folder is lost
with its machine. If it is `logged`, its changelog topic has a copy.
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
"""The topic that Kafka Streams creates for the state (application.id, store, `changelog`)."""

_STORE = "counts"
_ASK_S = 10.0
_FACTOR, _MIN_IN_SYNC = "replication.factor", "topic.min.insync.replicas"


class StatefulTopology(StreamsTopology):
    """`StreamsTopology` with a store whose changelog has the described replication factor."""

    counts_results = False

    @property
    def _state(self) -> str:
        return str(self._application.get("state", "logged"))

    def _differences_of(self, role: str) -> Iterator[str]:
        yield from super()._differences_of(role)
        if role != "consumer":
            return
        yield "the state is held in memory: it is gone with the instance, as with its state.dir"
        described = self._described_copies
        if self._copies < described:
            yield f"streams {_FACTOR}: {self._copies} instead of {described}, as many as brokers"
        stated = int(self.arm.settings["streams"].get(_MIN_IN_SYNC, 1))
        yield from lowered_notes(f"streams {_MIN_IN_SYNC}", self._min_in_sync(stated), stated)

    def _settings(self, name: str) -> dict[str, str | int | bool]:
        settings = super()._settings(name)
        least = self._min_in_sync(int(settings.get(_MIN_IN_SYNC, 1)))
        return {**settings, _FACTOR: self._copies, _MIN_IN_SYNC: least}

    def _min_in_sync(self, described: int) -> int:
        return lab_min_isr(self._described_copies, described, self._copies)

    @cached_property
    def _copies(self) -> int:
        """The replication factor of its internal topics, determined by the first instance."""
        with quiet_admin(self.arm.bootstrap) as admin:
            return min(self._described_copies, len(admin.list_topics(timeout=_ASK_S).brokers))

    @property
    def _described_copies(self) -> int:
        """The described replication factor; -1 means the brokers' default (KIP-733)."""
        settings = self.arm.settings
        stated = int(settings["streams"].get(_FACTOR, -1))
        default = settings.get("broker", {}).get("default.replication.factor", 1)
        return stated if stated > 0 else int(default)

    def read_effects(self) -> bool:
        """Writes the counts in the state for the messages that the group received."""
        counted = {
            int(value): count for value, count in self.client("consumer").latest["kept"].items()
        }
        rows = [
            {"sink": "state", "value": value, "applied": count} for value, count in counted.items()
        ]
        TableWriter(self.arm.ledger, "effects", "sink").flush_rows(rows)
        state = [
            {"store": _STORE, "key": str(value), "expected": 1, "actual": counted.get(value, 0)}
            for value in self._delivered()
        ]
        TableWriter(self.arm.ledger, "state", "sink").flush_rows(state)
        return True

    def _delivered(self) -> set[int]:
        table = pq.read_table(
            self.arm.ledger / "deliveries.parquet", columns=["value"],
            filters=[("group", "=", GROUP)],
        )  # fmt: skip
        return {int(value) for value in table.column("value").to_pylist() if value is not None}
