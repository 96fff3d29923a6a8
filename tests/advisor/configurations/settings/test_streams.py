"""Files of Kafka Streams: which settings of its internal clients count, and in which version."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, assert_file

APPLICATION = "application.id=a\nreplication.factor=3\ntopic.min.insync.replicas=2\n"
ONCE = "processing.guarantee=exactly_once_v2\n"


@pytest.mark.parametrize(("more", "code", "expected"), [
    ("", 0, "YES"),
    # StreamsConfig.getMainConsumerConfigs
    (f"{ONCE}main.consumer.isolation.level=read_uncommitted\n", 2, "overrides what Streams"),
    (f"{ONCE}restore.consumer.isolation.level=read_uncommitted\n", 2, "overrides what Streams"),
    (f"{ONCE}consumer.isolation.level=read_uncommitted\n", 0, "YES"),
    (f"{ONCE}main.consumer.isolation.level=read_committed\n", 0, "YES"),
    ("main.consumer.enable.auto.commit=true\n", 0, "YES"),
    ("consumer.enable.auto.commit=true\n", 0, "YES"),
])  # fmt: skip
def test_the_consumers_of_an_application_may_have_separate_settings(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    file = tmp_path / "streams.properties"
    assert_file(file, APPLICATION + more, "", TOPIC, code, expected)


@pytest.mark.parametrize(("version", "code", "expected"), [
    ("4.1", 2, "commits records that are not processed"), ("4.2", 0, "YES"),
])  # fmt: skip
def test_streams_commits_by_itself_since_4_2(
    tmp_path: Path, version: str, code: int, expected: str
) -> None:
    text = f"{APPLICATION}main.consumer.enable.auto.commit=true\n"
    options = f"--client-version {version}"
    assert_file(tmp_path / "streams.properties", text, options, TOPIC, code, expected)


PUSH = "enable.metrics.push"


@pytest.mark.parametrize("name", [f"consumer.{PUSH}", f"main.consumer.{PUSH}", f"admin.{PUSH}"])
@pytest.mark.parametrize(("text", "version", "code", "expected"), [
    ("true", "3.9", 0, "YES"),
    ("true", "4.0", 2, "takes no text for it"),
    ("yes", "3.9", 2, "must be true or false"),
])  # fmt: skip
def test_streams_refuses_text_for_a_boolean_that_it_reads_itself(
    tmp_path: Path, name: str, text: str, version: str, code: int, expected: str
) -> None:
    file, options = tmp_path / "streams.properties", f"--client-version {version}"
    assert_file(file, f"{APPLICATION}{name}={text}\n", options, TOPIC, code, expected)


@pytest.mark.parametrize(("more", "code", "expected"), [
    ("restore.consumer.enable.metrics.push=yes\n", 2, "must be true or false"),
    ("restore.consumer.fetch.max.wait.ms=-1\n", 2, "fetch.max.wait.ms must be"),
    ("admin.request.timeout.ms=soon\n", 2, "request.timeout.ms must be"),
    ("admin.request.timeout.ms=10\n", 2, "no request is answered in that time"),
    ("admin.request.timeout.ms=11\n", 0, "YES"),
    ("restore.consumer.request.timeout.ms=1\n", 2, "internal topics are not created or read"),
    ("restore.consumer.fetch.max.wait.ms=100\n", 0, "YES"),
    ("restore.consumer.fetch.max.wait.ms=${WAIT}\n", 0, "YES"),
    ("admin.retries=soon\nrestore.consumer.of.ours=1\n", 0, "YES"),
    ("global.consumer.enable.metrics.push=yes\n", 0, "YES"),
    ("enable.metrics.push=true\nproducer.enable.metrics.push=true\n", 0, "YES"),
])  # fmt: skip
def test_values_of_the_internal_clients_are_validated(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "streams.properties", APPLICATION + more, "", TOPIC, code, expected)


def test_a_version_applies_to_the_client_of_the_file(tmp_path: Path) -> None:
    text = f"{APPLICATION}processing.guarantee=exactly_once\n"
    file, last = tmp_path / "streams.properties", "3.9 is the last version with this value"
    assert_file(file, text, "--client-version 3.9", TOPIC, 0, "^YES.*streams 3.9")
    assert_file(file, text, "--client-version 4.0", TOPIC, 2, last)
    assert_file(file, text, "", TOPIC, 2, last)


HANDLER = "deserialization.exception.handler"
CONTINUES, FAILS = (
    f"org.apache.kafka.streams.errors.LogAnd{name}ExceptionHandler" for name in ("Continue", "Fail")
)


@pytest.mark.parametrize(("older", "newer", "code"), [(CONTINUES, FAILS, 0), (FAILS, CONTINUES, 1)])
@pytest.mark.parametrize("in_file", [True, False])
def test_a_new_setting_name_overrides_the_old_one_wherever_it_is(
    tmp_path: Path, older: str, newer: str, code: int, in_file: bool
) -> None:
    """StreamsConfig, deserializationExceptionHandler (KIP-1056)."""
    line = f"{HANDLER}={newer}\n"
    file, rest = tmp_path / "streams.properties", f"{TOPIC} streams.default.{HANDLER}={older}"
    text = APPLICATION + (line if in_file else "")
    rest = rest if in_file else f"{TOPIC} streams.{line.strip()} {rest}"
    assert_file(file, text, "", rest, code, "NO" if code else "YES")


@pytest.mark.parametrize(("more", "stated", "code", "expected"), [
    ("restore.consumer.isolation.level=read_uncommitted\n", "", 0, "YES"),
    ("global.consumer.isolation.level=read_uncommitted\n", "", 0, "YES"),
    ("main.consumer.isolation.level=read_uncommitted\n", "", 0, "YES"),
    ("restore.consumer.isolation.level=read_uncommitted\n",
     "streams.processing.guarantee=exactly_once_v2", 2, "reads aborted records"),
    ("main.consumer.isolation.level=read_uncommitted\n",
     "streams.processing.guarantee=exactly_once_v2", 2, "reads aborted records"),
])  # fmt: skip
def test_a_consumer_reads_aborted_records_only_with_exactly_once(
    tmp_path: Path, more: str, stated: str, code: int, expected: str
) -> None:
    """Without exactly-once the default of StreamsConfig is read_uncommitted."""
    file = tmp_path / "streams.properties"
    assert_file(file, APPLICATION + more, "", f"{TOPIC} {stated}", code, expected)


LONG_COMMIT = f"{ONCE}commit.interval.ms=15000\n"
TIMEOUT = "transaction.timeout.ms"


@pytest.mark.parametrize(("more", "version", "code", "expected"), [
    # seen with 4.3.1: it compares the default, 10 s, unless the name has the prefix
    (f"{LONG_COMMIT}{TIMEOUT}=20000\n", "4.3", 2, f":6: .*State {TIMEOUT} with that prefix"),
    (f"{LONG_COMMIT}{TIMEOUT}=15000\n", "3.0", 2, "timeout 10000 was set lower than .* 15000"),
    (f"{LONG_COMMIT}{TIMEOUT}=20000\n", "2.8", 0, "YES"),
    (f"{LONG_COMMIT}producer.{TIMEOUT}=20000\n", "4.3", 0, "YES"),
    (f"{LONG_COMMIT}{TIMEOUT}=20000\nproducer.{TIMEOUT}=15000\n", "4.3", 0, "YES"),
    (f"{LONG_COMMIT}producer.{TIMEOUT}=14999\n", "4.3", 2, "timeout 14999 was set lower"),
    (f"{ONCE}commit.interval.ms=10000\n{TIMEOUT}=20000\n", "4.3", 0, "YES"),
    (f"commit.interval.ms=15000\n{TIMEOUT}=20000\n", "4.3", 0, "YES"),
])  # fmt: skip
def test_the_transaction_timeout_needs_its_prefix_for_a_long_commit_interval(
    tmp_path: Path, more: str, version: str, code: int, expected: str
) -> None:
    """StreamsConfig, verifyEOSTransactionTimeoutCompatibility."""
    more = more.replace("_v2", "_beta") if version == "2.8" else more
    options = f"--client-version {version}"
    assert_file(tmp_path / "streams.properties", APPLICATION + more, options, TOPIC, code, expected)


SPRING = """spring.kafka.streams:
  application-id: a
  replication-factor: 3
  properties:
    processing.guarantee: exactly_once_v2
    commit.interval.ms: 15000
    topic.min.insync.replicas: 2
    {}transaction.timeout.ms: 20000
"""


def test_the_prefix_is_also_needed_in_a_spring_file(tmp_path: Path) -> None:
    file = tmp_path / "application.yml"
    assert_file(file, SPRING.format(""), "", TOPIC, 2, "with that prefix")
    assert_file(file, SPRING.format("producer."), "", TOPIC, 0, "YES")


def test_a_producer_file_next_to_the_application_needs_no_prefix(tmp_path: Path) -> None:
    (tmp_path / "s").write_text(f"{APPLICATION}{LONG_COMMIT}")
    (tmp_path / "p").write_text(f"{TIMEOUT}=20000\n")
    assert_answer(f"--streams {tmp_path}/s --producer {tmp_path}/p", TOPIC, 0, "YES")


@pytest.mark.parametrize(("more", "code", "expected"), [
    # StreamsConfig, NON_CONFIGURABLE_PRODUCER_EOS_CONFIGS; seen with 4.3.1
    ("transactional.id=x\n", 2, "transactional.id: without exactly-once .* each send of a transa"),
    ("producer.transactional.id=x\n", 2, "producer.transactional.id: without exactly-once"),
    (f"{ONCE}transactional.id=x\n", 0, "YES.* transactional.id does not count: with exactly-once"),
    (f"producer.transactional.id=x\n{ONCE}", 0, "YES"),
    # KafkaStreams.parseHostInfo
    ("application.server=a\n", 2, "Expected format host:port"),
    ("application.server=a:x\n", 2, "Expected format host:port"),
    ("application.server=a:1\n", 0, "YES"),
    ("application.server=[::1]:1\n", 0, "YES"),
    ("application.server=${POD}:80\n", 0, "YES"),
    ("application.server=\n", 0, "YES"),
])  # fmt: skip
def test_settings_with_which_an_application_does_not_start_or_send_are_refused(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "streams.properties", APPLICATION + more, "", TOPIC, code, expected)
