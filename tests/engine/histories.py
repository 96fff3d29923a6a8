"""Small handwritten ledgers: of three brokers, the leader dies, and messages are lost.

Seconds are counted from `BEGAN`. Broker 1 leads and acknowledges messages 0 to 9 at offsets 0 to 9;
the logs of its followers end at offset 6. Broker 1 dies. Broker 2 becomes leader with a log that
ends at offset 6, and acknowledges messages 10 to 14 at offsets 6 to 10.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labs.engine.record.ledger import TableWriter

BEGAN = 1_000_000_000_000
LOST, KEPT, LATER = 8, 2, 12
IN_ITS_PLACE = f"At the offset of its acknowledgement, {LOST}, the log holds message {LATER}."
ALL = {1: "running", 2: "running", 3: "running"}
FIRST_DEAD = {**ALL, 1: "dead"}


def ns(second: float) -> int:
    return BEGAN + round(second * 1e9)


def write(ledger: Path, table: str, *rows: dict[str, Any]) -> None:
    TableWriter(ledger, table, "hand").flush_rows(rows)


def sample(
    second: float, leader: int | None, epoch: int, high: int | None,
    ends: dict[int, int | None], states: dict[int, str] = ALL, **other: Any,
) -> list[dict[str, Any]]:  # fmt: skip
    """A sample of partition 0, with one row per replica."""
    return [
        {
            "time_ns": ns(second), "topic": "orders", "partition": 0, "leader": leader,
            "leader_epoch": epoch, "isr": [1, 2, 3] if epoch == 0 else [2, 3], "elr": [],
            "high_watermark": high, "last_stable_offset": high, "replica": replica,
            "log_end_offset": end, "committed": 0, "sent": 10, "acknowledged": 10, "failed": 0,
            "delivered": 6, "brokers": ",".join(f"{i}:{state}" for i, state in states.items()),
            **other,
        }
        for replica, end in ends.items()
    ]  # fmt: skip


def telemetry(ledger: Path) -> None:
    write(
        ledger,
        "telemetry",
        *sample(-3.0, 1, 0, 0, {1: 0, 2: 0, 3: 0}),
        *sample(0.0, 1, 0, 0, {1: 0, 2: 0, 3: 0}),
        *sample(1.0, 1, 0, 6, {1: 10, 2: 6, 3: 6}),
        *sample(2.0, 1, 0, None, {1: 10, 2: 6, 3: 6}, FIRST_DEAD),
        *sample(3.0, 2, 1, 6, {1: 10, 2: 6, 3: 6}, FIRST_DEAD),
        *sample(4.0, 2, 1, 11, {1: 10, 2: 11, 3: 11}, FIRST_DEAD, committed=11, acknowledged=15),
        *sample(5.0, 2, 1, 11, {1: 10, 2: 11, 3: 11}, FIRST_DEAD, committed=11, acknowledged=15),
        *sample(6.0, 2, 1, 11, {1: 10, 2: 11, 3: 11}, FIRST_DEAD, committed=11, acknowledged=15),
    )
    write(
        ledger,
        "faults",
        {"fault": "kill", "target": "leader: broker 1", "phase": "invoke", "time_ns": ns(1.4)},
        {"fault": "kill", "target": "leader: broker 1", "phase": "complete", "time_ns": ns(1.5),
         "evidence": "pid 4711 gone"},
    )  # fmt: skip


def second_partition(ledger: Path) -> None:
    """Writes samples of partition 1 to the folder `ledger`: broker 3 leads, and nothing fails."""
    ends = {0.0: 5, 1.0: 6, 2.0: 7}
    samples = [
        sample(second, 3, 0, end, {2: end, 3: end}, FIRST_DEAD) for second, end in ends.items()
    ]
    rows = [{**row, "partition": 1} for sample in samples for row in sample]
    TableWriter(ledger, "telemetry", "second").flush_rows(rows)


def lost_at_the_end_of_a_log(ledger: Path) -> Path:
    """Writes the whole history to the folder `ledger`, and returns the folder."""
    telemetry(ledger)
    sent = [(value, 0.5, value) for value in range(10)]
    sent += [(value, 3.5, value - 4) for value in range(10, 15)]
    write(
        ledger,
        "sends",
        *(
            {"producer": "p", "value": value, "topic": "orders", "partition": 0, "offset": offset,
             "invoked_ns": ns(second), "completed_ns": ns(second + 0.1), "outcome": "ok"}
            for value, second, offset in sent
        ),
        {"producer": "p", "value": 15, "topic": "orders", "invoked_ns": ns(4.5), "outcome": "info",
         "error": "timed out", "completed_ns": ns(4.9)},
    )  # fmt: skip
    held = [(value, offset) for value, _, offset in sent if value < 6 or value > 9]
    row = {"topic": "orders", "partition": 0, "leader_epoch": 0}
    write(ledger, "log", *({**row, "value": value, "offset": offset} for value, offset in held))
    write(
        ledger,
        "deliveries",
        *(
            {"consumer": "c", "group": group, "topic": "orders", "partition": 0, "value": value,
             "offset": offset, "time_ns": ns(second), "poll": 0}
            for group, second in (("app", 4.2), ("final", 6.5))
            for value, offset in held
        ),
    )  # fmt: skip
    return ledger
