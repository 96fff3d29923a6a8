"""What this machine can carry, from its cores and memory."""

from __future__ import annotations

import os
from pathlib import Path

CLUSTER_BYTES = 3 << 30
"""One disposable cluster: three brokers of about 300 MB each, its clients, and a share of Spark."""


def cores() -> int:
    """The cores that this process may use (cpusets counted, cgroup quotas not)."""
    return len(os.sched_getaffinity(0))


def memory_bytes() -> int:
    """The memory this process may use: the machine's, or its cgroup's (v2) if that is less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdigit() else machine


def clusters_at_once() -> int:
    """One cluster a core and 3 GB, at least one and at most eight.

    Two clusters on 2 cores are ready in 6.8 s (docs/decisions/0001), so the two arms of an
    experiment run side by side there.
    """
    return max(1, min(cores(), memory_bytes() // CLUSTER_BYTES, 8))
