"""The simplest pipeline with Kafka's Java clients: `ClientApplication.java` sends and reads.

The clients use the team's settings unchanged, in a properties file. Scenarios with a fault of a
client have no such workload, unless the application writes to another topic (`workloads.JAVA`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from labs.engine.clients.consumer import ConsumerConfig
from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.java_producer import JavaProducerConfig
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.producer import ProducerConfig
from labs.engine.clients.translate import BROKER_SIDE, Pinned
from labs.engine.cluster.properties import properties
from labs.engine.programs.java import JavaProgram
from labs.engine.workloads.arm_context import ArmContext
from labs.engine.workloads.committing import COMMITS
from labs.engine.workloads.group import GROUP, await_commit, write_committed
from labs.engine.workloads.produce_consume import ProduceConsume

_DROPPED: Mapping[str, Mapping[str, str]] = {
    "producer": dict.fromkeys(
        ("transactional.id", "transaction.timeout.ms"), "this workload sends outside transactions"
    ),
    "consumer": {
        "group.id": "a run's readers have a group of their own",
        "group.instance.id": "a run's reader does not restart, so it has no name to keep",
    },
}
"""Settings that the Java clients of a run do not use, with the reason."""
_CLOSE_S = 5.0  # beyond the limit of the producer, for the JVM to end
_UNREPORTED = "transaction.timeout.ms"
"""It has no effect without a transactional.id, whose absence is reported."""


class JavaReaders(ProduceConsume):
    """`ProduceConsume` with a Java consumer group."""

    modules: Mapping[str, str] = {"consumer": "java_consumer"}

    def __init__(self, arm: ArmContext) -> None:
        super().__init__(arm)
        if arm.java_clients is None:
            raise ValueError("Java clients need their jars")
        self._java: JavaProgram = arm.java_clients

    def _differences_of(self, role: str) -> Iterator[str]:
        if f"java_{role}" not in self.modules.values():
            yield from super()._differences_of(role)
            return
        stated = self.arm.settings.get(role, {})
        for key, why in _DROPPED[role].items():
            if key in stated and key != _UNREPORTED:
                yield f"{role} {key}={stated[key]} is left out: {why}"

    @property
    def _automatic(self) -> bool:
        """Whether the client commits automatically, which the application does not report."""
        return self._commit not in COMMITS

    def reader_config(
        self, config: ConsumerConfig, commit: str, writes: str = "-", output: str = "-",
        rewinds: bool = True, closes: bool = True,
    ) -> JavaConsumerConfig:  # fmt: skip
        """Returns the configuration of a reader that commits as `commit` says.

        With `writes`, the properties file of a producer, it writes results to `output`. `closes` is
        whether an application that cannot continue closes its consumer.
        """
        arm, identity = self.arm, {"group.id": GROUP, "client.id": config.name}
        settings = {"isolation.level": self._isolation, **self._stated("consumer", arm.pinned)}
        if settings.get("group.protocol") == "consumer":
            settings = {key: item for key, item in settings.items() if key not in BROKER_SIDE}
        if not self._automatic:
            settings["enable.auto.commit"] = False
        arguments = [
            "read", self._properties_file(config.name, "consumer", {**settings, **identity}),
            writes, arm.topic, output, "client" if self._automatic else commit,
            "rewinds" if rewinds else "continues", "closes" if closes else "ends",
        ]  # fmt: skip
        return JavaConsumerConfig(
            ledger=config.ledger, name=config.name, group=config.group, topic=config.topic,
            bootstrap=arm.bootstrap, isolation=self._isolation,
            command=self._java.command(arguments, arm.folder),
            reports_commits=not self._automatic, drain_limit_s=config.drain_limit_s,
            rewinds=rewinds,
        )  # fmt: skip

    def _stated(self, role: str, pinned: Mapping[str, Pinned]) -> dict[str, Any]:
        """Returns the settings for a client's properties file."""
        stated = {**self.arm.settings.get(role, {}),
                  **{key: setting.lab for key, setting in pinned.items()}}  # fmt: skip
        return {key: value for key, value in stated.items() if key not in _DROPPED[role]}

    def _properties_file(self, name: str, role: str, data: Mapping[str, Any]) -> str:
        file = self.arm.folder / f"{name}-{role}.properties"
        file.write_text(properties({**data, "bootstrap.servers": self.arm.bootstrap}), "ascii")
        return str(file)

    def stop_consumer(self) -> None:
        """Stops the group; then writes the automatic commits, which only the coordinator has.

        If the coordinator lost its log, it does not know the member, which would then leave without
        a commit. So the member first gets time to rejoin.
        """
        arm, member = self.arm, self.client("consumer")
        if self._automatic and not (member.killed or member.latest.get("stopped")):
            await_commit(arm.bootstrap, arm.topic)
        super().stop_consumer()
        if self._automatic:
            write_committed(arm.bootstrap, arm.topic, arm.ledger, member.name)


class JavaProduceConsume(JavaReaders):
    """`ProduceConsume` with Java clients only."""

    modules: Mapping[str, str] = {"producer": "java_producer", "consumer": "java_consumer"}

    @property
    def played_by(self) -> dict[str, str]:
        clients = {role: f"a {role} with the Java client of Kafka {self._java.version}"
                for role in self.modules}  # fmt: skip
        return {**super().played_by, **clients}

    @property
    def pinned(self) -> Mapping[str, Pinned]:
        """Empty: the Java clients keep the team's settings, since they reconnect soon anyway."""
        return {}

    def start_client(self, role: str, config: Any) -> ClientProcess:
        if role == "producer":
            config = self.java_producer_config(config)
        elif role == "consumer":
            config = self.java_consumer_config(config)
        return super().start_client(role, config)

    def java_producer_config(self, config: ProducerConfig) -> JavaProducerConfig:
        settings = {**self._stated("producer", self.arm.senders), "client.id": config.name}
        arguments = [
            "produce", self._properties_file(config.name, "producer", settings), config.topic,
            str(config.rate_per_s), "keyed" if config.keyed else "plain",
            "resends" if config.resend else "forgets", str(int(config.flush_limit_s * 1000)),
        ]  # fmt: skip
        return JavaProducerConfig(
            ledger=config.ledger, name=config.name, topic=config.topic, keyed=config.keyed,
            resend=config.resend, command=self._java.command(arguments, self.arm.folder),
            flush_limit_s=config.flush_limit_s + _CLOSE_S,
        )  # fmt: skip

    def java_consumer_config(self, config: ConsumerConfig) -> JavaConsumerConfig:
        return self.reader_config(config, COMMITS.get(self._commit, "after-processing"))
