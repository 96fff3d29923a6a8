"""A pipeline with effects: the group writes each processed message to a real database.

The database outlives its writers, as a team's would. At the end its content becomes the ledger's
`effects`. `application.sink` says whether it recognises a message that it already has.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from labs.engine.clients import sink
from labs.engine.clients.consumer import ConsumerConfig
from labs.engine.clients.producer import ProducerConfig
from labs.engine.record.ledger import TableWriter
from labs.engine.workloads.produce_consume import ProduceConsume

_STATIC = "group.instance.id"
_DAY_MS = 86_400_000
_LONG_AGO_MS = 3650 * _DAY_MS
_KEYS = 100


class ConsumeProcessSink(ProduceConsume):
    """`ProduceConsume` whose processing writes effects, in the polling thread or another thread."""

    has_effects = True

    @property
    def differences(self) -> tuple[str, ...]:
        if self._application.get("processing") != "parallel":
            return super().differences
        return (*super().differences, "application processing=parallel: one thread processes what "
                "a poll returned")  # fmt: skip

    @property
    def _database(self) -> Path:
        return self.arm.scratch / "sink.sqlite"

    def consumer_config(self) -> ConsumerConfig:
        return replace(
            super().consumer_config(),
            sink=str(self._database),
            sink_style=self._sink_style,
            asynchronous=self._application.get("processing") == "asynchronous",
            as_done=self._application.get("commit.order") == "as-done",
        )

    def read_to_the_end(self) -> bool:
        """Reads the log, then the sink, whose writers have ended."""
        completed = super().read_to_the_end()
        TableWriter(self.arm.ledger, "effects", "sink").flush(sink.effects(self._database))
        return completed


class TransactionsSink(ConsumeProcessSink):
    """`ConsumeProcessSink` with a producer that sends in transactions, given a transactional.id."""

    transactions = True


class StaticMembersSink(ConsumeProcessSink):
    """`ConsumeProcessSink` with members that keep their group.instance.id, if they have one.

    Each has a different id: the first has the described one, and the others append their name.
    """

    static_members = True

    def consumer_config(self) -> ConsumerConfig:
        config = super().consumer_config()
        instance_id = config.client.get(_STATIC)
        if not instance_id or "consumer" not in self.processes:
            return config
        return replace(config, client={**config.client, _STATIC: f"{instance_id}-{config.name}"})


class ReplaySink(ConsumeProcessSink):
    """`ConsumeProcessSink` with a producer that may use the timestamps of its source.

    These are a day older than the topic's retention, and years old if the topic keeps everything.
    """

    def producer_config(self) -> ProducerConfig:
        config = super().producer_config()
        if self._application.get("timestamps") != "from-source":
            return config
        retention_ms = int(self.arm.settings["topic"]["retention.ms"])
        return replace(config, age_ms=_LONG_AGO_MS if retention_ms < 0 else retention_ms + _DAY_MS)


class SharedKeysSink(ConsumeProcessSink):
    """`ConsumeProcessSink` with a producer whose messages share a hundred keys."""

    def producer_config(self) -> ProducerConfig:
        return replace(super().producer_config(), keyed=True, keys=_KEYS)
