"""The simplest pipeline: one producer, one topic, one group that reads, processes and commits.

Each client is a separate process (librdkafka) with the team's complete settings; `differences` says
what it cannot reproduce. Processing has no sink, so effects are not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from confluent_kafka import libversion

from labs.engine.base.failure_text import sentence
from labs.engine.base.wait import Disturbed, WaitTimeout, until
from labs.engine.clients import translate
from labs.engine.clients.consumer import ConsumerConfig
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.processing import OnError
from labs.engine.clients.producer import ProducerConfig
from labs.engine.clients.reader import ReaderConfig
from labs.engine.clients.sink import Style
from labs.engine.clients.translate import PINNED, Pinned
from labs.engine.workloads.arm_context import ArmContext
from labs.engine.workloads.committing import commit_style, commits_differ
from labs.engine.workloads.group import GROUP, committed_positions

PRODUCER = "producer-1"
"""The name of the sending application; a successor keeps it, since its values continue."""

_FLUSH_LIMIT_S, _READ_LIMIT_S = 30.0, 60.0
_HANDOVER_LIMIT_S = 20.0  # then the successor sends what fails; a fault waits 25 s for the end
_SLACK_S = 15.0  # beyond a client's own limit, to write the ledger and leave the group
_LARGEST, _AVERAGE = "largest.message.bytes", "message.bytes"
_LARGEST_BYTES = 4_000_000
_POLL_RECORDS = 500  # the Java client's max.poll.records; librdkafka has no such setting

_NO_STREAMS = (
    "Kafka Streams itself is not run here: one producer and one consumer with the settings of "
    "those inside the application; no state, no changelog, no transaction, no reprocessing"
)
_NO_SPARK = (
    "Spark itself is not run: one producer and one consumer with the settings of those inside its "
    "sink and its source; a group's position stands for the checkpoint"
)

_AHEAD_MS = 7_200_000

_COUNTERS = {
    "sent": "producer", "acknowledged": "producer", "failed": "producer", "delivered": "consumer",
}  # fmt: skip


class ProduceConsume:
    """The clients of one arm. The last client that was started for a role has the role."""

    transactions = False
    static_members = False
    stops_on_error = False
    """Whether an application that checks its sends, and resends none, stops at a failure."""
    modules: Mapping[str, str] = {}
    """Role → module of `labs.engine.clients` that plays it, if its name is not that of the role."""
    topics: tuple[str, ...] = ()
    """Topics that it needs besides the topic under test."""
    ready_limit_s = 30.0
    """How long the group may take until its position is resolved."""
    flow_limit_s = 15.0
    """How long it may take until the first message is acknowledged and delivered."""
    drain_limit_s = 15.0
    """How long the group may take to read to the end of the log after a stop command."""
    has_effects = False
    """Whether each message must have an effect, so that effects are missing if the group lags."""
    runs_streams = False
    """Whether a real Kafka Streams application runs."""
    spark_note = _NO_SPARK
    """The note about the reader if the description has a Spark query."""

    def __init__(self, arm: ArmContext) -> None:
        self.arm = arm
        settings = arm.settings
        self._application = settings.get("application", {})
        pinned = {name: setting.lab for name, setting in arm.pinned.items()}
        self._consumer_translation = translate.consumer(
            {**settings.get("consumer", {}), **pinned}, self.static_members
        )
        senders = {name: setting.lab for name, setting in arm.senders.items()}
        self._producer_translation = translate.producer(
            {**settings["producer"], **senders}, self.transactions,
            _number(settings["topic"].get("max.message.bytes")),
            bool(self._application.get("splits.batches", True)),
        )  # fmt: skip
        self.processes: dict[str, list[ClientProcess]] = {}
        self._ahead_ms = 0
        self._created_ns: int | None = None
        self._cleanup = str(settings["topic"].get("cleanup.policy", "delete"))
        self._isolation = str(
            self._consumer_translation.config.get("isolation.level", "read_committed")
        )

    @property
    def differences(self) -> tuple[str, ...]:
        """The differences between these clients and the team's, a sentence each."""
        consumer = self.arm.settings.get("consumer", {})
        commits = commits_differ(self._commit, consumer, in_transactions=bool(self.topics))
        no_streams = "streams" in self.arm.settings and not self.runs_streams
        lines = [_NO_STREAMS] if no_streams else []
        return (
            *lines,
            *commits,
            *self._differences_of("producer"),
            *self._differences_of("consumer"),
        )

    @property
    def _commit(self) -> str:
        return str(self._application.get("commit", "after-processing"))

    def _differences_of(self, role: str) -> Iterator[str]:
        """Yields the differences between librdkafka and the team's client of a role."""
        if role == "consumer" and "failOnDataLoss" in self.arm.settings.get(role, {}):
            yield self.spark_note
        data = {"producer": self._producer_translation, "consumer": self._consumer_translation}
        yield from data[role].differences

    @property
    def checkpoint(self) -> Path | None:
        """The checkpoint folder of a query, if it can be lost with a machine; else None."""
        return None

    @property
    def stopped_for_operators(self) -> bool:
        """Whether the team stops all clients before an operator deletes their topic."""
        return self._application.get("topic.recreated") == "clients-stopped"

    def topic_created(self, created_ns: int) -> None:
        """Records when the topic was recreated, in nanoseconds of the monotonic clock."""
        self._created_ns = created_ns

    def set_clock(self, *, right: bool) -> int:
        """Sets the clock of the next producer: correct, or ahead by the described time or 2 hours.

        Returns by how many milliseconds it is ahead.
        """
        value = self._application.get("clock.skew.ms")
        self._ahead_ms = 0 if right else _AHEAD_MS if value is None else int(value)
        return self._ahead_ms

    @property
    def played_by(self) -> dict[str, str]:
        """Role → client that plays it, in words."""
        return dict.fromkeys(("producer", "consumer"), f"librdkafka {libversion()[0]}")

    @property
    def pinned(self) -> Mapping[str, Pinned]:
        """The settings that the lab overrides for every client that plays a role."""
        return PINNED

    @property
    def pinned_readers(self) -> Mapping[str, Pinned]:
        """The settings that the scenario overrides for the readers."""
        return self.arm.pinned

    @property
    def _sink_style(self) -> Style:
        """Whether the sink recognises a message that it already has (`idempotent`)."""
        return "idempotent" if self._application.get("sink") == "idempotent" else "plain"

    def counters(self) -> dict[str, int]:
        """Returns the sums of what the clients have reported so far, including dead ones."""
        return {
            name: sum(client.latest.get(name, 0) for client in self.processes.get(role, ()))
            for name, role in _COUNTERS.items()
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """Events of the clients that no count shows, in words."""
        fatal = self._latest("producer").get("fatal")
        failed = self._latest("consumer").get("failed")
        return (
            *([f"the producer stopped for good: {sentence(fatal)}"] if fatal else []),
            *([f"the consumer has no position to read from: {sentence(failed)}"] if failed else []),
            *self._stopped(),
        )

    def _stopped(self) -> Iterator[str]:
        for client in self.all_clients():
            if why := client.latest.get("stopped"):
                yield f"{client.name} stopped for good: {sentence(why)}"

    def all_clients(self) -> list[ClientProcess]:
        """Returns all clients that were ever started."""
        return [client for clients in list(self.processes.values()) for client in clients]

    def client(self, role: str) -> ClientProcess:
        """Returns the client that plays a role (`producer` or `consumer`) now."""
        return self.processes[role][-1]

    def first_client(self, role: str) -> ClientProcess:
        """Returns the client that played a role first."""
        return self.processes[role][0]

    def start_successor(self, role: str) -> ClientProcess:
        """Starts the successor of a dead client. Raises `ClientFailed` or `WaitTimeout`."""
        {"producer": self.start_producer, "consumer": self.start_consumer}[role]()
        return self.client(role)

    def join(self) -> ClientProcess:
        """Starts one more member of the group, which may have to wait for its assignment."""
        return self.start_client("consumer", self.consumer_config())

    def held_client(self, role: str) -> ClientProcess:
        """Returns the held client of a role; if none is held, the client that has the role now."""
        held = (client for client in self.processes[role] if client.latest.get("standing"))
        return next(held, self.client(role))

    def committed_positions(self) -> dict[int, int]:
        """Returns partition → offset at which the group would resume; empty if it is unknown."""
        return committed_positions(self.arm.bootstrap, self.arm.topic)

    def start_consumer(self) -> None:
        """Starts the group and waits until its fetch positions are resolved."""
        self.start_client("consumer", self.consumer_config()).await_ready(self.ready_limit_s)

    def consumer_config(self) -> ConsumerConfig:
        consumer = self.arm.settings.get("consumer", {})
        return ConsumerConfig(
            ledger=str(self.arm.ledger), name=self._next_name("consumer"), group=GROUP,
            topic=self.arm.topic,
            client={"isolation.level": self._isolation, **self._consumer_translation.config,
                    "bootstrap.servers": self.arm.bootstrap},
            commit=commit_style(self._commit, consumer),
            auto_commit=bool(consumer.get("enable.auto.commit", True)),
            max_poll=int(consumer.get("max.poll.records", _POLL_RECORDS)),
            on_error=cast(OnError, self._application.get("processing.errors", "retry")),
            drain_limit_s=self.drain_limit_s,
        )  # fmt: skip

    def start_producer(self) -> None:
        """Starts the producer, and waits for the first acknowledgement and the first delivery.

        On a busy machine they take seconds, and an earlier fault would have no effect. If they do
        not arrive, the run continues and the judge reports it.
        """
        self.start_client("producer", self.producer_config())
        if self.arm.rate_per_s > 0 and not self._ahead_ms:  # else the topic may accept nothing
            with suppress(WaitTimeout):
                until(self._is_flowing, self.flow_limit_s, "nothing was acknowledged and delivered",
                      awaits="for the first message to be acknowledged and delivered")  # fmt: skip

    def producer_config(self) -> ProducerConfig:
        last = self._latest("producer")  # was killed, or stopped at a failed send
        # An application that resends after an error also resends after a restart, by default.
        default = {"on-error": "resumes"}.get(str(self._application.get("resend")), "forgets")
        resumes = self._application.get("restart", default) == "resumes" or last.get("stopped")
        checks_sends = self._application.get("delivery.errors", "handled") == "handled"
        resends = checks_sends and self._application.get("resend") == "on-error"
        return ProducerConfig(
            ledger=str(self.arm.ledger), name=PRODUCER, topic=self.arm.topic,
            rate_per_s=self.arm.rate_per_s,
            flush_limit_s=_HANDOVER_LIMIT_S if resends and resumes else _FLUSH_LIMIT_S,
            client={**self._producer_translation.config, "bootstrap.servers": self.arm.bootstrap},
            keyed="compact" in self._cleanup,
            value_bytes=self.arm.value_bytes,
            resend=resends,
            stops=checks_sends and self.stops_on_error,
            block_s=self._block_s(checks_sends),
            part=self._next_name("producer"), first=last.get("next", 0), age_ms=-self._ahead_ms,
            again=last.get("unanswered", ()) if resumes else (),
            left_open=last.get("left_open"),
        )  # fmt: skip

    def _block_s(self, checks_sends: bool) -> float | None:
        """How long the application waits for room in the client's buffer, in s; None: no limit.

        The Java client itself waits. librdkafka rejects a record immediately, and only code that
        checks for this error retries.
        """
        block_ms = self.arm.settings["producer"].get("max.block.ms")
        if block_ms is not None:
            return int(block_ms) / 1000
        return None if checks_sends else 0.0

    def stop_producer(self) -> None:
        """Stops the producer and waits for its last delivery reports. Raises `ClientFailed`."""
        self.client("producer").ask_to_stop()
        self.client("producer").await_end(_FLUSH_LIMIT_S + _SLACK_S)

    def stop_consumer(self) -> None:
        """Lets the group read to the end of the log and leave.

        Raises `ClientFailed`, and `Disturbed` if it was still reading at the end of its time.
        """
        members = [process for process in self.processes["consumer"] if not process.killed]
        for member in members:
            member.ask_to_stop()
        for member in members:
            behind = member.await_end(self.drain_limit_s + _SLACK_S).get("behind")
            if behind and self.has_effects:
                limit = f"{self.drain_limit_s:g} s after the last send"
                raise Disturbed(f"the group is slower than the load: it was still reading {limit}")

    def read_to_the_end(self) -> bool:
        """Reads every log from its start with a new client; returns whether it was completed."""
        return self._read(self._reader())

    def _reader(self) -> ReaderConfig:
        return ReaderConfig(
            ledger=str(self.arm.ledger), bootstrap=self.arm.bootstrap,
            topic=self.arm.topic, isolation=self._isolation, cleanup_policy=self._cleanup,
            limit_s=_READ_LIMIT_S, created_ns=self._created_ns,
        )  # fmt: skip

    def _read(self, config: ReaderConfig) -> bool:
        report = self.start_client("reader", config).await_end(_READ_LIMIT_S + _SLACK_S)
        return bool(report["completed"])

    def kill(self) -> None:
        """Kills all clients that are still running."""
        for client in self.all_clients():
            client.kill()

    def _is_flowing(self) -> bool:
        acknowledged = self._latest("producer").get("acknowledged", 0)
        return acknowledged > 0 and self.counters()["delivered"] > 0

    def _next_name(self, role: str) -> str:
        return f"{role}-{len(self.processes.get(role, ())) + 1}"

    def start_client(self, role: str, config: Any) -> ClientProcess:
        arm, module = self.arm, self.modules.get(role, role)
        client = ClientProcess(module, config, arm.folder, arm.logs, self._next_name(role))
        self.processes.setdefault(role, []).append(client)
        return client

    def _latest(self, role: str) -> dict[str, Any]:
        return self.client(role).latest if role in self.processes else {}


class ProduceUntilError(ProduceConsume):
    """`ProduceConsume` with an application that stops at a failed send, if it checks its sends."""

    stops_on_error = True


class ProduceLarge(ProduceConsume):
    """`ProduceConsume` with some records as large as the largest described one."""

    @property
    def differences(self) -> tuple[str, ...]:
        described = self._described_bytes
        if described <= _LARGEST_BYTES:
            return super().differences
        text = f"largest message: {_LARGEST_BYTES} bytes instead of {described}, the lab's limit"
        return (*super().differences, text)

    @property
    def _described_bytes(self) -> int:
        return max(int(self._application.get(name) or 0) for name in (_LARGEST, _AVERAGE))

    def producer_config(self) -> ProducerConfig:
        large_bytes = min(self._described_bytes, _LARGEST_BYTES)
        return replace(super().producer_config(), large_bytes=large_bytes)


def _number(value: str | int | None) -> int | None:
    """Returns a number of a description, or None if it has none."""
    return None if value is None else int(value)
