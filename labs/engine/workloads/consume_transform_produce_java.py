"""From topic to topic in Java: the application is `TransformerApplication.java`.

It takes the team's settings as they are, its producer's and its consumer's in a properties file
each, and can stand still and be killed like librdkafka's. That one fills the topic that is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.java_transformer import JavaTransformerConfig
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.transformer import TransformerConfig
from labs.engine.cluster.properties import properties
from labs.engine.programs.tools import Tools
from labs.engine.workloads.committing import COMMITS
from labs.engine.workloads.consume_transform_produce import OUTPUT, ConsumeTransformProduce
from labs.engine.workloads.group import GROUP, write_saved
from labs.engine.workloads.place import Place
from labs.engine.workloads.produce_consume_java import READERS_OWN, left_out, taken_over

_ID = "transactional.id"


class JavaConsumeTransformProduce(ConsumeTransformProduce):
    """`ConsumeTransformProduce` whose application is Java's."""

    modules: Mapping[str, str] = {"consumer": "java_transformer"}
    fed = (
        "the topic that is read is filled by librdkafka, with the same settings and without "
        "transactions; the output is read with the group's isolation.level"
    )

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        if place.tools is None:
            raise ValueError("Java clients need their jars")
        self._tools: Tools = place.tools
        self._writer = place.settings["producer"]

    @property
    def played_by(self) -> dict[str, str]:
        java = f"an application with the Java clients of Kafka {self._tools.version}"
        return {**super().played_by, "consumer": java}

    @property
    def _writer_differs(self) -> tuple[str, ...]:
        return ()

    def _differs(self, role: str) -> Iterator[str]:
        if role == "producer":
            yield from super()._differs(role)
            return
        yield from left_out(role, self.place.settings.get(role, {}), READERS_OWN)

    def start_client(self, role: str, config: Any) -> ClientProcess:
        return super().start_client(
            role, self.java_config(config) if role == "consumer" else config
        )

    def java_config(self, config: TransformerConfig) -> JavaConsumerConfig:
        writes = {**self._writer, "client.id": config.name}
        if named := config.producer.get(_ID):  # one that joins has another
            writes[_ID] = named
        after_abort = "rewinds" if config.rewinds else "continues"
        after_failure = "closes" if config.on_error == "close" else "ends"
        arguments = [
            self._file(config.name, "consumer", self._reads(config.name)),
            self._file(config.name, "producer", writes),
            self.place.topic, OUTPUT, "client" if self._automatic else self._commit,
            after_abort, after_failure,
        ]  # fmt: skip
        return JavaTransformerConfig(
            ledger=config.ledger, name=config.name, group=config.group, topic=config.topic,
            bootstrap=self.place.bootstrap, isolation=self._isolation,
            command=self._tools.transformer(arguments, self.place.folder),
            tells_commits=not self._automatic, drain_limit_s=config.drain_limit_s,
            rewinds=config.rewinds,
        )  # fmt: skip

    @property
    def _automatic(self) -> bool:
        """Whether the client commits by itself, of which the application tells nothing."""
        return self._commit not in COMMITS

    def _reads(self, name: str) -> dict[str, Any]:
        stated = {
            **self.place.settings.get("consumer", {}),
            **{key: setting.lab for key, setting in self.place.pinned.items()},
        }
        own: dict[str, Any] = {"group.id": GROUP, "client.id": name}
        if not self._automatic:
            own["enable.auto.commit"] = False
        settings = taken_over(stated, frozenset(READERS_OWN))
        return {"isolation.level": self._isolation, **settings, **own}

    def _file(self, name: str, role: str, data: Mapping[str, Any]) -> str:
        file = self.place.folder / f"{name}-{role}.properties"
        at = {"bootstrap.servers": self.place.bootstrap}
        file.write_text(properties({**data, **at}), "ascii")
        return str(file)

    def stop_consumer(self) -> None:
        """Of commits that the client made by itself the group's coordinator knows the last."""
        super().stop_consumer()
        if self._automatic:
            place, name = self.place, self.client("consumer").name
            write_saved(place.bootstrap, place.topic, place.ledger, name)
