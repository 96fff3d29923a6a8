"""What a sample tells a page while the arm runs: of partition 0, and only what could be seen."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pyarrow.parquet as pq

from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.nodes import Layout
from labs.engine.protocol.topics import PartitionState
from labs.engine.record.telemetry import Sampler

LIMIT_S = 20


Rates = tuple[float, float]
"""Within which one must lie, however slow the machine is."""


def shown(tmp_path: Path, *led: PartitionState) -> tuple[dict[str, Any], Rates]:
    """The fourth sample of brokers of which none answers, and none has a log; and how many messages
    a second were acknowledged since the first one."""
    broker = SimpleNamespace(id=1, state="dead", data=tmp_path / "none", port=1)
    cluster = SimpleNamespace(
        layout=Layout(1), brokers={1: broker}, states=lambda: {1: "dead"},
        describe=lambda topic, limit_s: list(led),
    )  # fmt: skip
    samples: list[dict[str, Any]] = []
    asked: list[float] = []
    answered: list[float] = []
    seen = Event()

    def counters() -> dict[str, int]:
        """25 messages more each time."""
        asked.append(time.monotonic())
        sent = 25 * len(asked)
        return {"sent": sent, "acknowledged": sent, "failed": 0, "delivered": 0}

    def show(sample: dict[str, Any]) -> None:
        answered.append(time.monotonic())
        samples.append(sample)
        if len(samples) == 4:
            seen.set()

    sampler = Sampler(cast(Cluster, cluster), "orders", "app", counters, tmp_path, show)
    sampler.start()
    assert seen.wait(LIMIT_S), "no four samples came"
    sampler.stop()
    # A sample is of a moment between the two.
    longest, shortest = answered[3] - asked[0], asked[3] - answered[0]
    return samples[3], (75 / longest - 1, 75 / shortest + 1)


def test_it_tells_who_leads_and_how_fast_it_goes(tmp_path: Path) -> None:
    one, (least, most) = shown(
        tmp_path, PartitionState(0, 2, (1, 2), None, 3), PartitionState(1, 1, (1,), None, 0)
    )
    assert (one["leader"], one["isr"], one["ends"]) == (2, [1, 2], {})
    assert least <= one["acknowledged_per_s"] <= most
    assert one["delivered_per_s"] == 0
    assert not pq.ParquetDataset(tmp_path / "telemetry.parquet").read().num_rows, "no log was seen"


def test_what_nobody_can_say_is_none(tmp_path: Path) -> None:
    one, _ = shown(tmp_path)
    assert (one["leader"], one["isr"], one["high_watermark"], one["committed"]) == (
        None, [], None, None,
    )  # fmt: skip
