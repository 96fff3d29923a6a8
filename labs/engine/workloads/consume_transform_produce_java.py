"""From topic to topic in Java: the application is `ClientApplication.java`.

It takes the team's settings as they are, its producer's and its consumer's in a properties file
each, and can stand still and be killed like librdkafka's. That one fills the topic that is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.transformer import TransformerConfig
from labs.engine.workloads.arm_context import ArmContext
from labs.engine.workloads.consume_transform_produce import OUTPUT, ConsumeTransformProduce
from labs.engine.workloads.produce_consume_java import JavaReaders

TOOL = "TransactionalMessageCopier"
_ID = "transactional.id"


class JavaConsumeTransformProduce(JavaReaders, ConsumeTransformProduce):
    """`ConsumeTransformProduce` whose application is Java's."""

    modules: Mapping[str, str] = {"consumer": "java_consumer"}
    input_note = (
        "the topic that is read is filled by librdkafka, with the same settings and without "
        "transactions; the output is read with the group's isolation.level"
    )

    def __init__(self, arm: ArmContext) -> None:
        super().__init__(arm)
        self._writer = arm.settings["producer"]

    @property
    def played_by(self) -> dict[str, str]:
        java = f"an application with the Java clients of Kafka {self._java.version}"
        return {**super().played_by, "consumer": java}

    @property
    def _writer_differs(self) -> tuple[str, ...]:
        return ()

    def start_client(self, role: str, config: Any) -> ClientProcess:
        return super().start_client(
            role, self.java_config(config) if role == "consumer" else config
        )

    def java_config(self, config: TransformerConfig) -> JavaConsumerConfig:
        writes = {**self._writer, "client.id": config.name}
        if named := config.producer.get(_ID):  # one that joins has another
            writes[_ID] = named
        return self.reader_config(
            config, self._commit, self._file(config.name, "producer", writes), OUTPUT,
            config.rewinds, closes=config.on_error == "close",
        )  # fmt: skip


class FormerCopier(JavaConsumeTransformProduce):
    """The same where Kafka's own copier was asked for, which only older runs had."""

    @property
    def _writer_differs(self) -> tuple[str, ...]:
        return (
            f"{TOOL} was asked for: the application here is the lab's own, with the same Java "
            "clients and with the settings that are described",
        )
