"""The team's Spark query: a driver that reads the topic and writes effects to a sink.

`python -m labs.engine.clients.query CONFIG.json`, where the file holds a `QueryConfig`. The driver
is this process and its JVM, which is in its process group and ends with it. foreachBatch writes to
the sink, each batch in one transaction of the database.

It reports `ready` once Spark has resolved the starting offsets and is idle or has finished a batch,
so that `startingOffsets=latest` skips no message because of a race in the lab. After a stop command
it first reads to the end of the log. It can be held at `polling`, when a batch is planned and none
of it was read, and at the points of `clients.processing`. `processed` is after the write to the
sink and before Spark records the batch as done.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labs.engine.clients import checkpoint
from labs.engine.clients.commits import Commits
from labs.engine.clients.control import Control, listen, read_config, report
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.driver import session
from labs.engine.clients.processing import Polled, PollProcessor
from labs.engine.clients.sink import Database, Style

if TYPE_CHECKING:
    from spark_jobs.pipelines.foreach_batch import Collect, ForeachBatch

_MASTER = "local[1]"
_REPORT_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class QueryConfig:
    """Configuration of a query. `options` are the complete options of Spark's Kafka source.

    `checkpoint` is its checkpointLocation; `scratch` is the folder for Spark's temporary files.
    A batch begins every `trigger_ms`. `drain_limit_s` limits, in seconds, how long it reads to the
    end of the log after a stop command.
    """

    ledger: str
    name: str
    group: str
    topic: str
    isolation: str
    options: dict[str, str]
    checkpoint: str
    scratch: str
    sink: str
    sink_style: Style = "plain"
    trigger_ms: int = 200
    drain_limit_s: float = 15.0


class Run:
    """One driver, from its first batch to its last."""

    def __init__(self, config: QueryConfig, control: Control) -> None:
        self._config, self._control = config, control
        self._checkpoint = Path(config.checkpoint)
        ledger = Path(config.ledger)
        self._deliveries = Deliveries(ledger, config.name, config.group, config.isolation)
        self._commits = Commits(ledger, config.name, config.group)
        self._committed: dict[int, int] = {}
        self._processor = PollProcessor(
            control, self._write_ledger, self._open_sink, asynchronous=False
        )

    def run(self, query: ForeachBatch) -> str | None:
        """Runs the query until the stop command, then to the end of the log.

        Returns the reason if Spark ended the query, else None. The query is not restarted here.
        """
        while query.is_running and not self._control.stop.is_set():
            ready = query.has_settled and checkpoint.has_offsets(self._checkpoint)
            report(ready=ready, delivered=self._deliveries.count)
            self._control.stop.wait(_REPORT_EVERY_S)
        stopped = query.end(
            self._config.drain_limit_s, lambda: report(delivered=self._deliveries.count)
        )
        report(**self._write_ledger())
        self._deliveries.close()
        self._commits.close()
        return stopped

    def process_batch(self, collect: Collect) -> None:
        """Processes a batch; after that, Spark records the batch as done."""
        self._control.reach("polling", self._planned_batch)
        records, now = collect(), time.monotonic_ns()
        for partition, offset, value in records:
            self._deliveries.add_record(self._config.topic, partition, offset, value, now)
        self._deliveries.end_poll()
        self._processor.process(Polled([value for _, _, value in records], positions=[]))
        self._processor.processed()  # Spark stores the position

    def _planned_batch(self) -> dict[str, Any]:
        return {**self._write_ledger(), "stands": "a batch is planned, nothing of it is read"}

    def _open_sink(self) -> Effects:
        return Effects(Path(self._config.sink), self._config.sink_style)

    def _write_ledger(self) -> dict[str, Any]:
        """Writes all known deliveries and commits, so that a kill afterwards loses no evidence."""
        now, done = (
            time.monotonic_ns(),
            checkpoint.committed_offsets(self._checkpoint, self._config.topic),
        )
        for partition, offset in done.items():
            if self._committed.get(partition) != offset:
                self._commits.add_row((self._config.topic, partition), offset, "ok", now)
        self._committed = done
        self._deliveries.flush()
        self._commits.flush()
        return {"written": True, "delivered": self._deliveries.count}


class Effects:
    """The sink. It opens a connection for each batch, because Spark may call from any thread."""

    def __init__(self, database: Path, style: Style) -> None:
        self._database, self._style = database, style

    def apply(self, values: Sequence[int]) -> None:
        database = Database(self._database, self._style)
        database.apply(values)
        database.close()

    def close(self) -> None:
        """Does nothing: no connection is open between two batches."""


def main() -> None:
    # Not imported at the top, as in `driver`.
    from spark_jobs.pipelines.foreach_batch import ForeachBatch

    config = read_config(QueryConfig, sys.argv[1])
    run = Run(config, listen())
    with session(config.name, _MASTER, Path(config.scratch)) as spark:
        query = ForeachBatch(
            spark, config.options, Path(config.checkpoint), run.process_batch, config.trigger_ms
        )
        stopped = run.run(query)
    # A query that cannot continue counts as ready, like a consumer without a position.
    report(ready=True, stopped=stopped, ended=True)


if __name__ == "__main__":
    main()
