"""The plainest pipeline: one producer, one topic, one group that reads, processes and commits.

The clients are processes of their own (librdkafka) with the team's complete settings; what
they cannot take over is said in `differs`. Processing has no sink, so effects are not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from labs.engine.clients import translate
from labs.engine.clients.consumer import Commit, ConsumerConfig
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.producer import ProducerConfig
from labs.engine.clients.reader import ReaderConfig
from labs.engine.spec import Settings
from labs.engine.wait import WaitTimeout, until

GROUP = "app"
_READY_LIMIT_S = 30.0
_FLUSH_LIMIT_S = 30.0
_DRAIN_LIMIT_S = 15.0
_FLOW_LIMIT_S = 15.0
_READ_LIMIT_S = 60.0
_SLACK_S = 15.0  # for writing the ledger and leaving the group, beyond a client's own limit
_POLL_RECORDS = 500  # the Java client's max.poll.records; librdkafka has no such setting

_COMMITS: Mapping[str, Commit] = {
    "before-processing": "before-processing",
    "after-processing": "after-processing",
    "in-transaction": "after-processing",
}


class ProduceConsume:
    """The clients of one arm. `folder` holds their configurations, `logs` what they complain of."""

    def __init__(
        self, settings: Settings, bootstrap: str, topic: str, rate_per_s: int,
        ledger: Path, folder: Path, logs: Path,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._bootstrap, self._topic, self._rate = bootstrap, topic, rate_per_s
        self._ledger, self._folder, self._logs = ledger, folder, logs
        self._consumer_told = translate.consumer(settings.get("consumer", {}))
        self._producer_told = translate.producer(settings["producer"])
        self._running: dict[str, ClientProcess] = {}
        self._cleanup = str(settings["topic"].get("cleanup.policy", "delete"))
        self._isolation = str(self._consumer_told.config.get("isolation.level", "read_committed"))

    @property
    def differs(self) -> tuple[str, ...]:
        """In what these clients do not do as the team's would, a sentence each."""
        commit = self._settings.get("application", {}).get("commit")
        other = ("application commit=in-transaction: offsets are committed after processing, "
                 "because this workload has no transactions",)  # fmt: skip
        return (
            *self._producer_told.differs,
            *self._consumer_told.differs,
            *(other if commit == "in-transaction" else ()),
        )

    def counters(self) -> dict[str, int]:
        """What the clients have reported so far."""
        producer, consumer = self._latest("producer"), self._latest("consumer")
        return {
            "sent": producer.get("sent", 0),
            "acknowledged": producer.get("acknowledged", 0),
            "failed": producer.get("failed", 0),
            "delivered": consumer.get("delivered", 0),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What the clients went through that a count does not say."""
        fatal = self._latest("producer").get("fatal")
        failed = self._latest("consumer").get("failed")
        return (
            *([f"the producer stopped for good: {fatal}"] if fatal else []),
            *([f"the consumer has no place to read from: {failed}"] if failed else []),
        )

    def start_consumer(self) -> None:
        """Starts the group and waits until its fetch positions are resolved."""
        application = self._settings.get("application", {})
        consumer = self._settings.get("consumer", {})
        config = ConsumerConfig(
            ledger=str(self._ledger), name="consumer-1", group=GROUP, topic=self._topic,
            client={"isolation.level": self._isolation, **self._consumer_told.config,
                    "bootstrap.servers": self._bootstrap},
            commit=commit_style(str(application.get("commit", "after-processing")), consumer),
            auto_commit=bool(consumer.get("enable.auto.commit", True)),
            max_poll=int(consumer.get("max.poll.records", _POLL_RECORDS)),
            drain_limit_s=_DRAIN_LIMIT_S,
        )  # fmt: skip
        self._start("consumer", config).await_ready(_READY_LIMIT_S)

    def start_producer(self) -> None:
        """Starts to send, and waits for the first acknowledgement and the first delivery.

        On a machine that is busy they take seconds, and a fault before them would hit nothing.
        If they do not come, that is for the judge to say: the run goes on.
        """
        application = self._settings.get("application", {})
        config = ProducerConfig(
            ledger=str(self._ledger), name="producer-1", topic=self._topic,
            rate_per_s=self._rate, flush_limit_s=_FLUSH_LIMIT_S,
            client={**self._producer_told.config, "bootstrap.servers": self._bootstrap},
            keyed="compact" in self._cleanup,
            resend=application.get("resend") == "on-error",
        )  # fmt: skip
        self._start("producer", config)
        if self._rate > 0:
            with suppress(WaitTimeout):
                until(self._flows, _FLOW_LIMIT_S, "nothing was acknowledged and delivered")

    def stop_producer(self) -> None:
        """Ends sending and waits for the last delivery reports. Raises `ClientFailed`."""
        self._running["producer"].ask_to_stop()
        self._running["producer"].await_end(_FLUSH_LIMIT_S + _SLACK_S)

    def stop_consumer(self) -> None:
        """Lets the group read to the end of the log and leave. Raises `ClientFailed`."""
        self._running["consumer"].ask_to_stop()
        self._running["consumer"].await_end(_DRAIN_LIMIT_S + _SLACK_S)

    def read_to_the_end(self) -> bool:
        """Reads every log from its start with a fresh client; whether that was completed."""
        config = ReaderConfig(
            ledger=str(self._ledger), bootstrap=self._bootstrap, topic=self._topic,
            isolation=self._isolation, cleanup_policy=self._cleanup, limit_s=_READ_LIMIT_S,
        )  # fmt: skip
        report = self._start("reader", config).await_end(_READ_LIMIT_S + _SLACK_S)
        return bool(report["completed"])

    def kill(self) -> None:
        """Ends whatever still runs."""
        for client in self._running.values():
            client.kill()

    def _flows(self) -> bool:
        counters = self.counters()
        return counters["acknowledged"] > 0 and counters["delivered"] > 0

    def _start(self, module: str, config: Any) -> ClientProcess:
        self._running[module] = ClientProcess(module, config, self._folder, self._logs)
        return self._running[module]

    def _latest(self, module: str) -> dict[str, Any]:
        client = self._running.get(module)
        return client.latest if client else {}


def commit_style(application: str, consumer: Mapping[str, str | int | bool]) -> Commit:
    """How the group commits: the application's way, and for automatic commits the client's.

    Only librdkafka has `enable.auto.offset.store`; where it is absent the client is Java's,
    which commits at a poll what the polls before it returned.
    """
    if application in _COMMITS:
        return _COMMITS[application]
    stores = consumer.get("enable.auto.offset.store", False)
    return "client-stores" if stores else "application-stores"
