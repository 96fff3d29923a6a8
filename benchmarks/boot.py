"""Time to a ready cluster: `python -m benchmarks.boot [--repeat N]`.

Boots one cluster of three brokers and two clusters in parallel, each with and without the
class-data archive, alternating within one run: on a machine that also does other things only their
ratio means something. Prints medians. Jars, formatted storage and the archive are prepared before
the clock starts.
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
    """Seconds until `clusters` clusters of three, started together, are all ready."""
    java, distribution = find_java(), kafka()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        booting = [
            Cluster(distribution, java, Path(folder) / str(n), share_classes=share_classes)
            for n in range(clusters)
        ]
        for cluster in booting:
            stack.callback(cluster.stop)
        with ThreadPoolExecutor(clusters) as pool:
            began = time.monotonic()
            list(pool.map(Cluster.start, booting))
            return time.monotonic() - began


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
        unshared, shared = (statistics.median(column) for column in zip(*timings, strict=True))
        print(
            f"{clusters} × 3 brokers ready: {shared:.2f} s with the class archive, "
            f"{unshared:.2f} s without: {unshared / shared:.2f} times as fast"
        )


if __name__ == "__main__":
    main()
