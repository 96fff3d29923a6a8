"""A small standalone cluster in the driver's JVM: a master, and a worker on each address.

Spark starts a speculative attempt only on another host (TaskSetManager.hasAttemptOnHost), never in
local mode, and its own `local-cluster` is one host. So this cluster is started like that one
(LocalSparkCluster.scala), but each worker has its own address; Linux has all of 127.0.0.0/8. Only
the executors are processes of their own, children of the driver's JVM in its process group.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark import SparkConf, SparkContext

_CORES = 1
_MEMORY_MB = 512
"""The memory of each worker; its single executor gets all of it."""

_ANY_PORT = 0


def start(conf: Mapping[str, str], workers: Sequence[str]) -> dict[str, str]:
    """Starts the driver's JVM with the settings `conf`, and the cluster in it.

    Returns the settings with which a session runs on the cluster. Executors write to the temporary
    folder of the JVM.
    """
    # No public method starts a JVM without a session.
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
        # A session starts its first job when all executors are registered, or after 30 s.
        "spark.cores.max": str(_CORES * len(workers)),
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.executor.memory": f"{_MEMORY_MB}m",
        "spark.executor.extraJavaOptions": f"{conf['spark.driver.extraJavaOptions']} {temporary}",
    }


def _master(jvm: Any, host: str, conf: Any) -> str:
    """Starts a master; returns its URL."""
    master = jvm.org.apache.spark.deploy.master.Master
    started = master.startRpcEnvAndEndpoint(host, _ANY_PORT, _ANY_PORT, conf)
    return f"spark://{started._1().address().hostPort()}"
