"""Realistic configurations, each with the answer that follows from the products' sources.

Each case has the settings, the exit code, and a pattern of the output. A comment names the source
where the answer depends on one line of a product.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    HASTY,
    JAVA,
    LRK,
    SPARK,
    STREAMS,
    TOPIC,
    C,
    assert_answer,
    given,
)

LONG_OPEN = "producer.transactional.id=a producer.transaction.timeout.ms=900000 "
LONG_OPEN += "consumer.isolation.level=read_committed topic.retention.ms=600000"
LATE_ABORT = "broker.transaction.abort.timed.out.transaction.cleanup.interval.ms=2147483647 "
LATE_ABORT += "streams.processing.guarantee=exactly_once_v2"
HANGING = (
    f"{LATE_ABORT.split()[0]} producer.transactional.id=a consumer.isolation.level=read_committed "
)
HANGING += "producer.enable.idempotence=true"
EXPIRED_IDS = "broker.producer.id.expiration.ms=1000"
ONE_IN_FLIGHT = "producer.max.in.flight.requests.per.connection=1"
UNCHECKED = f"{TOPIC} producer.transactional.id=a consumer.isolation.level=read_committed "
UNCHECKED += "consumer.enable.auto.commit=false consumer.auto.offset.reset=none "
UNCHECKED += (
    "application.commit=in-transaction application.abort=rewinds application.restart=resumes "
)
UNCHECKED += "application.delivery.errors=ignored"

SETTINGS = [
    # a broker session that expires between two heartbeats (KAFKA-19432)
    ("", f"{JAVA} broker.broker.session.timeout.ms=11", 1, "B009 high: .*again and again"),
    ("", f"{JAVA} broker.broker.session.timeout.ms=2000", 1, "session.timeout.ms: 2000 -> 9000"),
    ("", f"{JAVA} broker.broker.session.timeout.ms=3000", 0, "B009 high: .*late heartbeat"),
    ("", f"{JAVA} broker.broker.heartbeat.interval.ms=2000000000", 1, "2000000000 -> 2000 "),
    ("", f"{JAVA} broker.broker.heartbeat.interval.ms=2000000000 "
     "broker.broker.session.timeout.ms=11", 1, "2 changes for at-least-once"),
    ("", f"{JAVA} broker.broker.heartbeat.interval.ms=10000", 1, "1 change for at-least-once"),
    ("--kafka 3.2", f"{JAVA} broker.zookeeper.session.timeout.ms=1000", 0, "YES"),
    # a broker that has forgotten a producer accepts its later batch first (KAFKA-14359)
    ("", f"{C} {EXPIRED_IDS}", 1, "given_up in producer-state-expired"),
    ("--ordering", f"{C} {EXPIRED_IDS} {ONE_IN_FLIGHT}", 0, "YES"),
    ("--ordering", f"{C} {EXPIRED_IDS} application.resend=on-error", 1,
     "reordered in.* producer-sta"),
    ("", f"{C} broker.producer.id.expiration.ms=60000", 0, "YES"),
    (LRK, f"{C} {EXPIRED_IDS} producer.enable.idempotence=true", 1, "OUT_OF_ORDER_SEQUENCE_NUMBER"),
    ("--client spark --ordering", f"{SPARK} {EXPIRED_IDS}", 1, "sent again is then out of order"),
    ("--client streams", f"{STREAMS} {EXPIRED_IDS}", 0, "YES"),
    # a commit reports each failed send; since 3.2 also one that was not queued (KAFKA-9279)
    ("", UNCHECKED, 0, "YES(?!.*A001)"),
    ("", f"{UNCHECKED} producer.delivery.timeout.ms=31000", 0, "YES"),
    ("--client-version 3.1", UNCHECKED, 1, "given_up in delivery-error-ignored"),
    ("", UNCHECKED.replace("=rewinds", "=continues"), 1, "given_up in delivery-error-ignored"),
    (LRK, UNCHECKED.replace("reset=none", "reset=error"), 1, "given_up in .*producer-buffer-full"),
    # no delivery.timeout.ms is long enough for such a linger.ms
    ("", f"{JAVA} producer.linger.ms=9223372036854775807", 1, "linger.ms: 9223372036854775807 ->"),
    ("", f"{JAVA} producer.linger.ms=2147000000", 1, "linger.ms: 2147000000 -> 5"),
    ("", f"{JAVA} producer.linger.ms=100000", 1, "delivery.timeout.ms: 130000 -> 146000"),
    ("", f"{JAVA} producer.delivery.timeout.ms=30006", 1, "no time for a second try"),
    # retention follows the high watermark, even if read_committed consumers are still waiting
    # (UnifiedLog, deletableSegments)
    ("", f"{JAVA} {LONG_OPEN}", 1, "behind a transaction that is left open.*= 900000 [+] 10000"),
    ("", f"{JAVA} {LONG_OPEN} topic.retention.ms=910001", 0, "YES"),
    ("", f"{JAVA} {LONG_OPEN} consumer.isolation.level=read_uncommitted", 0, "YES"),
    ("", f"{JAVA} {HANGING}", 1, "retention.ms: 604800000 -> 4295087294"),
    (LRK, f"{C} {HANGING}", 1, "retention.ms: 604800000 -> 4295087294"),
    ("--client streams", f"{STREAMS} {LATE_ABORT}", 1, "left open.*= 10000 [+] 2147483647"),
    ("--client streams", f"{STREAMS} {LATE_ABORT} streams.processing.guarantee=at_least_once", 0,
     "YES"),
    ("--client spark", f"{SPARK} {LATE_ABORT.split()[0]} application.upstream=transactional "
     "consumer.kafka.isolation.level=read_committed", 1, "a transaction that is left open"),
    # engines whose producers must not wait
    ("--client spark", f"{SPARK} producer.max.block.ms=0", 0, "P009 high: .*fourth time"),
    ("--client streams", f"{STREAMS} producer.max.block.ms=0", 0, "P009 high: .*thread dies"),
    ("", f"{JAVA} producer.max.block.ms=0", 1, "max.block.ms: 0 -> 60000"),
    # rd_kafka_cgrp_session_timeout_check; the Java client refuses it
    (LRK, f"{C} consumer.heartbeat.interval.ms=45000", 0, "C011 high"),
    (LRK, f"{C} consumer.heartbeat.interval.ms=44999", 0, "YES"),
    ("", f"{JAVA} consumer.heartbeat.interval.ms=45000", 2, "Heartbeat must be set lower"),
    # a follower is down, the leader is lost, and the copy is throttled (KIP-73)
    ("", JAVA, 0, "With a throttle below the rate of new records it is never complete"),
    # case of letters, and spellings of booleans (rd_kafka_anyconf_set_prop)
    (LRK, f"{C} producer.acks=ALL producer.enable.idempotence=T", 0, "YES"),
    (LRK, f"{C} consumer.isolation.level=READ_COMMITTED producer.enable.idempotence=1", 0, "YES"),
    ("--want none --ordering", f"{JAVA} producer.acks=1", 1, "^NO: only order is asked for"),
    # a double in librdkafka, and a long in Java
    (LRK, f"{C} producer.linger.ms=0.5 producer.enable.idempotence=true", 0, "YES"),
    (LRK, f"{C} producer.linger.ms=900000.5", 2, "linger.ms must be from 0 to 900000"),
    ("", f"{JAVA} producer.linger.ms=0.5", 2, "linger.ms must be a whole number"),
    (LRK, f"{C} producer.partitioner=RANDOM", 2, "partitioner must be one of"),
    ("", f"{JAVA} producer.acks=ALL", 2, "acks must be one of"),
    ("", f"{JAVA} producer.enable.idempotence=1", 2, "must be true or false"),
    # KAFKA-13598
    ("--ordering --client-version 3.1.0", JAVA, 1, "enable.idempotence: false -> true"),
    ("--ordering --client-version 3.1.1", JAVA, 0, "YES"),
    ("--ordering --client-version 3.0.0", f"{JAVA} producer.enable.idempotence=true", 0, "YES"),
    ("--client streams --ordering --client-version 3.0.0", STREAMS, 1, "P003 high: version=3.0.0"),
    ("--client streams --ordering --client-version 3.0.0",
     f"{STREAMS} streams.processing.guarantee=exactly_once_v2", 0, "YES"),
    # the next attempt of a task sends after records that were already written
    ("--client spark --ordering", SPARK, 0, "YES"),
    ("--client spark --ordering", f"{SPARK} {HASTY}", 1, "31000 -> 120000"),
    ("--client spark --ordering", f"{SPARK} producer.retries=0", 1, "reordered in delivery-time"),
    ("--client streams --ordering", f"{STREAMS} {HASTY}", 1, "reordered in delivery-timeout"),
    ("--client streams", f"{STREAMS} {HASTY}", 0, "sends again what was already written"),
    ("--client streams --ordering", f"{STREAMS} {HASTY} "
     "streams.processing.guarantee=exactly_once_v2", 0, "YES"),
    # --set accepts every setting that a file may have
    ("", f"{JAVA} broker.log.retention.minutes=1", 1, "retention.ms: 60000 -> "),
    ("", f"{JAVA} broker.log.retention.minutes=1 topic.retention.ms=-1", 0, "YES"),
    ("", f"{JAVA} producer.compression.type=lz4", 0, "--set: compression.type is not taken"),
    ("", f"{JAVA} consumer.group.protocol=consumer consumer.partition.assignment.strategy=x", 2,
     "--set: partition.assignment.strategy cannot be set when group.protocol=CONSUMER"),
    ("", f"{JAVA} producer.transaction.two.phase.commit.enable=true producer.transactional.id=a "
     "producer.transaction.timeout.ms=1000", 2, "--set: Cannot set transaction.timeout.ms when"),
    ("", f"{JAVA} producer.ack=1", 2, "Did you mean acks"),
    ("", f"{JAVA} producer.acks=", 2, "there is no value"),
    # offsets in JSON also count as an option; KafkaProducer accepts settings that it never uses
    ("--client spark", TOPIC + ' consumer.startingOffsets={"t":{"0":-2}}', 0, "single partitions"),
    ("--client spark", TOPIC + ' consumer.startingOffsets={"t":{"0":-1}}', 1, "counts as latest"),
    ("--client spark", f"{TOPIC} consumer.startingTimestamp=1", 0, "sets where a new query begin"),
    ("--client spark", f"{SPARK} producer.kafka.transaction.timeout.ms=1000", 0, "YES"),
    ("--client spark", f"{SPARK} producer.compression.type=gzip", 0,
     "compression.type needs the prefix kafka. to have an effect in Spark"),
    # the client version that a release of Spark contains
    ("--client spark --client-version 4.0.0", SPARK, 0, "KAFKA-19012"),
    ("--client spark --client-version 4.2.0", SPARK, 0, "^YES(?!.*KAFKA-19012)"),
    ("", f"{C} topic.replication.factor=2", 0, "can be read: 1 broker [(]"),
    # KafkaConfig.validateValues
    ("", f"{JAVA} broker.replica.lag.time.max.ms=400", 2, "requirement failed: replica.fetch.wait"),
    ("", f"{JAVA} broker.replica.lag.time.max.ms=400 broker.replica.fetch.wait.max.ms=400", 0,
     "YES"),
    ("", f"{JAVA} broker.replica.fetch.wait.max.ms=30001", 2, "requirement failed: replica.socket"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, settings, code, expected)


FILES = [
    ("zookeeper.connect=zk:2181\n", "--kafka 4.3", 2, 'Missing required configuration "process.r'),
    ("zookeeper.connect=zk:2181\n", "", 0, "Kafka 3.9, the newest with ZooKeeper, is assumed"),
    ("zookeeper.connect=zk:2181\n", "--kafka 3.9", 0, "YES"),
    ("zookeeper.connect=zk:2181\nprocess.roles=broker\n", "", 0, "YES"),
    ("log.retention.hours=0\n", "", 2, "requirement failed: log.retention.ms must be unlimited"),
    ("log.retention.hours=0\nlog.retention.ms=604800000\n", "", 0, "YES"),
    ("log.retention.hours=7d\n", "", 2, ":1: log.retention.hours must be a whole number of hours"),
    ("log.retention.ms=7d\n", "", 2, ":1: log.retention.ms must be a whole number from -1 to"),
    ("log.cleanup.policy=none\n", "", 2, ":1: log.cleanup.policy must be one of"),
    # each process validates all values, including those that only the other role uses
    ("process.roles=broker\nmin.insync.replicas=0\n", "", 2, "min.insync.replicas must be from 1"),
    ("process.roles=broker\nmin.insync.replicas=\n", "", 2, "min.insync.replicas is empty"),
    ("process.roles=broker\nmin.insync.replicas=2\n", "", 0, "is not read from a file with"),
]


@pytest.mark.parametrize(("version", "more", "code", "expected"), [
    ("4.3", "", 0, "YES"),
    ("4.2", "topic.retention.ms=60000 topic.retention.bytes=1", 0, "YES"),
    ("4.1", "", 2, "is empty. Since Kafka 4.2 such a topic keeps every record"),
])  # fmt: skip
def test_a_topic_without_a_cleanup_policy_keeps_every_record(
    tmp_path: Path, version: str, more: str, code: int, expected: str
) -> None:
    """KIP-1161; upgrade.md, 4.2."""
    options = f"--kafka {version}"
    assert_answer(options, f"{C} topic.cleanup.policy= {more}", code, expected)
    file = tmp_path / "topic.properties"
    lines = "".join(f"{pair.removeprefix('topic.')}\n" for pair in more.split())
    file.write_text(f"cleanup.policy=\n{lines}")
    assert_answer(f"{options} --topic {file}", C, code, expected)


@pytest.mark.parametrize(("text", "options", "code", "expected"), FILES)
def test_a_broker_file_gets_the_expected_answer(
    tmp_path, text: str, options: str, code: int, expected: str
) -> None:
    file = tmp_path / "server.properties"
    file.write_text(text)
    exit_code, output = given(f"--broker {file} {options}", JAVA)
    assert expected in " ".join(output.split())
    assert exit_code == code, output


def _spring(producer: str, common: str = "") -> str:
    return (
        f"spring:\n  kafka:\n{common}    producer:\n{producer}    consumer:\n"
        "      auto-offset-reset: earliest\n"
    )


_ACKS_1 = "      properties:\n        acks: '1'\n"
_RETRIES = "application.processing.errors=retry application.restart=resumes"
SPRING = [
    # client properties override Spring's names, and these override the common properties
    (_spring(f"{_ACKS_1}      acks: all\n"), 1, "producer.acks: 1 -> all"),
    (_spring(f"      acks: all\n{_ACKS_1}"), 1, "producer.acks: 1 -> all"),
    (_spring("      acks: all\n", "    properties:\n      acks: '1'\n"), 0, "YES"),
    (_spring("      acks: all\n") + "    properties:\n      acks: '1'\n", 0, "YES"),
    (_spring("      acks: ${ACKS}\n"), 2, "is filled in when the application starts. Write"),
    (_spring("      client-id: ${ID}\n"), 0, "not read, so that its default counts here"),
    (_spring("      acks: all\n") + "    listener:\n      ack-mode: TIME\n", 0, "YES"),
    (
        _spring("      acks: all\n") + "    listener:\n      ack-mode: foo\n",
        2,
        "is not one of record",
    ),
]


@pytest.mark.parametrize(("text", "code", "expected"), SPRING)
def test_a_spring_file_gets_the_expected_answer(
    tmp_path, text: str, code: int, expected: str
) -> None:
    file = tmp_path / "application.yml"
    file.write_text(text)
    exit_code, output = given(str(file), f"{TOPIC} {_RETRIES}")
    assert expected in " ".join(output.split())
    assert exit_code == code, output


_QUERY = (
    'q = spark.readStream.format("kafka").option("subscribe", "t"){}.load()\n'
    'q.writeStream.format("kafka").option("checkpointLocation", "s3://b/c"){}.start()\n'
)
_EARLIEST = '.option("startingOffsets", "earliest")'
QUERIES = [
    ("", "", 1, "startingOffsets: latest -> earliest"),
    ('.option("STARTINGoffsets", " Earliest ")', "", 0, "YES"),
    ('.option("startingOffsets", \'{"t":{"0":23}}\')', "", 0, "names single partitions"),
    ('.option("startingOffsets", \'{"t":{"0":23,"1":-1}}\')', "", 1, "it counts as latest"),
    ('.option("startingOffsets", "{")', "", 2, "startingOffsets must be one of"),
    ('.option("startingOffsets", "latest").option("startingTimestamp", "1000")', "", 0,
     "startingOffsets has no effect together with startingTimestamp"),
    # either all partitions or none (KafkaOffsetReaderAdmin), and a time is a number
    ('.option("startingOffsets", "{}")', "", 2, "you must specify all TopicPartitions"),
    ('.option("startingOffsets", \'{"t":{"0":23},"u":{}}\')', "", 2, "specify all TopicPartitions"),
    ('.option("startingOffsetsByTimestamp", "{}")', "", 2, "a time for each partition"),
    ('.option("startingOffsetsByTimestamp", \'{"t":{}}\')', "", 2, "a time for each partition"),
    ('.option("startingOffsetsByTimestamp", \'{"t":{"0":5}}\')', "", 0, "it counts as earliest"),
    ('.option("startingTimestamp", "yesterday")', "", 2, "must be a time in milliseconds"),
    # brokers interpret -1 as the end (KafkaAdminClient, getOffsetFromSpec)
    ('.option("startingTimestamp", "-1")', "", 1, "startingOffsets: latest -> earliest"),
    ('.option("startingOffsetsByTimestamp", \'{"t":{"0":-1}}\')', "", 1, "it counts as latest"),
    # a variable replaces the value before it
    (f'{_EARLIEST}.option("startingOffsets", start)', "", 1, "latest is assumed, which promises"),
    ('.option("startingOffsets", start)', "", 1, "latest is assumed, which promises less"),
    ('.option("startingTimestamp", start)', "", 0, "it counts as earliest"),
    (f'{_EARLIEST}.option("maxOffsetsPerTrigger", most)', "", 0, "is not a plain value: not read"),
    # a name without the prefix kafka. does not reach Kafka's clients
    (_EARLIEST, '.option("acks", "1")', 0, "acks needs the prefix kafka. to have an effect"),
    (_EARLIEST, '.option("kafka.acks", "1")', 1, "producer.acks: 1 -> all"),
    # KafkaSourceProvider, validateGeneralOptions and kafkaParamsForProducer
    (f'{_EARLIEST}.option("kafka.key.deserializer", "x")', "", 2, "is not supported as keys are"),
    (f'{_EARLIEST}.option("kafka.interceptor.classes", "x")', "", 2,
     "Kafka option 'interceptor.classes' is not supported"),
    (f'{_EARLIEST}.option("minOffsetsPerTrigger", "20").option("maxOffsetsPerTrigger", "10")', "",
     2, "The value of minOffsetPerTrigger(20) is higher than the maxOffsetsPerTrigger(10)."),
    (_EARLIEST, '.option("kafka.value.serializer", "x")', 2, "'value.serializer' is not supported"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "sink", "code", "expected"), QUERIES)
def test_a_spark_query_gets_the_expected_answer(
    tmp_path, source: str, sink: str, code: int, expected: str
) -> None:
    file = tmp_path / "query.py"
    file.write_text(_QUERY.format(source, sink))
    exit_code, output = given(str(file), TOPIC)
    assert expected in " ".join(output.split())
    assert exit_code == code, output


PIPELINES = [
    ('[producer]\ncompression.type = "lz4"\n', 0, "p.toml:6: compression.type is not taken into"),
    ("[broker]\nlog.retention.ms = 1000\n", 1, "retention.ms: 1000 -> "),
    ("[broker]\nlog.retention.ms = 0\n", 2, "p.toml:6: log.retention.ms must be unlimited"),
    ('[producer]\nakcs = "all"\n', 2, "There is no producer setting 'akcs'"),
    ('[consumer]\ngroup.protocol = "consumer"\npartition.assignment.strategy = "x"\n', 2,
     "p.toml:7: partition.assignment.strategy cannot be set when group.protocol=CONSUMER"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "code", "expected"), PIPELINES)
def test_a_pipeline_file_gets_the_expected_answer(
    tmp_path, more: str, code: int, expected: str
) -> None:
    file = tmp_path / "p.toml"
    head = "[topic]\nreplication.factor = 3\nmin.insync.replicas = 2\n"
    file.write_text(f'kafka = "4.3"\n{head}{more}')
    exit_code, output = given(
        str(file), "consumer.auto.offset.reset=earliest application.restart=resumes"
    )
    assert expected in " ".join(output.split()).replace("requirement failed: ", "")
    assert exit_code == code, output


@pytest.mark.parametrize(("name", "text"), [
    ("sink.properties", "name=s\nconnector.class=io.x.SinkConnector\nerrors.tolerance=all\n"),
    ("worker.properties", "bootstrap.servers=x\nkey.converter=y\n"),
    ("override.properties", "name=s\nproducer.override.acks=1\n"),
    ("sink.json", '{"name": "s", "config": {"connector.class": "io.x.SinkConnector"}}'),
    ("flat.json", '{"name": "s", "connector.class": "io.x.SinkConnector", "tasks.max": 1}'),
])  # fmt: skip
def test_settings_of_kafka_connect_are_refused_as_such(tmp_path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    exit_code, output = given(str(file), TOPIC)
    assert "belongs to Kafka Connect" in output
    assert exit_code == 2
