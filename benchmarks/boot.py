"""Time to a ready cluster: `python -m benchmarks.boot [--repeat N]`.

One cluster of three and two clusters at once, each with and without the class-data archive, in
turn and within one run, because only their ratio means something on a machine that does other
things too. Medians; jars, prepared storage and archive are in place before the clock starts.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.prepare import prepare
from labs.engine.distributions.distribution import kafka
from labs.engine.distributions.java import find_java


def boot_s(clusters: int, share_classes: bool) -> float:
    """Seconds until `clusters` clusters of three, begun together, are all ready."""
    java, distribution = find_java(), kafka()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        made = [
            Cluster(distribution, java, Path(folder) / str(n), share_classes=share_classes)
            for n in range(clusters)
        ]
        for cluster in made:
            stack.callback(cluster.stop)
        with ThreadPoolExecutor(clusters) as pool:
            begun = time.monotonic()
            list(pool.map(Cluster.start, made))
            return time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    prepare(print)
    print(
        f"{find_java()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, median of {repeat}"
    )
    for clusters in (1, 2):
        timings = [(boot_s(clusters, False), boot_s(clusters, True)) for _ in range(repeat)]
        plain, shared = (statistics.median(column) for column in zip(*timings, strict=True))
        print(
            f"{clusters} × 3 brokers ready: {shared:.2f} s with the class archive, "
            f"{plain:.2f} s without: {plain / shared:.2f} times as fast"
        )


if __name__ == "__main__":
    main()
