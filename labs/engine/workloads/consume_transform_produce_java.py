"""From topic to topic in Java: the application is `ClientApplication.java`.

It uses the team's settings unchanged, in a properties file for its producer and one for its
consumer. It can be held and killed like the librdkafka application. A librdkafka producer fills the
input topic.
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

COPIER = "TransactionalMessageCopier"
_ID = "transactional.id"


class JavaConsumeTransformProduce(JavaReaders, ConsumeTransformProduce):
    """`ConsumeTransformProduce` with a Java application."""

    modules: Mapping[str, str] = {"consumer": "java_consumer"}
    input_note = (
        "the input topic is filled by librdkafka, with the same settings and without transactions; "
        "the output is read with the group's isolation.level"
    )

    def __init__(self, arm: ArmContext) -> None:
        super().__init__(arm)
        self._writer = arm.settings["producer"]

    @property
    def played_by(self) -> dict[str, str]:
        java = f"an application with the Java clients of Kafka {self._java.version}"
        return {**super().played_by, "consumer": java}

    @property
    def _writer_differences(self) -> tuple[str, ...]:
        return ()

    def start_client(self, role: str, config: Any) -> ClientProcess:
        return super().start_client(
            role, self.java_config(config) if role == "consumer" else config
        )

    def java_config(self, config: TransformerConfig) -> JavaConsumerConfig:
        producer = {**self._writer, "client.id": config.name}
        if transactional_id := config.producer.get(_ID):  # a joining instance has another one
            producer[_ID] = transactional_id
        return self.reader_config(
            config, self._commit, self._properties_file(config.name, "producer", producer), OUTPUT,
            config.rewinds, closes=config.on_error == "close",
        )  # fmt: skip


class FormerCopier(JavaConsumeTransformProduce):
    """`JavaConsumeTransformProduce` for a request of Kafka's copier, which only older runs had."""

    @property
    def _writer_differences(self) -> tuple[str, ...]:
        return (
            f"{COPIER} was requested: the application here is the lab's, with the same Java "
            "clients and with the settings that are described",
        )
