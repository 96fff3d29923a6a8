"""Rebuilds `advisor/catalog/generated/`; the diff shows what the products changed.

Downloads jars that are not in the cache yet: some 20 MB for each release of Kafka.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from advisor.catalog.facts import Raw
from labs.maintenance.products import configdef, librdkafka, releases, spark_options, table
from labs.maintenance.products.gateway import gateway

FACTS = Path(str(files("advisor.catalog"))) / "generated"


def main() -> None:
    """Reads the settings of every release, and writes one file per product."""
    settings: dict[str, dict[str, dict[str, Raw]]] = {product: {} for product in configdef.CLASSES}
    for line in releases.KAFKA:
        report(f"Kafka {releases.release_of(releases.KAFKA[line])}")
        with gateway(releases.class_path(line)) as jvm:
            for product in configdef.CLASSES:
                if configdef.has(jvm, product):
                    settings[product][line] = configdef.settings(jvm, product)
    for product, answers in settings.items():
        examined = {line: releases.release_of(releases.KAFKA[line]) for line in answers}
        write(product, table.text(configdef.CLASSES[product][0], examined, answers))
    write_spark()
    write_librdkafka()


def write_spark() -> None:
    """Reads the options of the Kafka connector of each Spark release, and writes their file."""
    answers = {}
    examined = {line: releases.release_of(lock) for line, lock in releases.SPARK.items()}
    for line, release in examined.items():
        report(f"Spark {release}")
        with gateway(releases.spark_class_path(line)) as jvm:
            answers[line] = spark_options.settings(jvm)
    documentation = spark_options.DOCUMENTATION
    write("spark", table.text(spark_options.SOURCE, examined, answers, documentation))


def write_librdkafka() -> None:
    """Reads the settings of the older librdkafkas and the installed one, and writes their file."""
    examined, answers = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for line in releases.LIBRDKAFKA:
            examined[line], text = releases.older_table(line, Path(folder))
            report(f"librdkafka {examined[line]}")
            answers[line] = librdkafka.settings(text)
    version, text = releases.installed_table()
    line = version.rpartition(".")[0]
    examined[line], answers[line] = version, librdkafka.settings(text)
    write("librdkafka", table.text("rd_kafka_conf_properties_show", examined, answers))


def write(product: str, text: str) -> None:
    """Writes the file of one product."""
    path = FACTS / f"{product}.jsonl"
    path.write_text(text, "utf-8")
    report(f"{path.name}: {sum(1 for _ in path.open()) - 1} settings")


def report(text: str) -> None:
    """Prints a line of progress."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
