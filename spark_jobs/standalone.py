"""A small standalone cluster in the driver's own JVM: a master, and a worker on each address.

Spark tries a slow task again on another host only (TaskSetManager.hasAttemptOnHost), never in
local mode, and its own `local-cluster` is one host. So it is started here as that is
(LocalSparkCluster.scala), but with an address for each worker; Linux has all of 127.0.0.0/8. Only
an executor is a process of its own. It is beneath the driver's JVM, and in its process group.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark import SparkConf, SparkContext

_CORES = 1
_MEMORY_MB = 512
"""Of each worker, and all of it is its one executor's."""

_ANY_PORT = 0


def start(conf: Mapping[str, str], workers: Sequence[str]) -> dict[str, str]:
    """Starts the driver's JVM as `conf` has it, and the cluster in it.

    Returns what a session must be told to run on it. What executors put on a disk is in the
    JVM's temporary folder.
    """
    # Nothing public starts a JVM before there is a session.
    SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll([*conf.items()]))
    jvm: Any = SparkContext._jvm
    gateway: Any = SparkContext._gateway
    ours = jvm.org.apache.spark.SparkConf().set("spark.master.rest.enabled", "false")
    url = _master(jvm, conf["spark.driver.host"], ours)
    masters = gateway.new_array(jvm.java.lang.String, 1)
    masters[0] = url
    folder = str(jvm.java.lang.System.getProperty("java.io.tmpdir"))
    for number, host in enumerate(workers, 1):
        jvm.org.apache.spark.deploy.worker.Worker.startRpcEnvAndEndpoint(
            host, _ANY_PORT, _ANY_PORT, _CORES, _MEMORY_MB, masters, f"{folder}/work",
            jvm.scala.Some(number), ours, jvm.scala.Option.empty(),
        )  # fmt: skip
    temporary = json.dumps(f"-Djava.io.tmpdir={folder}", ensure_ascii=False)
    return {
        "spark.master": url,
        # A session begins to work when it has all of them, or after 30 s.
        "spark.cores.max": str(_CORES * len(workers)),
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.executor.memory": f"{_MEMORY_MB}m",
        "spark.executor.extraJavaOptions": f"{conf['spark.driver.extraJavaOptions']} {temporary}",
    }


def _master(jvm: Any, host: str, conf: Any) -> str:
    """Starts one; returns its URL."""
    master = jvm.org.apache.spark.deploy.master.Master
    started = master.startRpcEnvAndEndpoint(host, _ANY_PORT, _ANY_PORT, conf)
    return f"spark://{started._1().address().hostPort()}"
