"""The plainest pipeline by Kafka's own Java clients: VerifiableProducer and VerifiableConsumer.

They take the team's settings as they are, in a properties file. What they cannot do as the
team's application does is left to librdkafka, role by role, and said. No client here can be
held, so scenarios that do something to a client have no such workload (`workloads.JAVA`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.catalog.versions import at_least
from labs.engine.clients.consumer import ConsumerConfig
from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.java_producer import JavaProducerConfig
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.producer import ProducerConfig
from labs.engine.clients.translate import PINNED, THE_BROKERS_OWN, Pinned
from labs.engine.cluster.properties import properties
from labs.engine.plan.spec import Settings
from labs.engine.programs.tools import Tools
from labs.engine.workloads.committing import COMMITS
from labs.engine.workloads.group import GROUP, write_saved
from labs.engine.workloads.place import Place
from labs.engine.workloads.produce_consume import ProduceConsume

_TOOLS: Mapping[str, str] = {"producer": "VerifiableProducer", "consumer": "VerifiableConsumer"}
_KEYS = 2**31 - 1  # `--repeating-keys`: so many numbers before they begin again, so the value

# The tools are told these by arguments, or not at all; the rest is theirs from the file.
_NOT_IN_FILE: Mapping[str, frozenset[str]] = {
    "producer": frozenset({"transactional.id", "transaction.timeout.ms"}),
    "consumer": frozenset({
        "group.id", "group.instance.id", "group.protocol", "enable.auto.commit",
        "auto.offset.reset", "session.timeout.ms",
    }),
}  # fmt: skip
READERS_OWN: Mapping[str, str] = {
    "group.id": "a run's readers have a group of their own",
    "group.instance.id": "a run's reader has no restart that could keep its name",
}
"""Settings of a consumer that no Java client of a run takes over, with the reason."""
_DROPPED: Mapping[str, Mapping[str, str]] = {
    "producer": {"transactional.id": "this workload sends outside transactions"},
    "consumer": READERS_OWN,
}
# The product's own since 3.0, where the tool's would be the first alone.
_ASSIGNORS = ",".join(
    f"org.apache.kafka.clients.consumer.{name}"
    for name in ("RangeAssignor", "CooperativeStickyAssignor")
)


def taken_over(stated: Mapping[str, Any], left: frozenset[str]) -> dict[str, Any]:
    """The stated settings that go into a Java client's properties file."""
    if stated.get("group.protocol") == "consumer":
        left |= THE_BROKERS_OWN
    return {key: value for key, value in stated.items() if key not in left}


def left_out(role: str, stated: Mapping[str, Any], dropped: Mapping[str, str]) -> Iterator[str]:
    """What of it a run does not take over, a sentence each."""
    for key, why in dropped.items():
        if key in stated:
            yield f"{role} {key}={stated[key]} is left out: {why}"


def instead_of_java(settings: Settings, version: str) -> dict[str, str]:
    """Why librdkafka plays a role although Java was asked for, by role."""
    application, consumer = settings.get("application", {}), settings.get("consumer", {})
    why = {}
    if application.get("resend") == "on-error":
        why["producer"] = "VerifiableProducer sends no value again"
    commit = str(application.get("commit", "after-processing"))
    if commit == "before-processing":
        why["consumer"] = "VerifiableConsumer never commits before it has printed what it read"
    elif commit not in COMMITS and not consumer.get("enable.auto.commit", True):
        why["consumer"] = "VerifiableConsumer commits by itself where its client does not"
    elif consumer.get("group.protocol") == "consumer" and not at_least(version, "4.0"):
        why["consumer"] = (
            "before Kafka 4.0 VerifiableConsumer cannot join by group.protocol=consumer"
        )
    return why


class JavaProduceConsume(ProduceConsume):
    """`ProduceConsume` whose clients are Java's."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        if place.tools is None:
            raise ValueError("Java clients need their jars")
        self._tools: Tools = place.tools
        self._instead = instead_of_java(place.settings, self._tools.version)
        self.modules = {role: f"java_{role}" for role in _TOOLS if role not in self._instead}

    @property
    def played_by(self) -> dict[str, str]:
        java = {role: f"{_TOOLS[role]} of Kafka {self._tools.version}" for role in self.modules}
        return {**super().played_by, **java}

    @property
    def pinned(self) -> Mapping[str, Pinned]:
        """The Java clients keep what the team has: they try again soon by themselves."""
        return PINNED if self._instead else {}

    def _differs(self, role: str) -> Iterator[str]:
        if role in self._instead:
            yield f"the {role} is librdkafka: {self._instead[role]}"
            yield from super()._differs(role)
            return
        yield from left_out(role, self.place.settings.get(role, {}), _DROPPED[role])

    def start_client(self, role: str, config: Any) -> ClientProcess:
        if role in self.modules:
            java = self.java_producer_config if role == "producer" else self.java_consumer_config
            config = java(config)
        return super().start_client(role, config)

    def java_producer_config(self, config: ProducerConfig) -> JavaProducerConfig:
        arguments = ["--throughput", str(config.rate_per_s)]
        if config.keyed:
            arguments += ["--repeating-keys", str(_KEYS)]
        return JavaProducerConfig(
            ledger=config.ledger, name=config.name, topic=config.topic, keyed=config.keyed,
            flush_limit_s=config.flush_limit_s, command=self._command("producer", arguments),
        )  # fmt: skip

    def java_consumer_config(self, config: ConsumerConfig) -> JavaConsumerConfig:
        return JavaConsumerConfig(
            ledger=config.ledger, name=config.name, group=config.group, topic=config.topic,
            bootstrap=self.place.bootstrap, isolation=self._isolation,
            command=self._command("consumer", self._group_arguments()),
            tells_commits=not self._automatic, drain_limit_s=config.drain_limit_s,
        )  # fmt: skip

    @property
    def _automatic(self) -> bool:
        """Whether the client commits by itself, of which the tool tells nothing."""
        return self._commit not in COMMITS

    def _group_arguments(self) -> list[str]:
        consumer = self.place.settings.get("consumer", {})
        lines = ["--group-id", GROUP, "--verbose"]
        lines += ["--reset-policy", str(consumer.get("auto.offset.reset", "latest"))]
        if self._automatic:
            lines.append("--enable-autocommit")
        if consumer.get("group.protocol") == "consumer":
            return [*lines, "--group-protocol", "consumer"]
        lines += ["--assignment-strategy", _ASSIGNORS]
        return [*lines, "--session-timeout", str(consumer.get("session.timeout.ms", 45000))]

    def _command(self, role: str, arguments: list[str]) -> tuple[str, ...]:
        place, name = self.place, self._next(role)
        file = place.folder / f"{name}.properties"
        file.write_text(properties(self._in_file(role)), "ascii")
        takes = "--command-config" if at_least(self._tools.version, "4.2") else f"--{role}.config"
        common = ["--bootstrap-server", place.bootstrap, "--topic", place.topic, takes, str(file)]
        return self._tools.command(_TOOLS[role], [*common, *arguments], place.folder)

    def _in_file(self, role: str) -> dict[str, Any]:
        pinned = {"producer": self.place.senders, "consumer": self.place.pinned}[role]
        stated = {
            **self.place.settings.get(role, {}),
            **{name: setting.lab for name, setting in pinned.items()},
        }
        own = {"isolation.level": self._isolation} if role == "consumer" else {}
        kept = taken_over(stated, _NOT_IN_FILE[role])
        return {**own, **kept, "client.id": self._next(role)}

    def stop_consumer(self) -> None:
        """Of commits that the client made by itself the group's coordinator knows the last."""
        super().stop_consumer()
        if self._automatic and "consumer" in self.modules:
            place, name = self.place, self.client("consumer").name
            write_saved(place.bootstrap, place.topic, place.ledger, name)
