"""A pipeline with effects: the group writes each message it processes into a real database.

The database outlives its writers, as a team's would; what is in it at the end is read into the
ledger's `effects`. `application.sink` says whether it knows a message that it was given before.
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
    """`ProduceConsume` whose processing leaves effects, in the polling thread or in another."""

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
        """Reads the logs, and the sink once its writers have ended."""
        completed = super().read_to_the_end()
        TableWriter(self.arm.ledger, "effects", "sink").flush(sink.effects(self._database))
        return completed


class TransactionsSink(ConsumeProcessSink):
    """The same behind a producer that sends in transactions, if it has a transactional.id."""

    transactions = True


class StaticMembersSink(ConsumeProcessSink):
    """The same read by members that keep their group.instance.id, if they have one.

    Each has a name of its own: the first the one that is described, others that and their own.
    """

    static_members = True

    def consumer_config(self) -> ConsumerConfig:
        config = super().consumer_config()
        named = config.client.get(_STATIC)
        if not named or "consumer" not in self.processes:
            return config
        return replace(config, client={**config.client, _STATIC: f"{named}-{config.name}"})


class ReplaySink(ConsumeProcessSink):
    """The same behind a producer that gives its source's timestamps, if it does.

    Those are a day older than what the topic keeps, and years old where it keeps all.
    """

    def producer_config(self) -> ProducerConfig:
        config = super().producer_config()
        if self._application.get("timestamps") != "from-source":
            return config
        kept_ms = int(self.arm.settings["topic"]["retention.ms"])
        return replace(config, age_ms=_LONG_AGO_MS if kept_ms < 0 else kept_ms + _DAY_MS)


class SharedKeysSink(ConsumeProcessSink):
    """The same behind a producer whose messages are news of a hundred things, by key."""

    def producer_config(self) -> ProducerConfig:
        return replace(super().producer_config(), keyed=True, keys=_KEYS)
