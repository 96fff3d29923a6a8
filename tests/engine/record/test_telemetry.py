"""The samples that a page shows while an arm runs: of partition 0, with unknown values as None."""

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
"""The least and the greatest rate that is possible, however slow the machine is."""


def fourth_sample(tmp_path: Path, *partitions: PartitionState) -> tuple[dict[str, Any], Rates]:
    """The fourth sample of a dead broker without a log, and the rates that it may state.

    Every sample counts 25 more messages than the one before.
    """
    broker = SimpleNamespace(id=1, state="dead", data=tmp_path / "none", port=1)
    cluster = SimpleNamespace(
        layout=Layout(1), brokers={1: broker}, states=lambda: {1: "dead"},
        describe=lambda topic, limit_s: list(partitions),
    )  # fmt: skip
    samples: list[dict[str, Any]] = []
    started_s: list[float] = []
    shown_s: list[float] = []
    four_shown = Event()

    def counters() -> dict[str, int]:
        """25 more messages on each call."""
        started_s.append(time.monotonic())
        sent = 25 * len(started_s)
        return {"sent": sent, "acknowledged": sent, "failed": 0, "delivered": 0}

    def show(sample: dict[str, Any]) -> None:
        shown_s.append(time.monotonic())
        samples.append(sample)
        if len(samples) == 4:
            four_shown.set()

    sampler = Sampler(cast(Cluster, cluster), "orders", "app", counters, tmp_path, show)
    sampler.start()
    assert four_shown.wait(LIMIT_S), "no four samples came"
    sampler.stop()
    # Each sample is taken between these two times.
    longest, shortest = shown_s[3] - started_s[0], started_s[3] - shown_s[0]
    return samples[3], (75 / longest - 1, 75 / shortest + 1)


def test_a_sample_has_the_leader_and_the_rates(tmp_path: Path) -> None:
    sample, (least, most) = fourth_sample(
        tmp_path, PartitionState(0, 2, (1, 2), None, 3), PartitionState(1, 1, (1,), None, 0)
    )
    assert (sample["leader"], sample["isr"], sample["ends"]) == (2, [1, 2], {})
    assert least <= sample["acknowledged_per_s"] <= most
    assert sample["delivered_per_s"] == 0
    assert not pq.ParquetDataset(tmp_path / "telemetry.parquet").read().num_rows, "no log was seen"


def test_unknown_values_are_none(tmp_path: Path) -> None:
    sample, _ = fourth_sample(tmp_path)
    assert (sample["leader"], sample["isr"], sample["high_watermark"], sample["committed"]) == (
        None, [], None, None,
    )  # fmt: skip
