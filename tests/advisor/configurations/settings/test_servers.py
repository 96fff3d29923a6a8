"""Realistic configurations that keep servers from electing, replicating or committing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import C, assert_answer, assert_file

QUORUM = "broker.controller.quorum."
REBOOTSTRAP = "metadata.recovery.rebootstrap.trigger.ms"
FETCHERS = "broker.num.replica.fetchers"
THROTTLED = "topic.leader.replication.throttled.replicas=* broker.leader.replication.throttled.rate"
FETCHED = "remote.log.manager.fetch.max.bytes.per.second"
SETTINGS = [
    # seen on 4.3.1: three brokers boot with it in 13 s, write, read and commit
    ("", f"{QUORUM}request.timeout.ms=1", 0, "YES"),
    # an active controller collects its records for this time (BatchAccumulator)
    ("", f"{QUORUM}append.linger.ms=3600000", 1, "append.linger.ms: 3600000 -> 25"),
    # seen on 4.3.1: with 45 s brokers register after 140 s; with 70 s each shuts down
    ("", f"{QUORUM}append.linger.ms=60000", 1, "CANNOT WORK.*the broker shuts down first"),
    ("", f"{QUORUM}append.linger.ms=59999", 1, "^NO.*max.block.ms: 60000 -> 105974"),
    # seen on 4.3.1: with 10 s a topic exists after 10.2 s; a smaller in-sync set takes as long
    ("", f"{QUORUM}append.linger.ms=10000 producer.delivery.timeout.ms=55000", 1,
     "delivery.timeout.ms: 55000 -> "),
    ("", f"{QUORUM}append.linger.ms=1000 producer.delivery.timeout.ms=55000", 0, "YES"),
    ("", f"{QUORUM}append.linger.ms=10000", 0, "stall.*session.timeout.ms [+] one retry = 9000 "
     "[+] 1000 [+] 9975"),
    ("", f"{QUORUM}append.linger.ms=0", 0, "YES"),
    ("", f"{QUORUM}retry.backoff.ms=59999", 0, "retry.backoff.ms is longer than clients wait"),
    ("--kafka 3.9", f"{QUORUM}append.linger.ms=3600000 application.metadata.mode=zookeeper", 0,
     "YES"),
    # no fetcher (AbstractFetcherManager, getFetcherId); ConfigDef requires 1 since 4.2
    ("--kafka 4.1", f"{FETCHERS}=0", 2, "means that no follower fetches"),
    ("--kafka 3.3", f"{FETCHERS}=0", 2, "means that no follower fetches"),
    ("--kafka 4.3", f"{FETCHERS}=0", 2, "must be from 1"),
    ("--kafka 4.1", f"{FETCHERS}=1", 0, "YES"),
    ("", "broker.replica.fetch.backoff.ms=3600000", 2, "leaves the in-sync set, and with two"),
    ("", "broker.replica.fetch.backoff.ms=30000", 0, "YES"),
    ("", "broker.replica.fetch.backoff.ms=50000 broker.replica.lag.time.max.ms=50000 "
     "producer.max.block.ms=90000", 0, "YES"),
    # names that no list can contain, because a listener is part of them
    ("", "broker.listener.name.internal.max.connections=9", 0, "YES"),
    ("", "broker.listener.name.internal.max.connections=0", 2, "^(?!.*no broker setting)"),
    ("", "topic.remote.storage.enable=true "
     "broker.rlmm.config.remote.log.metadata.topic.replication.factor=1", 1, "1 of __remote|NO"),
    # the time that each step of a group waits for its replicas (GroupCoordinatorService)
    ("", "broker.offsets.commit.timeout.ms=1", 1, "CANNOT WORK.*offsets.commit.timeout.ms"),
    ("", "broker.offsets.commit.timeout.ms=1000", 0, "YES"),
    ("", "broker.offsets.commit.timeout.ms=1 broker.offsets.topic.replication.factor=1 "
     "consumer.auto.offset.reset=earliest", 0, "YES"),
    # KRaft's controllers do not read it before 3.9 (KAFKA-12670)
    ("--kafka 3.8", "topic.unclean.leader.election.enable=true", 1,
     "controllers do not do so themselves"),
    ("--kafka 3.8", "topic.unclean.leader.election.enable=true "
     "application.metadata.mode=zookeeper", 1, "truncate it too(?!. In KRaft)"),
    ("--kafka 3.9", "topic.unclean.leader.election.enable=true", 1, "truncate it too(?!. In)"),
    # seen on 4.3.1: a broker that boots with it does not register
    ("", "broker.max.connection.creation.rate=0", 2, "lets no client connect"),
    ("", "broker.max.connection.creation.rate=10", 0, "YES"),
    # timeouts that end before a response arrives
    ("", "broker.replica.socket.timeout.ms=10 broker.replica.fetch.wait.max.ms=1", 1,
     "CANNOT WORK.*a follower gives up each fetch"),
    ("", "broker.replica.socket.timeout.ms=10 broker.replica.fetch.wait.max.ms=1 "
     "topic.replication.factor=1 topic.min.insync.replicas=1", 1, "^NO(?!.*CANNOT WORK)"),
    ("", "broker.replica.socket.timeout.ms=1000", 0, "YES"),
    ("", "broker.controller.socket.timeout.ms=10", 2, "no broker registers"),
    ("", "broker.controller.socket.timeout.ms=1000", 0, "YES"),
    ("", "broker.controller.quorum.request.timeout.ms=0", 2, "none of them leads"),
    ("", "broker.initial.broker.registration.timeout.ms=1", 2, "before it is registered"),
    ("--kafka 3.9", "broker.zookeeper.connection.timeout.ms=1", 2, "ZooKeeper is up"),
    ("", "broker.request.timeout.ms=1", 2, "about transactions, so that none ends"),
    ("", "producer.socket.connection.setup.timeout.max.ms=10", 2, "each connection that is not"),
    ("", "consumer.socket.connection.setup.timeout.max.ms=10", 2, "each connection that is not"),
    ("", "producer.socket.connection.setup.timeout.ms=10", 0, "YES"),
    ("--client spark", "consumer.startingOffsets=earliest "
     "producer.kafka.socket.connection.setup.timeout.max.ms=10", 2, "each connection that is not"),
    # all connections are closed before metadata arrive (NetworkClient, handleRebootstrap)
    ("", f"producer.{REBOOTSTRAP}=0", 2, "closes each connection and bootstraps again"),
    ("", f"consumer.{REBOOTSTRAP}=0", 2, "closes each connection and bootstraps again"),
    ("", f"producer.{REBOOTSTRAP}=10", 2, "=10 closes each connection and bootstraps again"),
    ("", f"producer.{REBOOTSTRAP}=1000", 0, "YES"),
    ("", f"producer.{REBOOTSTRAP}=0 producer.metadata.recovery.strategy=None", 0, "YES"),
    ("", "broker.max.connections.per.ip=1", 2, "fewer than one client needs of a broker"),
    ("", "broker.max.connections.per.ip=2", 0, "allows few connections"),
    ("", "broker.max.connections.per.ip=100", 0, "max.connections.per.ip is not taken"),
    # negative timeouts are also over immediately
    ("", "broker.controller.socket.timeout.ms=-1", 2, "so that no broker registers"),
    ("", "producer.socket.connection.setup.timeout.max.ms=-1", 2, "each connection that is not"),
    ("", "broker.server.max.startup.time.ms=1", 2, "before it has started"),
    # values that a broker refuses in its file (KafkaConfig.validateValues, CompressionType.forId)
    ("", "broker.log.roll.ms=-1", 2, "log.roll.ms must be greater than or equal to 1"),
    ("", "broker.log.roll.jitter.ms=-1", 2, "jitter.ms must be greater than or equal to 0"),
    ("", "broker.log.cleaner.threads=0", 2, "/ by zero"),
    ("", "broker.offsets.topic.compression.codec=5", 2, "Unknown compression type id: 5"),
    ("", "broker.offsets.topic.compression.codec=4", 0, "YES"),
    # replicas that are throttled without a reassignment (KIP-73)
    ("", "topic.leader.replication.throttled.replicas=*", 0, "also after the reassignment"),
    ("", f"{THROTTLED}=999", 2, "=999: a replica that was away does not come back"),
    ("", f"{THROTTLED}=1000", 0, "YES"),
    ("", f"{THROTTLED.replace('broker.leader', 'broker.follower')}=1", 0, "YES"),
    ("", f"topic.remote.storage.enable=true broker.{FETCHED}=1", 2, "never catches up"),
    ("", f"topic.remote.storage.enable=true broker.{FETCHED}=1000", 0, "YES"),
    # settings that Confluent Server reads and Kafka ignores
    ("", "topic.confluent.placement.constraints=x", 2, "may be observers"),
    ("", "topic.confluent.tier.enable=true", 2, "in a storage with rules of its own"),
    ("", "topic.confluent.tier.enable=false", 0, "YES"),
    ("", "broker.confluent.balancer.enable=true", 0, "balancer.enable is not taken into account"),
    ("", f"{QUORUM}election.backoff.max.ms=-1", 2, "stops a controller that has to wait"),
    ("", f"{QUORUM}election.backoff.max.ms=0", 0, "YES"),
    # a metadata snapshot in chunks (KIP-630)
    ("", f"{QUORUM}fetch.snapshot.max.bytes=1", 2, "a server that was away does not get it"),
    ("", f"{QUORUM}fetch.snapshot.max.bytes=1000", 0, "YES"),
    ("", f"{QUORUM}fetch.max.bytes=1", 0, "YES"),  # one batch comes whatever its size
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, f"{C} {settings}", code, expected)


FILES = [
    # the active controller decides, by its own file
    ("process.roles=controller", "fetch.timeout.ms=600000", 1, "timeout.ms: 600000 -> 2000"),
    ("process.roles=broker", "fetch.timeout.ms=600000", 0, "the active controller's file decides"),
    ("process.roles=broker", "append.linger.ms=600000", 0, "the active controller's file decides"),
]


@pytest.mark.parametrize(("role", "line", "code", "expected"), FILES)
def test_a_server_file_gets_the_expected_answer(
    tmp_path: Path, role: str, line: str, code: int, expected: str
) -> None:
    text = f"{role}\ncontroller.quorum.{line}\n"
    assert_file(tmp_path / "server.properties", text, "--broker", C, code, expected)


METADATA_RETENTION = "rlmm.config.remote.log.metadata.topic.retention.ms"
DAY = "86400000"
TIERED = [
    # the plug-in's default is -1, unlimited (TopicBasedRemoteLogMetadataManagerConfig)
    ("", "", 0, "YES"),
    (f"{METADATA_RETENTION}=-1\n", "", 0, "YES"),
    (f"{METADATA_RETENTION}={DAY}\n", "", 2, "they forget where a segment is"),
    (f"{METADATA_RETENTION}={DAY}\nlog.retention.hours=24\n", "", 0, "YES"),
    (
        f"{METADATA_RETENTION}={DAY}\nlog.retention.hours=25\n",
        "",
        2,
        "they forget where a segment is",
    ),
    (f"{METADATA_RETENTION}={DAY}\n", f"topic.retention.ms={DAY}", 0, "YES"),
    (f"{METADATA_RETENTION}={DAY}\n", "topic.retention.ms=-1", 2, "they forget where a segment is"),
    (f"{METADATA_RETENTION}={DAY}\n", "topic.remote.storage.enable=false", 0, "YES"),
]


@pytest.mark.parametrize(("lines", "settings", "code", "expected"), TIERED)
def test_remote_log_metadata_must_be_kept_as_long_as_the_segments(
    tmp_path: Path, lines: str, settings: str, code: int, expected: str
) -> None:
    text = f"process.roles=broker,controller\nremote.log.storage.system.enable=true\n{lines}"
    stated = f"{C} topic.remote.storage.enable=true {settings}"
    assert_file(tmp_path / "server.properties", text, "", stated, code, expected)


SERVICES = """services:
  one:
    image: apache/kafka:4.3.0
    environment: {{KAFKA_NODE_ID: 1, KAFKA_MAX_CONNECTIONS: {0}}}
  two:
    image: apache/kafka:4.3.0
    environment: {{KAFKA_NODE_ID: 2, KAFKA_MAX_CONNECTIONS: {1}}}
"""


@pytest.mark.parametrize(("limits", "code"), [((1, 1000), 2), ((1000, 1), 2), ((1000, 1000), 1)])
def test_a_setting_of_one_broker_is_judged_with_its_other_settings(
    tmp_path: Path, limits: tuple[int, int], code: int
) -> None:
    text = SERVICES.format(*limits)
    expected = "fewer than a writer, a reader and a follower" if code == 2 else "^NO"
    assert_file(tmp_path / "compose.yml", text, "--brokers 3", C, code, expected)


@pytest.mark.parametrize("order", [("t", "b"), ("b", "t")])
def test_throttles_in_two_outputs_are_combined(tmp_path: Path, order: tuple[str, str]) -> None:
    name = "follower.replication.throttled"
    for path, entity, line in (
        ("t", "topic t", f"{name}.replicas=*"),
        ("b", "broker 1", f"{name}.rate=1"),
    ):
        text = f"Dynamic configs for {entity} are:\n  {line} sensitive=false synonyms={{}}\n"
        (tmp_path / path).write_text(text)
    files = " ".join(str(tmp_path / path) for path in order)
    assert_answer(files, C, 2, "does not come back into the in-sync set")


@pytest.mark.parametrize("rates", [("1", "10000000"), ("10000000", "1")])
@pytest.mark.parametrize("name", ["compose.yml", "a.properties b.properties"])
def test_a_topic_is_judged_with_each_broker(
    tmp_path: Path, rates: tuple[str, str], name: str
) -> None:
    compose = SERVICES.replace("MAX_CONNECTIONS", "LEADER_REPLICATION_THROTTLED_RATE")
    texts = [compose.format(*rates)]
    if " " in name:
        prefix = "zookeeper.connect=z:2181\nleader.replication.throttled.rate"
        texts = [f"broker.id={at}\n{prefix}={rate}\n" for at, rate in enumerate(rates)]
    topic = tmp_path / "topic.properties"
    topic.write_text("replication.factor=3\nleader.replication.throttled.replicas=*\n")
    paths = [tmp_path / file for file in name.split()]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    files = " ".join(map(str, paths))
    expected = "topic.properties:2: .*does not come back into the in-sync set"
    assert_answer(f"--kafka 3.9 {files} --topic {topic}", C, 2, expected)
