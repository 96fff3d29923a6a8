"""Prepares what a first cluster would wait for: jars, storage, class archive.

`python -m labs.engine.cluster.prepare` makes it now. This is never needed: each part is made when
it is first asked for.
"""

from __future__ import annotations

import sys

from labs.engine.cluster.jvm import archive_options, has_archive
from labs.engine.cluster.storage import checkpoint
from labs.engine.distributions import distribution, download
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java, find_java


def prepare(progress: download.Progress) -> None:
    """Prepares the newest Kafka and Spark's connector; quick if that was done before.

    Raises what `prepared` does.
    """
    distribution.spark_connector(progress)
    prepared(distribution.kafka_versions()[0], find_java(), progress)


def prepared(
    version: str, java: Java, progress: download.Progress, *, zookeeper: bool = False
) -> Distribution:
    """A release of Kafka with its jars, formatted storage and class archive in the cache.

    Brokers that have a `zookeeper` need the jars alone.
    `progress` is given plain lines while one of them is made. Raises what these raise:
    `java.JavaMissing`, `download.DownloadFailed`, `distribution.UnknownVersion`,
    `distribution.WrongChecksum`, `storage.FormatFailed`.
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
