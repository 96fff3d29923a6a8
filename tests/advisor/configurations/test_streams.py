"""Files of Kafka Streams: what counts of a client of its own, and in which version."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

APPLICATION = "application.id=a\nreplication.factor=3\ntopic.min.insync.replicas=2\n"
ONCE = "processing.guarantee=exactly_once_v2\n"


@pytest.mark.parametrize(("more", "code", "expected"), [
    ("", 0, "YES"),
    # StreamsConfig.getMainConsumerConfigs
    (f"{ONCE}main.consumer.isolation.level=read_uncommitted\n", 2, "goes before what Streams"),
    (f"{ONCE}restore.consumer.isolation.level=read_uncommitted\n", 2, "goes before what Streams"),
    (f"{ONCE}consumer.isolation.level=read_uncommitted\n", 0, "YES"),
    (f"{ONCE}main.consumer.isolation.level=read_committed\n", 0, "YES"),
    ("main.consumer.enable.auto.commit=true\n", 0, "YES"),
    ("consumer.enable.auto.commit=true\n", 0, "YES"),
])  # fmt: skip
def test_a_consumer_of_an_application_has_settings_of_its_own(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    file = tmp_path / "streams.properties"
    assert_file(file, APPLICATION + more, "", TOPIC, code, expected)


@pytest.mark.parametrize(("version", "code", "expected"), [
    ("4.1", 2, "commits what is not processed yet"), ("4.2", 0, "YES"),
])  # fmt: skip
def test_streams_commits_by_itself_since_4_2(
    tmp_path: Path, version: str, code: int, expected: str
) -> None:
    text = f"{APPLICATION}main.consumer.enable.auto.commit=true\n"
    options = f"--client-version {version}"
    assert_file(tmp_path / "streams.properties", text, options, TOPIC, code, expected)


def test_a_version_is_that_of_the_client_of_the_file(tmp_path: Path) -> None:
    text = f"{APPLICATION}processing.guarantee=exactly_once\n"
    file, last = tmp_path / "streams.properties", "3.9 is the last version with this value"
    assert_file(file, text, "--client-version 3.9", TOPIC, 0, "^YES.*streams 3.9")
    assert_file(file, text, "--client-version 4.0", TOPIC, 2, last)
    assert_file(file, text, "", TOPIC, 2, last)


HANDLER = "deserialization.exception.handler"
GOES_ON, FAILS = (
    f"org.apache.kafka.streams.errors.LogAnd{it}ExceptionHandler" for it in ("Continue", "Fail")
)


@pytest.mark.parametrize(("older", "newer", "code"), [(GOES_ON, FAILS, 0), (FAILS, GOES_ON, 1)])
@pytest.mark.parametrize("in_file", [True, False])
def test_a_new_name_counts_wherever_the_old_one_stands(
    tmp_path: Path, older: str, newer: str, code: int, in_file: bool
) -> None:
    """StreamsConfig, deserializationExceptionHandler (KIP-1056)."""
    line = f"{HANDLER}={newer}\n"
    file, rest = tmp_path / "streams.properties", f"{TOPIC} streams.default.{HANDLER}={older}"
    text = APPLICATION + (line if in_file else "")
    rest = rest if in_file else f"{TOPIC} streams.{line.strip()} {rest}"
    assert_file(file, text, "", rest, code, "NO" if code else "YES")
