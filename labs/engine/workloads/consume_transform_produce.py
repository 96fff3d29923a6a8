"""A pipeline from topic to topic: the group writes a result for each message to an output topic.

Another producer fills the input topic; the described producer is the one in the application. The
output is read with the group's isolation.level, and the records that this reader receives are the
effects. With read_uncommitted, records of aborted transactions are among them.
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
_INPUT_NOTE = (
    "another producer fills the input topic, with the same settings and without transactions; the "
    "output is read with the group's isolation.level"
)


class ConsumeTransformProduce(ProduceConsume):
    """`ProduceConsume` whose consumers are instances of the transforming application."""

    modules: Mapping[str, str] = {"consumer": "transformer"}
    topics = (OUTPUT,)
    has_effects = True
    input_note = _INPUT_NOTE
    """The note about the writer of the input topic and the reader of the output topic."""

    def __init__(self, arm: ArmContext) -> None:
        super().__init__(_feeder_context(arm))
        self._output_producer = translate.producer(arm.settings["producer"], transactions=True)
        self._in_transaction = self._application.get("commit") == "in-transaction"

    @property
    def differences(self) -> tuple[str, ...]:
        lines = [self.input_note, *self._writer_differences, *super().differences]
        processing = self._application.get("processing", "synchronous")
        if processing != "synchronous":
            lines.append(f"application processing={processing} is left out: the records of a "
                        "poll are written before the next poll")  # fmt: skip
        return tuple(dict.fromkeys(lines))

    @property
    def _writer_differences(self) -> tuple[str, ...]:
        return self._output_producer.differences

    def join(self) -> ClientProcess:
        """Starts one more instance, with its own transactional.id (KIP-447)."""
        config = self.consumer_config()
        transactional_id = config.producer.get(_ID)
        producer = (
            {**config.producer, _ID: f"{transactional_id}-{config.name}"}
            if transactional_id
            else config.producer
        )
        return self.start_client("consumer", replace(config, producer=producer))

    def consumer_config(self) -> TransformerConfig:
        return TransformerConfig(
            **asdict(super().consumer_config()),
            output=OUTPUT,
            producer={**self._output_producer.config, "bootstrap.servers": self.arm.bootstrap},
            in_transaction=self._in_transaction,
            rewinds=self._application.get("abort", "rewinds") == "rewinds",
        )

    def read_to_the_end(self) -> bool:
        """Reads the log of the input topic, and the output topic as its readers would."""
        completed = super().read_to_the_end()
        output = replace(self._reader(), topic=OUTPUT, sink=self._sink_style)
        return self._read(output) and completed


def _feeder_context(arm: ArmContext) -> ArmContext:
    settings = {key: value for key, value in arm.settings["producer"].items() if key != _ID}
    return replace(arm, settings={**arm.settings, "producer": settings})
