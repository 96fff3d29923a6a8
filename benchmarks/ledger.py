"""What the ledger costs the producer: acknowledged messages per second with it and without.

`python -m benchmarks.ledger [--seconds 10] [--repeat 3]` boots three brokers and lets our producer
send as fast as it can (acks=all, idempotent, three replicas, min.insync.replicas=2), alternately
with its complete ledger and without any. Prints a line per run, then the medians and the median
ratio of a pair. If brokers and other processes share the cores, the client's CPU-seconds per
million messages are the steadier measure. Exit code 1 if a ledger lacks a row.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from labs.engine.clients.control import listen
from labs.engine.clients.errors import Outcome
from labs.engine.clients.producer import ProducerConfig, Run
from labs.engine.cluster.cluster import Cluster
from labs.engine.distributions.distribution import kafka
from labs.engine.distributions.java import find_java

_CLIENT: dict[str, str | int | bool] = {
    "acks": "all", "enable.idempotence": True, "linger.ms": 20,
    "queue.buffering.max.messages": 200_000,
}  # fmt: skip
_WARM_UP_S = 2.0


class Unrecorded:
    """Replaces `Sends`: counts the outcomes of attempts, but writes nothing."""

    def __init__(self) -> None:
        self.sent = 0
        self.count: dict[Outcome, int] = {"ok": 0, "fail": 0, "info": 0}

    def __len__(self) -> int:
        return self.sent

    @property
    def open(self) -> int:
        return self.sent - sum(self.count.values())

    def invoke(self, value: int) -> int:
        self.sent += 1
        return self.sent - 1

    def complete(self, attempt: int, outcome: Outcome, *_: Any, **__: Any) -> None:
        self.count[outcome] += 1

    def flush(self) -> None: ...

    def close(self, run_over: bool = False) -> None: ...


class Rate(NamedTuple):
    acknowledged: int
    per_s: float
    cpu_s_a_million: float


def send(config: ProducerConfig, recorded: bool) -> None:
    """The client: runs the producer once, then prints its CPU time."""
    run = Run(config, listen())
    if not recorded:
        run._sends = Unrecorded()  # type: ignore[assignment]
    run.run()
    print(json.dumps({"cpu_s": time.process_time()}), flush=True)


def measured(config: ProducerConfig, recorded: bool, seconds: float) -> Rate:
    """The rate between the end of the warm-up and the stop, from the client's reports."""
    arguments = ["recorded" if recorded else "unrecorded", json.dumps(asdict(config))]
    command = [sys.executable, "-m", "benchmarks.ledger", "--client", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as client:
        output, owner = client.stdout, client.stdin
        if output is None or owner is None:
            raise RuntimeError("the client has no pipes")
        samples: list[tuple[float, int]] = []
        answers: dict[str, Any] = {}
        for line in output:
            answers.update(json.loads(line))
            now = time.monotonic()
            if answers["acknowledged"] and not answers["ended"]:
                samples.append((now, answers["acknowledged"]))
            if samples and now - samples[0][0] > _WARM_UP_S + seconds and not owner.closed:
                owner.close()
    warm = [at for at in samples if at[0] - samples[0][0] >= _WARM_UP_S]
    (began, before), (ended, after) = warm[0], warm[-1]
    rate = (after - before) / (ended - began)
    return Rate(answers["acknowledged"], rate, answers["cpu_s"] / answers["acknowledged"] * 1e6)


def rates(cluster: Cluster, folder: Path, name: str, recorded: bool, seconds: float) -> Rate:
    """One run on its own topic. Raises `SystemExit` if its ledger lacks an acknowledged message."""
    cluster.create_topic(name, 4, 3, {"min.insync.replicas": "2"})
    client = {**_CLIENT, "bootstrap.servers": cluster.bootstrap}
    ledger = folder / name
    config = ProducerConfig(str(ledger), "producer-1", name, 10**9, client)
    rate = measured(config, recorded, seconds)
    rows = pq.ParquetDataset(ledger / "sends.parquet").read(["outcome"]).num_rows if recorded else 0
    print(f"{name:>16}: {rate.per_s:>9,.0f} acknowledged/s, "
          f"{rate.cpu_s_a_million:.2f} CPU-s a million in the client", flush=True)  # fmt: skip
    if recorded and rows < rate.acknowledged:
        raise SystemExit(f"the ledger has {rows:,} rows for {rate.acknowledged:,} messages")
    return rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--client", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        recorded, config = options.client
        return send(ProducerConfig(**json.loads(config)), recorded == "recorded")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, three brokers on the same")
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as scratch:
        folder = Path(scratch)
        with Cluster(kafka(), find_java(), folder / "cluster") as cluster:
            pairs = [
                (rates(cluster, folder, f"without-{n}", False, options.seconds),
                 rates(cluster, folder, f"with-ledger-{n}", True, options.seconds))
                for n in range(options.repeat)
            ]  # fmt: skip
    plain, kept = (
        statistics.median(rate.per_s for rate in column) for column in zip(*pairs, strict=True)
    )
    share = statistics.median(b.per_s / a.per_s for a, b in pairs)
    cost = statistics.median(b.cpu_s_a_million - a.cpu_s_a_million for a, b in pairs)
    print(f"median: {kept:,.0f}/s with the ledger, {plain:,.0f}/s without; of a pair, "
          f"{share:.0%}; the ledger takes {cost:.2f} CPU-s a million")  # fmt: skip
    return None


if __name__ == "__main__":
    main()
