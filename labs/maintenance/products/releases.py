"""The releases whose settings are read, and how they are fetched.

Kafka's jars are locked in labs/engine/distributions/locks and fetched like those of the brokers.
The older librdkafkas are in wheels of confluent-kafka, locked here and fetched by pip.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Mapping
from ctypes import CDLL
from importlib.metadata import files
from pathlib import Path

from labs.engine.distributions.distribution import install, kafka, spark_connector
from labs.engine.distributions.spark_java import pyspark_jars
from labs.maintenance.products import librdkafka

KAFKA: Mapping[str, str] = {
    "2.8": "settings-2.8.2", "3.0": "settings-3.0.2", "3.1": "settings-3.1.2",
    "3.2": "settings-3.2.3", "3.3": "settings-3.3.2", "3.4": "settings-3.4.1",
    "3.5": "settings-3.5.2", "3.6": "settings-3.6.2", "3.7": "settings-3.7.2",
    "3.8": "settings-3.8.1", "3.9": "settings-3.9.2", "4.0": "settings-4.0.2",
    "4.1": "settings-4.1.2", "4.2": "settings-4.2.1", "4.3": "settings-4.3.1",
    "4.4": "clients-4.4.0",
}  # fmt: skip
"""Line → lock. The catalog has no brokers of 4.4, so its clients are enough."""

SPARK: Mapping[str, str] = {
    "3.5": "spark-options-3.5.8", "4.0": "spark-options-4.0.2", "4.1": "spark-options-4.1.2",
    "4.2": "spark-connector-4.2.0",
}  # fmt: skip
"""Line of Spark → lock with its Kafka connector."""

LIBRDKAFKA: Mapping[str, tuple[str, str]] = {
    "2.0": ("2.0.2", "69f2582420b5c010b64812c0ff1f391d32fbca2f5783f00b19e9f296bbf70202"),
    "2.8": ("2.8.2", "fd10d521873e7d2f64c7d1bc0ee1fc27434d7bc45e50e8a8abf7e8366e38002a"),
    "2.12": ("2.12.2", "f26e107597cacb28b6d3333942b665dcb5a3838a1bc2d7b979c4486d22320d0f"),
}
"""Line → release of confluent-kafka and SHA-256 of its wheel (CPython 3.11, Linux, x86-64).

The newest line is the installed one. Only the library in the wheel is loaded, so any Python on that
platform can do it.
"""


class WheelMissing(Exception):
    """pip could not fetch a wheel, or its hash differs; the message has the output of pip."""


def class_path(line: str) -> tuple[Path, ...]:
    """The jars of Kafka for a line, and the other libraries of the newest Kafka.

    Loading a ConfigDef needs Scala's library and a few others, which do not affect any setting.
    Raises the errors of `distribution.kafka`.
    """
    others = [jar for jar in kafka().jars if not jar.name.startswith(("kafka-", "kafka_"))]
    return (*install(KAFKA[line]), *others)


def spark_class_path(line: str) -> tuple[Path, ...]:
    """The jars of Spark's connector for a line, and of the installed Spark, which it needs.

    Raises the errors of `distribution.kafka`.
    """
    others = [jar for jar in spark_connector() if not jar.name.startswith("spark-sql-kafka")]
    return (*install(SPARK[line]), *others, *sorted(pyspark_jars().glob("*.jar")))


def release_of(lock: str) -> str:
    """The patch release in a lock's name: `3.9.2`."""
    return lock.rpartition("-")[2]


def installed_table() -> tuple[str, str]:
    """The version of the installed librdkafka, and its table of properties."""
    installed = next(
        file for file in files("confluent-kafka") or () if file.name.startswith("librdkafka")
    )
    library = CDLL(str(installed.locate()))
    return librdkafka.version(library), librdkafka.table(library)


def older_table(line: str, folder: Path) -> tuple[str, str]:
    """The release and the table of an older librdkafka; `folder` is a temporary one.

    It is loaded in a process of its own, because one process cannot safely load two librdkafkas.
    Raises `WheelMissing`.
    """
    release, sha256 = LIBRDKAFKA[line]
    requirements = folder / "wanted.txt"
    requirements.write_text(f"confluent-kafka=={release} --hash=sha256:{sha256}\n")
    pip = subprocess.run(
        [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes",
            "--only-binary=:all:", "--python-version=3.11", "--implementation=cp",
            *(f"--platform=manylinux{tag}_x86_64" for tag in ("2014", "_2_17", "_2_28")),
            "--dest", folder, "--requirement", requirements,
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    if pip.returncode != 0:
        raise WheelMissing(f"confluent-kafka {release}: {pip.stderr.strip()}")
    unpacked = folder / release
    with zipfile.ZipFile(next(folder.glob(f"confluent_kafka-{release}-*.whl"))) as wheel:
        wheel.extractall(unpacked)
    process = subprocess.run(
        [
            sys.executable, "-m", "labs.maintenance.products.librdkafka",
            librdkafka.bundled(unpacked),
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    version, _, table = process.stdout.partition("\n")
    return version, table
