"""Prepares the files that a first cluster would wait for: jars, storage, class archive.

`python -m labs.engine.cluster.prepare` creates them now. This is optional: each file is created
when it is first needed.
"""

from __future__ import annotations

import sys

from labs.engine.cluster.jvm import archive_options, has_archive
from labs.engine.cluster.storage import checkpoint
from labs.engine.distributions import distribution, download
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java, find_java


def prepare(progress: download.Progress) -> None:
    """Prepares the newest Kafka and Spark's connector; quick if they are already prepared.

    Raises the errors of `prepared`.
    """
    distribution.spark_connector(progress)
    prepared(distribution.kafka_versions()[0], find_java(), progress)


def prepared(
    version: str, java: Java, progress: download.Progress, *, zookeeper: bool = False
) -> Distribution:
    """Returns a release of Kafka with jars, formatted storage and class archive in the cache.

    Brokers with a `zookeeper` need only the jars. `progress` receives plain lines while a file is
    created. Raises `java.JavaMissing`, `download.DownloadFailed`, `distribution.UnknownVersion`,
    `distribution.WrongChecksum` and `storage.FormatFailed`.
    """
    kafka = distribution.kafka(version, progress)
    if zookeeper:
        return kafka
    if not has_archive(kafka, java):
        progress(f"preparing Kafka {version} for Java {java.version}: storage, class archive")
    checkpoint(kafka, java)
    archive_options(kafka, java)
    return kafka


if __name__ == "__main__":
    prepare(lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201
