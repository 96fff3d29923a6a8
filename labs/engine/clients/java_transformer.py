"""The transforming application in Java, and its part of the ledger.

`python -m labs.engine.clients.java_transformer CONFIG.json`, where the file holds a
`JavaTransformerConfig`. The application (`TransformerApplication.java`) does with Kafka's Java
clients what `clients.transformer` does with librdkafka's: it reads, writes what it makes of each
poll, and commits. It says what it is handed and commits as VerifiableConsumer does, and stands
still at `polling`, `handed` and `processed` where the owner wants that; at `processed` all of a
poll's output is in the log, and nothing of it is committed. One that cannot go on ends.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labs.engine.clients import java_consumer
from labs.engine.clients.control import Control, listen, report
from labs.engine.clients.tool import Passed, Tool
from labs.engine.clients.transformer import aborted
from labs.engine.clients.verifiable import (
    Aborted,
    Delivered,
    Fact,
    Going,
    Polled,
    Standing,
    fact,
)

_DONE = {"handed": "none of them is processed", "processed": "all of them are processed"}


@dataclass(frozen=True, slots=True)
class JavaTransformerConfig(java_consumer.JavaConsumerConfig):
    """`rewinds` is whether the application goes back to the input of an aborted transaction."""

    rewinds: bool = True


class Run(java_consumer.Run):
    """One instance of the application."""

    def __init__(self, config: JavaTransformerConfig, tool: Tool[Fact], control: Control) -> None:
        super().__init__(config, tool, control)
        self._rewinds = config.rewinds
        self._in_hand = 0

    def _facts(self) -> Iterator[object]:
        for data in super()._facts():
            yield data  # it is accounted for when this goes on
            if isinstance(data, Delivered):
                self._in_hand += 1
            elif isinstance(data, Polled):
                self._in_hand = 0
            elif isinstance(data, Standing):
                self._stand(data.point)
            elif isinstance(data, Going):
                report(standing=None, written=False)
            elif isinstance(data, Aborted):
                report(mishap=aborted(data.why, data.count, self._rewinds))

    def _stand(self, point: str) -> None:
        done = _DONE.get(point)
        stands = f"{self._in_hand:,} records in hand, {done}" if done else point
        report(standing=point, **self._written(stands))

    def _ask_to_end(self) -> None:
        self._tool.tell("stop")

    def _ended_by_itself(self) -> None:
        self._check_end()
        self._control.end()


def main(argv: list[str]) -> int:
    config = JavaTransformerConfig(**json.loads(Path(argv[1]).read_text("utf-8")))
    tool = Tool[Fact](config.command, fact)
    Run(config, tool, listen(Passed(tool))).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
