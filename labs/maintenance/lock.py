"""Writes a lock: `python -m labs.maintenance.lock kafka 4.3.1` (or `spark-connector 4.2.0`).

`settings 3.9.2` locks the jars for the ConfigDefs of a release (labs.maintenance.products),
`clients` those for the ConfigDefs of its clients, `spark-options 4.1.2` a connector that is read
but never run. `zookeeper 2.8.2` locks brokers that need ZooKeeper, together with ZooKeeper.
`past 3.2.0`, `past-clients 3.1.2` and `past-streams 2.1.0` lock releases that only incidents run.
`tools 4.3.1` locks the jar of Kafka's tools, which is not among the brokers' jars since 4.0, and
`streams` that of Kafka Streams, without RocksDB: runs keep their state in memory.
`spring-boot 4.1.1` and `strimzi 0.49.0` are for tests only.

The tree is resolved once with its POMs, and the SHA-256 of each downloaded jar is recorded. Read
the diff before you commit it.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

from advisor.catalog.versions import at_least
from labs.engine.base.cache import cache_dir, scratch_folder
from labs.engine.distributions.distribution import LOCKS
from labs.engine.distributions.download import MEGABYTE, MOST_MB, Module
from labs.engine.distributions.java import find_java
from labs.maintenance import ivy

ROOTS = {
    "kafka": [("org.apache.kafka", "kafka_2.13", "")],
    "past": [("org.apache.kafka", "kafka_2.13", "")],
    "zookeeper": [("org.apache.kafka", "kafka_2.13", "")],
    "past-clients": [("org.apache.kafka", "kafka-clients", "")],
    "past-streams": [("org.apache.kafka", "kafka-streams", "")],
    # Spark 4.2.0 requires a token provider of its own version, which is not in the repository; the
    # newest there is 4.0.0. All other jars of the tree are in pyspark.
    "spark-connector": [("org.apache.spark", "spark-sql-kafka-0-10_2.13", ""),
                        ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
                        ("org.apache.kafka", "kafka-clients", "3.9.2"),
                        ("org.apache.commons", "commons-pool2", "2.13.1")],
    "spark-options": [("org.apache.spark", "spark-sql-kafka-0-10_2.13", "")],
    "clients": [("org.apache.kafka", "kafka-clients", "")],
    "tools": [("org.apache.kafka", "kafka-tools", "")],
    "streams": [("org.apache.kafka", "kafka-streams", "")],
    # Tests read our exports with them, and compare Spring with our parsers; they are never run.
    "spring-boot": [("org.springframework.boot", "spring-boot", ""),
                    ("org.springframework.boot", "spring-boot-kafka", ""),
                    *[("org.springframework", f"spring-{module}", "7.0.9")
                      for module in ("beans", "context", "core")],
                    ("org.springframework.kafka", "spring-kafka", "4.1.1"),
                    ("commons-logging", "commons-logging", "1.3.5")],
    "strimzi": [("io.strimzi", "api", ""),
                *[("io.fabric8", f"kubernetes-{module}", "7.4.0")
                  for module in ("client-api", "model-common", "model-core", "model-networking")]],
    "settings": [("org.apache.kafka", "kafka_2.13", ""), ("org.apache.kafka", "kafka-streams", "")],
}  # fmt: skip

# Brokers older than Java 9, which removed the second of these modules.
_FIRST_2_13 = "2.4"
_JAVA_8_ROOTS = [("org.apache.kafka", "kafka_2.12", ""), ("javax.xml.bind", "jaxb-api", "2.3.1")]

# The tree of a broker has log4j 2 but no binding for slf4j 1.7, and before 4.0 no logger at all:
# without these jars a broker logs nothing. A name in braces is replaced by that jar's release.
_LOGGING = {
    "log4j-core": [("org.apache.logging.log4j", "log4j-slf4j-impl", "{log4j-core}")],
    "slf4j-api": [("org.slf4j", "slf4j-reload4j", "{slf4j-api}"),
                  ("ch.qos.reload4j", "reload4j", "1.2.26")],
}  # fmt: skip
_HAS_LOGGING = "slf4j-log4j12"
"""The tree of a broker before 2.1 has this logger."""

_ZOOKEEPER, _NOT_ON_JAVA_17, _ON_JAVA_17 = "zookeeper", "3.4.13", "3.4.10"
"""Since Java 14 an unresolved address is printed in another format, which the client of the first
release cannot parse: brokers 2.1 and 2.2 do not find their ZooKeeper (ZOOKEEPER-3779). The second
release has the same interface and replaces it."""
_FIRST_RELOAD4J = "1.7.36"

_RUN = ("kafka", "zookeeper", "past", "past-clients", "past-streams")
_TREES = (*_RUN, "settings")
# The other jars of these trees come from the newest Kafka, or are not needed to read a ConfigDef.
_INCLUDED = {"settings": re.compile(r"org\.apache\.(kafka:kafka[-_]|zookeeper:)")}


def main(product: str, version: str) -> None:
    """Resolves the jars of a product and writes `locks/<product>-<version>.txt`."""
    is_old = product == "past" and not at_least(version, _FIRST_2_13)
    modules = _JAVA_8_ROOTS if is_old else ROOTS[product]
    roots = [(group, artifact, stated or version) for group, artifact, stated in modules]
    rows = _resolve(roots, transitive=product in _TREES)
    if incompatible := next(
        (row for row in rows if row[1:3] == (_ZOOKEEPER, _NOT_ON_JAVA_17)), None
    ):
        rows.remove(incompatible)
        rows += _resolve([(incompatible[0], _ZOOKEEPER, _ON_JAVA_17)], transitive=False)
    if product in _RUN:
        revisions = {f"{{{artifact}}}": revision for _, artifact, revision, *_ in rows}
        if f"{{{_HAS_LOGGING}}}" not in revisions:
            logging = next(logger for jar, logger in _LOGGING.items() if f"{{{jar}}}" in revisions)
            rows += _resolve([(g, a, _bound(revisions.get(rev, rev))) for g, a, rev in logging],
                             transitive=False)  # fmt: skip
    if product in _INCLUDED:
        rows = [row for row in rows if _INCLUDED[product].match(f"{row[0]}:{row[1]}:")]
    size = sum(row[4] for row in rows) // MEGABYTE
    if size > MOST_MB:
        sys.exit(f"{product} {version} has {size} MB; a lock has at most {MOST_MB} MB")
    lines = [f"{group}:{artifact}:{rev} {digest}\n" for group, artifact, rev, digest, _ in rows]
    path = LOCKS / f"{product}-{version}.txt"
    path.write_text("".join(sorted(lines)), "utf-8")
    sys.stdout.write(f"{path}: {len(lines)} jars, {size} MB\n")


def _bound(revision: str) -> str:
    """The release of a logging jar: for older slf4j 1.7, the first with a binding to reload4j."""
    return _FIRST_RELOAD4J if re.fullmatch(r"1\.7\.([0-2]?[0-9]|3[0-4])", revision) else revision


def _resolve(modules: list[Module], transitive: bool) -> list[tuple[str, str, str, str, int]]:
    """Group, artifact, version, SHA-256 and size in bytes of each resolved jar."""
    with scratch_folder(cache_dir() / "lock") as folder:
        ivy.resolve(find_java(), modules, folder, transitive=transitive)
        return [_row(jar) for jar in sorted((folder / "jars").glob("*/*/*/*.jar"))]


def _row(jar: Path) -> tuple[str, str, str, str, int]:
    group, artifact, version = jar.parts[-4:-1]
    content = jar.read_bytes()
    return group, artifact, version, hashlib.sha256(content).hexdigest(), len(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
