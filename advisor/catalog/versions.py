"""Versions: which lines of each product the catalog knows, and how two lines compare.

A line is `major.minor`; settings and defaults of Kafka and its clients change with lines, not
with patch releases (an exception is named where it matters).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from advisor.catalog.model import Component, Family, Problem, SettingError

# 2.0, 2.6, 2.8, 2.10, 2.12, 2.14 and 2.16 were run and agree in everything that the catalog holds
# (docs/decisions/0004); the lines between lie between two that agree.
_LIBRDKAFKA = tuple(f"2.{minor}" for minor in range(16, -1, -1))

_KAFKA = (
    "4.3", "4.2", "4.1", "4.0", "3.9", "3.8", "3.7", "3.6", "3.5", "3.4", "3.3", "3.2", "3.1",
    "3.0", "2.8",
)  # fmt: skip

_LINES: Mapping[Family, tuple[str, ...]] = {
    Family.JAVA: ("4.4", *_KAFKA),
    Family.LIBRDKAFKA: _LIBRDKAFKA,
    Family.SPARK: ("4.2", "4.1", "4.0"),
    # Only those whose StreamsConfig was read; the clients inside are of the same line.
    Family.STREAMS: _KAFKA,
}

SPARK_CLIENT = "3.9"
"""The kafka-clients line in Spark 4.0, 4.1 and 4.2 (POMs of spark-sql-kafka-0-10_2.13)."""

_NUMBERED_AS_KAFKA = ("Kafka", str(Family.JAVA), str(Family.STREAMS))
_VERSION = re.compile(r"([0-9]{1,3}\.[0-9]{1,3})(\.[0-9]{1,3}){0,2}", re.ASCII)


def versions(family: Family) -> tuple[str, ...]:
    """The client lines known for a family, newest first."""
    return _LINES[family]


def kafka_versions() -> tuple[str, ...]:
    """The broker lines known, newest first. Those before 3.3 are taken to have ZooKeeper: KRaft
    mode is for production since then (KIP-833), and the only mode since 4.0."""
    return _KAFKA


@lru_cache(maxsize=256)
def client_line(family: Family, version: str) -> str:
    """The line of a client version that a person gave (`4.3.1` → `4.3`).

    Differences of a single release from its line are in `releases`. Raises `SettingError` if the
    family has no such line.
    """
    return _line(version, _LINES[family], "version", f"{family} client")


@lru_cache(maxsize=256)
def kafka_line(version: str) -> str:
    """The line of a broker version (`4.3.1` → `4.3`); `SettingError` if it is not known."""
    return _line(version, _KAFKA, "kafka", "Kafka")


@lru_cache(maxsize=256)
def at_least(line: str, since: str) -> bool:
    """Whether a line is the other one or later; numbers compare, not text."""
    return _key(line) >= _key(since)


def effective_client(family: Family, line: str) -> str:
    """The line of the client library that really runs: Spark brings a Java client along."""
    return SPARK_CLIENT if family is Family.SPARK else line


def _line(version: str, names: tuple[str, ...], name: str, what: str) -> str:
    match = _VERSION.fullmatch(version := version.strip(" "))
    if match and match[1] in names:
        return match[1]
    listed = f"{names[0]} to {names[-1]}" if len(names) > 1 else names[0]
    message = f"We know {what} {listed}; {version[:20]!r} is none of them."
    if match and what.startswith(_NUMBERED_AS_KAFKA) and not at_least(match[1], names[-1]):
        named = f"{version}.0" if match[0].startswith("0.") and not match[2] else version
        message += (
            f" Which bugs that release has is on the page of known bugs (/advisories/?version="
            f"{named}), and in `manage.py advisories --version {named}`."
        )
    raise SettingError(Problem(Component.APPLICATION, name, message, suggestion=names[0]))


def _key(line: str) -> tuple[int, ...]:
    return tuple(int(part) for part in line.split("."))
