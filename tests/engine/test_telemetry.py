"""What a sample tells a page while the arm runs: of partition 0, and only what could be seen."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pyarrow.parquet as pq

from labs.engine.cluster.cluster import Cluster
from labs.engine.protocol.topics import PartitionState
from labs.engine.record.telemetry import Sampler

LIMIT_S = 20


def shown(tmp_path: Path, *led: PartitionState) -> dict[str, Any]:
    """One sample of brokers of which none answers, and none has a log."""
    broker = SimpleNamespace(id=1, state="dead", data=tmp_path / "none", port=1)
    cluster = SimpleNamespace(
        size=1, brokers={1: broker}, states=lambda: {1: "dead"},
        describe=lambda topic, limit_s: list(led),
    )  # fmt: skip
    samples: list[dict[str, Any]] = []
    seen = Event()
    began = time.monotonic()

    def counters() -> dict[str, int]:
        """100 messages a second."""
        sent = int(100 * (time.monotonic() - began))
        return {"sent": sent, "acknowledged": sent, "failed": 0, "delivered": 0}

    def show(sample: dict[str, Any]) -> None:
        samples.append(sample)
        if len(samples) == 4:
            seen.set()

    sampler = Sampler(cast(Cluster, cluster), "orders", "app", counters, tmp_path, show)
    sampler.start()
    assert seen.wait(LIMIT_S), "no four samples came"
    sampler.stop()
    return samples[3]


def test_it_tells_who_leads_and_how_fast_it_goes(tmp_path: Path) -> None:
    one = shown(
        tmp_path, PartitionState(0, 2, (1, 2), None, 3), PartitionState(1, 1, (1,), None, 0)
    )
    assert (one["leader"], one["isr"], one["ends"]) == (2, [1, 2], {})
    assert 50 < one["acknowledged_per_s"] < 200
    assert one["delivered_per_s"] == 0
    assert not pq.ParquetDataset(tmp_path / "telemetry.parquet").read().num_rows, "no log was seen"


def test_what_nobody_can_say_is_none(tmp_path: Path) -> None:
    one = shown(tmp_path)
    assert (one["leader"], one["isr"], one["high_watermark"], one["committed"]) == (
        None, [], None, None,
    )  # fmt: skip
