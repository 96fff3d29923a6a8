"""From topic to topic by Kafka's own TransactionalMessageCopier: what stands between the topics.

The tool takes no file of settings. What of the team's is not as the tool has it is said, and where
that would change what becomes of messages the application of ours plays instead. So a run with it
tells of the brokers and the topics that are described, under Kafka's own reference of a client
that reads, works and writes in transactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.catalog import Component, Family, Value, has, kafka_line, lookup
from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.transformer import TransformerConfig
from labs.engine.clients.translate import Pinned
from labs.engine.plan.spec import Settings
from labs.engine.workloads.consume_transform_produce import OUTPUT
from labs.engine.workloads.consume_transform_produce_java import JavaConsumeTransformProduce
from labs.engine.workloads.place import Place

TOOL = "TransactionalMessageCopier"
_ID, _TIMEOUT, _POLL = "transactional.id", "transaction.timeout.ms", "max.poll.records"
_CONSUMER, _PRODUCER = Component.CONSUMER, Component.PRODUCER
# TransactionalMessageCopier.createConsumer and createProducer, in all releases from 3.3 to 4.3.
_OWN: Mapping[Component, Mapping[str, Value]] = {
    _CONSUMER: {
        "isolation.level": "read_committed", "enable.auto.commit": False,
        "session.timeout.ms": 10_000, "max.poll.interval.ms": 180_000,
        "heartbeat.interval.ms": 3_000, "auto.offset.reset": "earliest",
    },
    _PRODUCER: {"batch.size": 512, "max.in.flight.requests.per.connection": 5},
}  # fmt: skip
_TAKEN = frozenset({_ID, _TIMEOUT, _POLL, "group.id", "client.id"})


def unlike_copier(settings: Settings) -> str:
    """Why the tool cannot stand for the application that is described; empty if it can."""
    application = settings.get("application", {})
    if application.get("commit") != "in-transaction" or not settings["producer"].get(_ID):
        return "it commits its offsets in transactions, always"
    if settings.get("consumer", {}).get("isolation.level") != "read_committed":
        return "it reads with isolation.level=read_committed, always"
    if application.get("abort", "rewinds") != "rewinds":
        return "after an abort it reads its input again, always"
    return ""


class InsteadOfCopier(JavaConsumeTransformProduce):
    """`JavaConsumeTransformProduce` where the tool was asked for and would do something else."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._why = unlike_copier(place.settings)

    def _differs(self, role: str) -> Iterator[str]:
        if role == "consumer":
            yield f"{TOOL} was asked for and is not the application here: {self._why}"
        yield from super()._differs(role)


class CopierConsumeTransformProduce(JavaConsumeTransformProduce):
    """`JavaConsumeTransformProduce` whose application is Kafka's tool."""

    modules: Mapping[str, str] = {"consumer": "java_copier"}

    @property
    def played_by(self) -> dict[str, str]:
        return {**super().played_by, "consumer": f"{TOOL} of Kafka {self._tools.version}"}

    @property
    def _writer_differs(self) -> tuple[str, ...]:
        return (
            f"{TOOL} copies what is there when it begins and ends: it is started again at once",
            *self._left_out(_CONSUMER, self.place.settings.get("consumer", {})),
            *self._left_out(_PRODUCER, self._writer),
        )

    def _left_out(self, role: Component, stated: Mapping[str, Any]) -> Iterator[str]:
        line = kafka_line(self._tools.version)
        for key, value in stated.items():
            if key in _TAKEN or not has(Family.JAVA, line, line, role, key):
                continue
            own = _OWN[role].get(key, lookup(Family.JAVA, line, line, role, key).default)
            if own is not None and value != own:
                yield f"{role} {key}={value} is left out: {TOOL} has {own}"

    @property
    def pinned_readers(self) -> Mapping[str, Pinned]:
        """Nobody can set anything of the tool's consumer."""
        return {}

    def java_config(self, config: TransformerConfig) -> JavaConsumerConfig:
        answers = {
            "--input-topic": config.topic, "--input-partition": 0, "--output-topic": OUTPUT,
            "--broker-list": self.place.bootstrap, "--consumer-group": config.group,
            "--transactional-id": config.producer[_ID],
            "--transaction-timeout": self._writer.get(_TIMEOUT, 60_000),
            "--transaction-size": config.max_poll,
        }  # fmt: skip
        arguments = [str(item) for pair in answers.items() for item in pair]
        modes = ["--group-mode", "--use-group-metadata"]
        return JavaConsumerConfig(
            ledger=config.ledger, name=config.name, group=config.group, topic=config.topic,
            bootstrap=self.place.bootstrap, isolation="read_committed",
            command=self._tools.command(TOOL, [*arguments, *modes], self.place.folder),
            tells_commits=True, drain_limit_s=config.drain_limit_s,
        )  # fmt: skip


def copying(settings: Settings) -> type[JavaConsumeTransformProduce]:
    """Who plays where the tool was asked for: it, if it can stand for what is described."""
    return InsteadOfCopier if unlike_copier(settings) else CopierConsumeTransformProduce
