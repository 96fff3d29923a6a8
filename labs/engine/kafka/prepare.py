"""Everything that a first cluster would otherwise wait for: `python -m labs.engine.kafka.prepare`.

Calling it is never needed, only kind: each part is made when it is first asked for.
"""

from __future__ import annotations

import sys

from labs.engine.kafka import distribution, ivy
from labs.engine.kafka.java import find_java
from labs.engine.kafka.jvm import archive_options
from labs.engine.kafka.storage import checkpoint


def prepare(progress: ivy.Progress) -> None:
    """Jars, the connector's jars, formatted storage and the class archive; quick if all is there.

    Raises what these raise: `java.JavaMissing`, `ivy.DownloadFailed`,
    `distribution.WrongChecksum`, `storage.FormatFailed`.
    """
    java = find_java()
    kafka = distribution.kafka(progress=progress)
    distribution.spark_connector(progress)
    progress(f"preparing Kafka {kafka.version} for Java {java.version}: storage, class archive")
    checkpoint(kafka, java)
    archive_options(kafka, java)


if __name__ == "__main__":
    prepare(lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201
