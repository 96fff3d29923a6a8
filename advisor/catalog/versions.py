"""Versions: which lines of each product the catalog knows, and how two lines compare.

A line is `major.minor`. Settings and defaults of Kafka and its clients change with lines, not with
patch releases; exceptions are in `releases`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from advisor.catalog.model import Component, Family, Problem, SettingError

# 2.0, 2.6, 2.8, 2.10, 2.12, 2.14 and 2.16 were run and agree in everything that the catalog has
# (docs/decisions/0004); every other line is between two that agree.
_LIBRDKAFKA = tuple(f"2.{minor}" for minor in range(16, -1, -1))

_KAFKA = (
    "4.3", "4.2", "4.1", "4.0", "3.9", "3.8", "3.7", "3.6", "3.5", "3.4", "3.3", "3.2", "3.1",
    "3.0", "2.8",
)  # fmt: skip

_LINES: Mapping[Family, tuple[str, ...]] = {
    Family.JAVA: ("4.4", *_KAFKA),
    Family.LIBRDKAFKA: _LIBRDKAFKA,
    Family.SPARK: ("4.2", "4.1", "4.0"),
    # Only lines whose StreamsConfig was read; the clients inside have the same line.
    Family.STREAMS: _KAFKA,
}

SPARK_CLIENT = "3.9"
"""The kafka-clients line in Spark 4.0, 4.1 and 4.2 (POMs of spark-sql-kafka-0-10_2.13)."""

_NUMBERED_AS_KAFKA = ("Kafka", str(Family.JAVA), str(Family.STREAMS))
_VERSION = re.compile(r"([0-9]{1,3}\.[0-9]{1,3})(\.[0-9]{1,3}){0,2}", re.ASCII)


def versions(family: Family) -> tuple[str, ...]:
    """Returns the known client lines of a family, newest first."""
    return _LINES[family]


def kafka_versions() -> tuple[str, ...]:
    """Returns the known broker lines, newest first. Those before 3.3 are assumed to use ZooKeeper:
    KRaft mode is ready for production since 3.3 (KIP-833), and the only mode since 4.0."""
    return _KAFKA


@lru_cache(maxsize=256)
def client_line(family: Family, version: str) -> str:
    """Returns the line of a stated client version (`4.3.1` → `4.3`).

    Differences of a single release from its line are in `releases`. Raises `SettingError` if the
    family has no such line.
    """
    return _line(version, _LINES[family], "version", f"{family} client")


@lru_cache(maxsize=256)
def kafka_line(version: str) -> str:
    """Returns the line of a broker version (`4.3.1` → `4.3`).

    Raises `SettingError` if it is not known.
    """
    return _line(version, _KAFKA, "kafka", "Kafka")


@lru_cache(maxsize=256)
def at_least(line: str, since: str) -> bool:
    """Whether a line is `since` or later; it compares numbers, not text."""
    return _key(line) >= _key(since)


def effective_client(family: Family, line: str) -> str:
    """Returns the line of the client library that runs: Spark contains a Java client."""
    return SPARK_CLIENT if family is Family.SPARK else line


def _line(version: str, lines: tuple[str, ...], field: str, product: str) -> str:
    match = _VERSION.fullmatch(version := version.strip(" "))
    if match and match[1] in lines:
        return match[1]
    listed = f"{lines[0]} to {lines[-1]}" if len(lines) > 1 else lines[0]
    message = f"We know {product} {listed}; {version[:20]!r} is none of them."
    if match and product.startswith(_NUMBERED_AS_KAFKA) and not at_least(match[1], lines[-1]):
        release = f"{version}.0" if match[0].startswith("0.") and not match[2] else version
        message += (
            f" The bugs of that release are on the page of known bugs (/advisories/?version="
            f"{release}), and in `manage.py advisories --version {release}`."
        )
    raise SettingError(Problem(Component.APPLICATION, field, message, suggestion=lines[0]))


def _key(line: str) -> tuple[int, ...]:
    return tuple(int(part) for part in line.split("."))
