"""A real Kafka Streams application: it reads the topic and writes results to another topic.

A librdkafka producer fills the input topic. The effects are the records that a reader of the output
topic receives. If a processor calls an external system (`application.sink`), they are the lines of
a file that outlives the application, as such a system would.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from labs.engine.clients.process import ClientProcess
from labs.engine.clients.streams import StreamsConfig
from labs.engine.cluster.properties import properties
from labs.engine.programs.java import JavaProgram
from labs.engine.record.ledger import TableWriter
from labs.engine.workloads.arm_context import ArmContext
from labs.engine.workloads.consume_transform_produce import OUTPUT
from labs.engine.workloads.group import GROUP, begin_at_start, write_committed
from labs.engine.workloads.produce_consume import ProduceConsume
from labs.engine.workloads.spark_options import skipped_messages

_PREFIXES = {"streams": "", "producer": "producer.", "consumer": "consumer."}
_ERRORS = "org.apache.kafka.streams.errors."
CLASSES: Mapping[str, frozenset[str]] = {
    **{
        f"{prefix}.exception.handler": frozenset(
            f"{_ERRORS}{name}ExceptionHandler" for name in names
        )
        for prefix, names in {
            "deserialization": ("LogAndFail", "LogAndContinue"),
            "processing": ("LogAndFailProcessing", "LogAndContinueProcessing"),
            "production": ("DefaultProduction",),
        }.items()
    },
    "timestamp.extractor": frozenset(
        f"org.apache.kafka.streams.processor.{name}"
        for name in (
            *(
                f"{prefix}OnInvalidTimestamp"
                for prefix in ("Fail", "LogAndSkip", "UsePartitionTime")
            ),
            "WallclockTimestampExtractor",
        )
    ),
}
"""Setting → classes that a run has; it has no others."""
# Kafka Streams overrides these, and warns if they are stated (StreamsConfig).
_OVERRULED = frozenset({"enable.auto.commit", "auto.commit.interval.ms", "isolation.level"})
_DROPPED: Mapping[str, str] = {
    "streams.application.id": "a run's application has an id of its own",
    "streams.state.dir": "a run has a folder of its own",
    "consumer.group.instance.id": "a run's instance does not restart, so it has no name to keep",
}
_INPUT_NOTE = (
    "the topic that Kafka Streams reads is filled by librdkafka, with the settings of the producer "
    "inside the application and without transactions"
)
_START_NOTE = (
    "the application begins with a committed position at the start of the topic, like an "
    "application that has run before"
)


class StreamsTopology(ProduceConsume):
    """`ProduceConsume` with a topology of one source, one processor and one sink.

    Its consumers are instances of the application.
    """

    modules: Mapping[str, str] = {"consumer": "streams"}
    topics = (OUTPUT,)
    has_effects = True
    runs_streams = True
    counts_results = True
    """Whether the results in the output topic are the effects, if no external system has them."""

    def __init__(self, arm: ArmContext) -> None:
        super().__init__(arm)
        if arm.streams is None:
            raise ValueError("Kafka Streams needs its jars")
        self._streams: JavaProgram = arm.streams
        self._output_isolation = str(self._application.get("readers", "read_committed"))
        self._has_external_system = self._application.get("sink", "topics") != "topics"
        self._has_position = False

    @property
    def differences(self) -> tuple[str, ...]:
        lines = [_INPUT_NOTE, _START_NOTE]
        read = self.counts_results and not self._has_external_system
        if read and "readers" not in self._application:
            lines.append(
                "application readers is not stated: the output is read with read_committed"
            )
        return (*lines, *super().differences)

    def _differences_of(self, role: str) -> Iterator[str]:
        if role == "producer":
            yield from super()._differences_of(role)
            return
        for key, why in _DROPPED.items():
            component, _, name = key.partition(".")
            if (value := self.arm.settings.get(component, {}).get(name)) is not None:
                yield f"{component} {name}={value} is left out: {why}"
        for name, value in self.arm.settings["streams"].items():
            if _unknown_class(name, value):
                yield f"streams {name}={value} is left out: a run has only Kafka's classes"
        yield from skipped_messages(self._application)
        described = self._application.get("state", self._state)
        if described != self._state:
            yield f"application state={described} is left out: the processor keeps no state here"

    @property
    def played_by(self) -> dict[str, str]:
        return {**super().played_by, "consumer": f"Kafka Streams {self._streams.version}"}

    def start_consumer(self) -> None:
        if not self._has_position:
            begin_at_start(self.arm.bootstrap, self.arm.topic)
            self._has_position = True
        super().start_consumer()

    def start_client(self, role: str, config: Any) -> ClientProcess:
        return super().start_client(role, self.instance_config() if role == "consumer" else config)

    def instance_config(self) -> StreamsConfig:
        arm, name = self.arm, self._next_name("consumer")
        file = arm.folder / f"{name}.properties"
        file.write_text(properties(self._settings(name)), "ascii")
        arguments = [
            file,
            arm.topic,
            OUTPUT,
            self._state,
            self.system_file if self._has_external_system else "-",
        ]
        return StreamsConfig(
            ledger=str(arm.ledger), name=name, group=GROUP, topic=arm.topic,
            bootstrap=arm.bootstrap, isolation=self._isolation,
            command=self._streams.command([str(item) for item in arguments], arm.folder),
        )  # fmt: skip

    def _settings(self, name: str) -> dict[str, str | int | bool]:
        """Returns the described settings with the prefixes of StreamsConfig, and the instance's."""
        settings = self.arm.settings
        pinned = {f"consumer.{key}": setting.lab for key, setting in self.arm.pinned.items()}
        described = {
            f"{prefix}{key}": value
            for component, prefix in _PREFIXES.items()
            for key, value in settings.get(component, {}).items()
            if key not in _OVERRULED and f"{component}.{key}" not in _DROPPED
            and not _unknown_class(key, value)
        }  # fmt: skip
        identity: dict[str, str | int | bool] = {
            "application.id": GROUP, "bootstrap.servers": self.arm.bootstrap, "client.id": name,
            "state.dir": str(self.arm.scratch / name),
        }  # fmt: skip
        return {**described, **pinned, **identity}

    @property
    def _state(self) -> str:
        """The state of the processor: `none`, `logged` or `unlogged`."""
        return "none"

    @property
    def system_file(self) -> Path:
        """The file that stands for the external system: one line per effect."""
        return self.arm.scratch / "effects.txt"

    def stop_consumer(self) -> None:
        """Stops the group; then writes its last commits, which only the coordinator has."""
        super().stop_consumer()
        arm = self.arm
        write_committed(arm.bootstrap, arm.topic, arm.ledger, self.client("consumer").name)

    def read_to_the_end(self) -> bool:
        """Reads the log of the input topic, and the effects from their system."""
        completed = super().read_to_the_end()
        return self.read_effects() and completed

    def read_effects(self) -> bool:
        """Reads or writes the effects; returns whether all of them were read."""
        if not self._has_external_system:
            output = replace(
                self._reader(), topic=OUTPUT, isolation=self._output_isolation, sink="plain"
            )
            return self._read(output)
        self.write_effects()
        return True

    def write_effects(self) -> None:
        """Writes the effects in the external system; an idempotent one has each message once."""
        lines = self.system_file.read_text("ascii").split() if self.system_file.exists() else []
        times = Counter(map(int, lines))
        rows = [
            {"sink": "another system", "value": value,
             "applied": 1 if self._sink_style == "idempotent" else count}
            for value, count in times.items()
        ]  # fmt: skip
        TableWriter(self.arm.ledger, "effects", "sink").flush_rows(rows)


def _unknown_class(name: str, value: object) -> bool:
    names = CLASSES.get(name.removeprefix("default."))
    return names is not None and value not in names
