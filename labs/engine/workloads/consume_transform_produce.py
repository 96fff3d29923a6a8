"""A pipeline from topic to topic: the group writes what it makes of each message to another topic.

One producer fills the topic that is read; the producer that is described is the application's
own. Who reads the output does it with the group's isolation.level, and what that reader is handed
are the effects: an aborted record is one of them where records are read before they are committed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from labs.engine.clients import translate
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.transformer import TransformerConfig
from labs.engine.workloads.arm_context import ArmContext
from labs.engine.workloads.produce_consume import ProduceConsume

OUTPUT = "orders-made"
_ID = "transactional.id"
_FED = (
    "the topic that is read is filled by one more producer, with the same settings and without "
    "transactions; the output is read with the group's isolation.level"
)


class ConsumeTransformProduce(ProduceConsume):
    """Its consumers are instances of the transforming application."""

    modules: Mapping[str, str] = {"consumer": "transformer"}
    topics = (OUTPUT,)
    has_effects = True
    input_note = _FED
    """The note about who writes to the input topic and who reads the output topic."""

    def __init__(self, arm: ArmContext) -> None:
        super().__init__(_feeding(arm))
        self._output_settings = translate.producer(arm.settings["producer"], transactions=True)
        self._in_transaction = self._application.get("commit") == "in-transaction"

    @property
    def differences(self) -> tuple[str, ...]:
        lines = [self.input_note, *self._writer_differs, *super().differences]
        threads = self._application.get("processing", "synchronous")
        if threads != "synchronous":
            lines.append(f"application processing={threads} is left out: what a poll brought is "
                        "written before the next poll")  # fmt: skip
        return tuple(dict.fromkeys(lines))

    @property
    def _writer_differs(self) -> tuple[str, ...]:
        return self._output_settings.differences

    def join(self) -> ClientProcess:
        """One more instance, with a transactional.id of its own (KIP-447)."""
        config = self.consumer_config()
        named = config.producer.get(_ID)
        own = {**config.producer, _ID: f"{named}-{config.name}"} if named else config.producer
        return self.start_client("consumer", replace(config, producer=own))

    def consumer_config(self) -> TransformerConfig:
        return TransformerConfig(
            **asdict(super().consumer_config()),
            output=OUTPUT,
            producer={**self._output_settings.config, "bootstrap.servers": self.arm.bootstrap},
            in_transaction=self._in_transaction,
            rewinds=self._application.get("abort", "rewinds") == "rewinds",
        )

    def read_to_the_end(self) -> bool:
        """Reads the log of the input, and the output as its readers do."""
        completed = super().read_to_the_end()
        output = replace(self._reader(), topic=OUTPUT, sink=self._sink_style)
        return self._read(output) and completed


def _feeding(arm: ArmContext) -> ArmContext:
    settings = {key: value for key, value in arm.settings["producer"].items() if key != _ID}
    return replace(arm, settings={**arm.settings, "producer": settings})
