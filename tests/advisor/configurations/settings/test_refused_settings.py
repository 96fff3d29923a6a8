"""Values that products refuse for settings that are not modelled, and settings of other clients.

Each case has the settings, the exit code, and a pattern of the output.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer

from advisor.catalog import Component, Family, Kind, settings_of
from advisor.intake.inputs import Inputs
from advisor.intake.origins import Origin
from tests.advisor.configurations.asking import LRK, SPARK, TOPIC, C, assert_answer, given

L = f"{C} producer.enable.idempotence=true"
COPIER = (
    f"{TOPIC} broker.min.insync.replicas=2 "
    "consumer.auto.offset.reset=none producer.transactional.id=a "
    "consumer.enable.auto.commit=false consumer.isolation.level=read_committed "
    "application.commit=in-transaction application.restart=resumes"
)
SLOW_FETCH = "consumer.kafka.fetch.max.wait.ms=20000 consumer.kafka.fetch.min.bytes=2"
UNVERIFIED = "broker.transaction.partition.verification.enable"
COMPACT = f"{C} topic.cleanup.policy=compact"
BY_BROKERS = "consumer.group.protocol=consumer consumer.group.remote.assignor"
LRK_BY_BROKERS = "consumer.group.protocol=Consumer"
LONG_PAUSE = "producer.reconnect.backoff.ms=100000 producer.reconnect.backoff.max.ms=1000"
NOT_CONSUMERS = "belongs to a share consumer"

SETTINGS = [
    # an invalid value of a setting that does not affect the answer
    ("", f"{C} producer.metadata.max.age.ms=x", 2, "metadata.max.age.ms must be a whole number"),
    ("", f"{C} producer.compression.type=brotli", 2, "compression.type must be one of"),
    ("", f"{C} consumer.check.crcs=1", 2, "check.crcs must be true or false"),
    ("", f"{C} consumer.check.crcs=false", 0, "^YES"),
    ("", f"{C} topic.segment.bytes=1000", 2, "segment.bytes must be from 1048576"),
    ("--kafka 3.9", f"{C} topic.segment.ms=1000", 0, "segment.ms is not taken into account"),
    ("", f"{C} broker.num.replica.fetchers=0", 2, "num.replica.fetchers must be from 1"),
    ("--kafka 3.9", f"{C} broker.num.replica.fetchers=0", 2, "means that no follower fetches"),
    ("", f"{C} broker.advertised.listeners=PLAINTEXT://{'a' * 300}:1", 0, "YES"),
    (LRK, f"{L} producer.socket.max.fails=-1", 2, "socket.max.fails must be from 0 to 1000000"),
    (LRK, f"{L} producer.compression.codec=brotli", 2, "compression.codec must be one of"),
    # an assignor that no broker has: the member never reads
    ("", f"{C} {BY_BROKERS}=uniform broker.group.consumer.assignors=range", 2,
     "ServerAssignor uniform is not supported. Supported assignors: range"),
    ("", f"{C} {BY_BROKERS}=range broker.group.consumer.assignors="
     "org.apache.kafka.coordinator.group.assignor.RangeAssignor", 0, "YES"),
    ("", f"{C} {BY_BROKERS}=sticky", 2, "ServerAssignor sticky is not supported"),
    (LRK, f"{L} {BY_BROKERS}=sticky", 2, "ServerAssignor sticky is not supported"),
    ("", f"{C} {BY_BROKERS}=range", 0, "YES"),
    ("", f"{C} {BY_BROKERS}=sticky broker.group.consumer.assignors=com.example.A", 0, "YES"),
    ("", f"{C} consumer.partition.assignment.strategy=range", 2, "range ClassNotFoundException"),
    ("", f"{C} consumer.partition.assignment.strategy=com.example.A", 0, "YES"),
    # a share group is not a consumer group, and KafkaConsumer refuses its settings
    ("", f"{C} consumer.share.acknowledgement.mode=explicit", 2, NOT_CONSUMERS),
    (LRK, f"{L} consumer.share.acknowledgement.mode=implicit", 2, NOT_CONSUMERS),
    ("", f"{C} broker.group.share.delivery.count.limit=3", 0, "YES"),
    # a transaction that Kafka never times out (KIP-939)
    ("", f"{C} producer.transactional.id=a producer.transaction.two.phase.commit.enable=true", 2,
     "never times out"),
    ("", f"{C} producer.transactional.id=a producer.transaction.two.phase.commit.enable=false", 0,
     "YES"),
    # a format without the sequence numbers and epochs that the model needs (KIP-98, KIP-101)
    ("--kafka 2.8", f"{C} topic.message.format.version=0.10.2", 2, "before Kafka 0.11"),
    ("--kafka 2.8", f"{C} topic.message.format.version=0.11.0", 0, "YES"),
    ("--kafka 2.8", f"{C} broker.log.message.format.version=0.10.2-IV0", 2, "before Kafka 0.11"),
    ("--kafka 3.6", f"{C} topic.message.format.version=0.10.2", 0, "is not taken into account"),
    ("--kafka 3.6", f"{C} topic.message.format.version=0.10.2 "
     "broker.inter.broker.protocol.version=2.8", 2, "before Kafka 0.11"),
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=0.10.2", 2, "before Kafka 0.11"),
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=2.8", 0, "not taken into account"),
    ("", f"{C} topic.internal.segment.bytes=14", 2, "replaces segment.bytes"),
    # a protocol with which followers may keep records that the leader does not have (KIP-279)
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=1.1-IV0", 2, "two quick changes"),
    ("--kafka 2.8", f"{C} broker.inter.broker.protocol.version=0.11.0", 2, "two quick changes"),
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=2.0", 0, "YES"),
    # a protocol without zstd (KIP-110) or static members (KIP-345)
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=2.0 producer.compression.type=zstd",
     2, "compression.type: brokers with inter.broker.protocol.version=2.0 refuse"),
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=2.0 topic.compression.type=zstd",
     2, "none is written or copied"),
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=2.1 topic.compression.type=zstd",
     0, "YES"),
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=2.2 consumer.group.instance.id=a",
     2, "nothing is read"),
    ("--kafka 3.6", f"{C} broker.inter.broker.protocol.version=2.3 consumer.group.instance.id=a",
     0, "YES"),
    ("", f"{C} topic.cleanup.policy=delete,delete", 0, "YES"),
    ("", f"{C} topic.cleanup.policy=compact,delete,compact", 0, "T006"),
    # a broker closes the connection at a request above its limit
    ("", f"{C} broker.socket.request.max.bytes=1000000", 1, "bytes: 1000000 -> 104857600"),
    ("", f"{C} broker.socket.request.max.bytes=1114112", 0, "YES"),
    # all unsent records are in the producer's memory (RecordAccumulator.drain)
    ("", f"{C} producer.max.request.size=2147483647", 0, "YES"),
    ("", f"{C} producer.max.request.size=2147483647 producer.buffer.memory=268435456", 1,
     "^NO(?!.*Not possible).*max.request.size: 2147483647 -> 104792064 .*Throughput: requests are"),
    ("", f"{C} application.largest.message.bytes=104857000 producer.max.request.size=104860000 "
     "producer.buffer.memory=104860000 topic.max.message.bytes=104860000", 1,
     "socket.request.max.bytes: 104857600 -> 104925536"),
    # records older than by_duration are not needed if retention is shorter (KIP-1106)
    ("", f"{C} consumer.auto.offset.reset=by_duration:P30D", 0, "YES"),
    ("", f"{C} consumer.auto.offset.reset=by_duration:P7D", 1, "P7D: older records are skipped"),
    ("", f"{C} consumer.auto.offset.reset=by_duration:P7DT1S", 0, "YES"),
    ("", f"{C} consumer.auto.offset.reset=by_duration:P30D topic.retention.ms=-1", 1, "older"),
    ("", f"{C} consumer.auto.offset.reset=by_duration:P30D application.timestamps=from-source", 1,
     "older records"),
    ("", f"{COMPACT} consumer.auto.offset.reset=by_duration:P30D", 1, "older records"),
    # a lowered limit depends on the unstated size of messages
    ("", f"{C} topic.max.message.bytes=100", 0, "largest.message.bytes not counted"),
    ("", C, 0, "YES(?!.*largest.message.bytes not counted)"),
    # the largest message is no smaller than the average one
    ("", f"{C} topic.max.message.bytes=9000 application.message.bytes=10000", 1,
     "max.message.bytes: 9000 -> .*message.bytes=10000 takes up to 10000 bytes"),
    ("", f"{C} topic.max.message.bytes=9000 application.message.bytes=900", 0, "YES"),
    # settings of a share consumer
    ("", f"{C} consumer.share.auto.offset.reset=earliest", 2, NOT_CONSUMERS),
    ("", f"{C} consumer.share.isolation.level=read_committed", 2, NOT_CONSUMERS),
    # Connect commits itself, and never in a transaction of its consumer
    ("", f"{COPIER} application.framework=connect", 2,
     "framework is connect, which commits"),
    ("", f"{TOPIC} application.framework=connect", 0, "YES"),  # Worker.baseConsumerConfigs
    ("", f"{TOPIC} consumer.auto.offset.reset=latest application.framework=connect", 1, "C001"),
    # Spark
    ("--client spark", f"{SPARK} consumer.endingOffsets=latest", 2, "ending offset not valid"),
    ("--client spark", f"{SPARK} consumer.kafkaConsumer.pollTimeoutMs=1", 1, "CANNOT WORK"),
    # the brokers' setting also decides the leaders of __remote_log_metadata
    ("--client spark", f"{SPARK} topic.remote.storage.enable=true "
     "broker.remote.log.storage.system.enable=true broker.unclean.leader.election.enable=true", 1,
     "^NO(?!.*Not possible).*unclean.leader.election.enable: true -> false"),
    # InternalKafkaConsumer.fetch, for a partition with fewer bytes than the minimum
    ("--client spark", f"{SPARK} {SLOW_FETCH} consumer.kafkaConsumer.pollTimeoutMs=20000", 1,
     "CANNOT WORK.*Set fetch.max.wait.ms to 500"),
    ("--client spark", f"{SPARK} {SLOW_FETCH} consumer.kafkaConsumer.pollTimeoutMs=20001", 0,
     "YES"),
    ("--client spark", f"{SPARK} consumer.kafka.fetch.min.bytes=2 "
     "consumer.kafkaConsumer.pollTimeoutMs=500", 1, "Set kafkaConsumer.pollTimeoutMs to 120000"),
    ("", f"{C} consumer.fetch.min.bytes=2 consumer.request.timeout.ms=500", 1,
     "Set request.timeout.ms to 30000"),
    # transactions without their own epoch (KIP-890)
    ("--client-version 3.9", f"{C} producer.transactional.id=a", 0, "P010 medium: java 3.9"),
    ("--client-version 3.9 --want exactly-once", f"{COPIER} {UNVERIFIED}=false", 1,
     "verification.enable: false -> true"),
    ("--want exactly-once", f"{COPIER} {UNVERIFIED}=false", 0, "YES"),
    ("--want exactly-once", f"{COPIER} {UNVERIFIED}=false application.transaction.version=0",
     1,
     "accepted for the next one"),
    # a connection that is re-established only after all timeouts have expired
    # a first pause stated alone applies to each pause (postProcessReconnectBackoffConfigs)
    ("", f"{C} producer.reconnect.backoff.ms=89986", 1, "reconnect.backoff.ms: 89986 -> 50"),
    ("", f"{C} producer.reconnect.backoff.ms=89985 producer.max.block.ms=119995", 0, "YES"),
    ("", f"{C} producer.reconnect.backoff.ms=89985", 1, "max.block.ms: 60000 -> 119995"),
    ("", f"{C} {LONG_PAUSE}", 0, "YES"),
    ("--client-version 3.6", f"{C} {LONG_PAUSE}", 1, "reconnect.backoff.ms: 100000 -> 50"),
    (LRK, f"{L} {LRK_BY_BROKERS} consumer.group.protocol.type=consumer", 2,
     "`group.protocol.type` is not supported"),
    (LRK, f"{L} consumer.group.protocol.type=consumer", 0, "YES"),
    (LRK, f"{L} {LRK_BY_BROKERS} consumer.heartbeat.interval.ms=9", 2, "It is defined broker side"),
    ("", f"{C} producer.reconnect.backoff.ms=3600000 producer.reconnect.backoff.max.ms=3600000", 1,
     "reconnect.backoff.ms: 3600000 -> 50"),
    # brokers without this group protocol
    ("", f"{C} consumer.group.protocol=consumer", 0, "YES"),
    ("", f"{C} consumer.group.protocol=consumer "
     "broker.group.coordinator.rebalance.protocols=classic",
     2, "the brokers refuse group.protocol=consumer"),
    ("", f"{C} consumer.group.protocol=consumer "
     "broker.group.coordinator.rebalance.protocols=classic,consumer", 0, "YES"),
    ("", f"{C} broker.group.coordinator.rebalance.protocols=classic", 0, "YES"),
    # topic and broker values that LogConfig and KafkaConfig refuse
    ("", f"{C} topic.remote.storage.enable=true topic.cleanup.policy=compact", 2,
     "only supports topics with cleanup.policy=delete or cleanup.policy being an empty list."),
    ("--kafka 3.9", f"{C} topic.remote.storage.enable=true topic.cleanup.policy=compact", 2,
     "Remote log storage is unsupported for the compacted topics"),
    ("", f"{C} topic.remote.storage.enable=true topic.local.retention.ms=1000", 0, "YES"),
    ("", f"{C} topic.remote.storage.enable=true topic.local.retention.ms=1000 "
     "topic.retention.ms=999", 2, "Value must not be more than retention.ms property value: 999"),
    ("", f"{C} topic.min.compaction.lag.ms=2 topic.max.compaction.lag.ms=1", 2, "conflict topic"),
    ("", f"{C} broker.queued.max.request.bytes=1", 2, "must be larger or equal to socket.request"),
    ("--kafka 3.9", f"{C} broker.offsets.commit.required.acks=4", 2, "must be greater or equal to"),
    # a compacted topic keeps the latest message of each key, and tombstones for some time
    ("", COMPACT, 0, "^YES.*for the latest message of each key.*history=latest"),
    ("", f"{C} topic.cleanup.policy=delete", 0, "^YES(?!.*history)"),
    ("", f"{COMPACT} application.history=every", 1, "cleanup.policy: compact -> delete"),
    ("", f"{COMPACT} topic.delete.retention.ms=100", 1, "delete.retention.ms: 100 -> 690001"),
    ("", f"{COMPACT} broker.log.cleaner.delete.retention.ms=100", 1, "delete of a key that"),
    ("--ordering", f"{C} producer.partitioner.class=com.example.Own", 1,
     "application.partitioner: other -> by-key.*If it does so already, state that"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, settings, code, expected)


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n"
STRIMZI = "apiVersion: kafka.strimzi.io/v1\nkind: {}\nmetadata: {{name: c}}\nspec: {{}}\n"
QUOTAS = STRIMZI.format("Kafka").replace("{}", "{kafka: {quotas: {producerByteRate: 1024}}}")
TF_TOPIC = 'resource "kafka_topic" "t" {\n  replication_factor = 3\n}\n'
STREAMS = "application.id=a\nreplication.factor=3\ntopic.min.insync.replicas=2\n"
FILES = [
    # YAML is not read as a properties file, whatever it contains
    ("values.yaml", "kafka:\n  extraConfig: |\n    min.insync.replicas=1\n", 2,
     "values.yaml:1: this looks like YAML of a kind that we do not know"),
    ("values.yaml", "config:\n\n  # ours\n  acks: all\n", 2, "4: acks stands under config in YAML"),
    ("a.properties", "acks: all\nlinger.ms: 3\n", 0, "YES"),
    ("c.properties", "group.id=g\nshare.acknowledgement.mode=explicit\n", 2, NOT_CONSUMERS),
    ("c.properties", "group.id=g\nauto.offset.reset=earliest\n", 0, "YES"),
    ("cm.yaml", f"{CONFIG_MAP}  a.properties: |\n    linger.ms=5\n    acks=7\n", 2,
     "cm.yaml:7: acks must be one of"),
    ("cm.yaml", f"{CONFIG_MAP}  a: b\n", 2, "no file of Kafka's and no variable"),
    ("cm.yaml", f"{CONFIG_MAP}  worker.properties: |\n    plugin.path=/x\n", 2,
     "cm.yaml:6: plugin.path belongs to Kafka Connect"),
    ("cm.yaml", f"{CONFIG_MAP}  a.properties: |\n    acks=0\n  b.txt: hello\n", 1,
     "cm.yaml:7: b.txt looks like no file that we know"),
    ("t.tf", TF_TOPIC, 0, "YES"),
    ("t.tf", TF_TOPIC * 2, 0, "t.tf:1: 2 topics are created here: the fewest copies"),
    ("t.tf", TF_TOPIC + TF_TOPIC.replace("replication_factor", "partitions"), 2,
     "t.tf:4: replication.factor: a topic without a replication factor has the brokers' default"),
    ("t.tf", TF_TOPIC.replace("3", "local.copies"), 2, "replication_factor is computed by"),
    # Kafka Streams has overrides for each kind of internal topic, and the file takes precedence
    ("s.properties", f"{STREAMS}topic.retention.ms=1000\n", 2,
     "s.properties:4: topic.retention.ms counts for the application's internal topics"),
    ("s.properties", f"{STREAMS}topic.retention.ms=-1\n", 0, "YES"),
    ("s.properties", f"{STREAMS}topic.retention.bytes=1\n", 2, "are deleted unprocessed"),
    ("s.properties", f"{STREAMS}topic.delete.retention.ms=3599999\n", 2, "was away keeps keys in"),
    ("s.properties", f"{STREAMS}topic.delete.retention.ms=3600000\n", 0, "YES"),
    ("s.properties", f"{STREAMS}topic.remote.storage.enable=true\n", 2, "no compacted topic"),
    ("s.properties", f"{STREAMS}topic.max.message.bytes=127\n", 2, "no batch of messages is so"),
    ("s.properties", f"{STREAMS}topic.max.message.bytes=128\n", 0, "YES"),
    ("s.properties", f"{STREAMS}topic.message.timestamp.before.max.ms=604799999\n", 2, "older"),
    ("s.properties", f"{STREAMS}topic.message.timestamp.before.max.ms=604800000\n", 0, "YES"),
    ("s.properties", f"{STREAMS}topic.cleanup.policy=delete\n", 2, "a changelog topic must be"),
    ("s.properties", f"{STREAMS}topic.unclean.leader.election.enable=true\n", 2, "become leader"),
    ("s.properties", f"{STREAMS}topic.segment.ms=1000\n", 0, "topic.segment.ms is not taken"),
    # the values of a chart are not a manifest
    ("values.yaml", "extraConfig: |\n  min.insync.replicas=1\n", 2, "what `helm template` prints"),
    # products with their own clients are refused
    ("w.properties", "bootstrap.servers=a\nexactly.once.source.support=enabled\n", 2,
     "w.properties:2: exactly.once.source.support belongs to Kafka Connect"),
    ("w.properties", "group.id=a\nconnector.client.config.override.policy=None\n", 2,
     "belongs to Kafka Connect"),
    ("s.properties", "acks=all\nerrors.tolerance=all\n", 2, "tolerance belongs to Kafka Connect"),
    ("mm2.properties", "replication.factor=1\nsync.group.offsets.enabled=true\n", 2,
     "sync.group.offsets.enabled of MirrorMaker 2 belongs to Kafka Connect"),
    ("mm2.properties", "replication.factor=3\nA.producer.acks=1\n", 2, "A.producer.acks is acks"),
    ("mm2.properties", "acks=all\ntopics.exclude=a\n", 2, "of MirrorMaker 2 belongs"),
    ("w.properties", "group.id=a\nconnect.protocol=eager\n", 2, "belongs to Kafka Connect"),
    ("d.json", '{"schema.history.internal.producer.acks": 1, "acks": "all"}', 2, "to Debezium"),
    ("k.properties", "bootstrap.servers=a\nksql.streams.replication.factor=1\n", 2,
     "ksql.streams.replication.factor belongs to ksqlDB, which configures Kafka's clients"),
    ("d.properties", "debezium.sink.kafka.producer.acks=1\n", 2, "belongs to Debezium"),
    ("f.properties", "sink.delivery-guarantee=exactly-once\nproperties.acks=1\n", 2, "to Flink's"),
    ("a.conf", "akka.kafka.consumer {\n  enable.auto.commit = true\n}\n", 2, "to Alpakka"),
    # dicts that cannot be distinguished
    *[(name, text, 2, "acks differs from the dict on line 1") for name, text in (
        ("a.json", '[{"group.id": "a", "acks": 1}, {"group.id": "b", "acks": "all"}]'),
        ("a.py", 'DEV = {"acks": 1}\nPROD = {"acks": "all"}\n'))],
    ("README.md", "# Orders\n```properties\nacks=1\n```\n```\nacks=all\n```\n", 2,
     "README.md:2: this looks like Markdown"),
    ("p.properties", "acks: 1\n---\nacks: all\n", 2, "p.properties:2: --- is not part of"),
    ("p.properties", "<<<<<<< ours\nacks=1\n=======\nacks=all\n>>>>>>> theirs\n", 2,
     "p.properties:1: a conflict of a merge is open here"),
    ("a.ts", "import * as msk from 'aws-cdk-lib/aws-msk';\nconst text = `min.insync.replicas=2\n"
     "default.replication.factor=3`;\n", 2, "a.ts:1: this looks like a program"),
    ("a.conf", "ours {\n  enable.auto.commit = true\n}\n", 2, "a.conf:1: braces are not part of"),
    ("application.properties", "spring.kafka.producer.acks=1\ncamel.component.a.b=c\n", 1,
     "producer.acks: 1 -> all"),
    # settings of brokers other than Kafka
    ("t.properties", "min.insync.replicas=2\nwrite.caching=true\n", 2, "Redpanda speaks Kafka's"),
    ("t.properties", "redpanda.remote.read=true\nacks=all\n", 2, "Redpanda speaks Kafka's"),
    ("s.properties", "s3.wal.path=0@s3://a\nprocess.roles=broker\n", 2, "AutoMQ speaks Kafka's"),
    # a default quota for clients without their own
    ("k.yaml", QUOTAS, 1, "given_up in quota-throttled"),
    ("k.yaml", QUOTAS.replace("1024", "10000000"), 0, "YES"),
    ("k.yaml", f"{QUOTAS}---\n" + STRIMZI.format("KafkaUser").replace(
        "{}", "{quotas: {producerByteRate: 10000000}}"), 0, "YES"),
    # a quota of a user
    ("u.yaml", STRIMZI.format("KafkaUser").replace("{}", "{quotas: {producerByteRate: 1024}}"), 1,
     "given_up in quota-throttled"),
    # a nested setting counts, or is reported as not read
    ("l.json", '{"acks": "all", "default.topic.config": {"acks": 0}}', 1, "acks: 0 -> all"),
    ("l.json", '{"producer": {"default.topic.config": {"acks": 0}}}', 1, "acks: 0 -> all"),
    ("l.json", '{"acks": "all", "mine": {"acks": 0}}', 2, "acks is inside another object"),
    ("c.yaml", STRIMZI.format("KafkaConnect"), 2, "a KafkaConnect belongs to Kafka Connect"),
    ("c.yaml", STRIMZI.format("KafkaMirrorMaker2"), 2, "Maker2 belongs to Kafka Connect"),
    ("c.yaml", STRIMZI.format("KafkaBridge"), 2, "Nothing of it is read"),
    ("mm2.properties", "a->b.enabled=true\nclusters=a,b\nreplication.factor=1\n", 2,
     "a pair of clusters of MirrorMaker 2 belongs to Kafka Connect"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "expected"), FILES)
def test_a_file_gets_the_expected_answer(
    tmp_path, name: str, text: str, code: int, expected: str
) -> None:
    file = tmp_path / name
    file.write_text(text)
    exit_code, output = given(str(file), TOPIC if text.startswith(STREAMS) else C)
    assert expected in " ".join(output.split()), output
    assert exit_code == code, output


NEW_PROTOCOL: list[dict[str, str | int]] = [
    {}, {"group.protocol.type": "consumer"}, {"partition.assignment.strategy": "range"},
    {"heartbeat.interval.ms": 9},
]  # fmt: skip
COMBINATIONS = [
    ("producer", {"reconnect.backoff.max.ms": 5}),
    ("producer", {"reconnect.backoff.ms": 10_001}),
    ("producer", {"reconnect.backoff.ms": 10_000}),
    ("producer", {"enable.gapless.guarantee": "true", "transactional.id": "a"}),
    ("producer", {"enable.gapless.guarantee": "true"}),
    ("producer", {"enable.idempotence": "true", "queue.buffering.backpressure.threshold": 2}),
    ("producer", {"enable.idempotence": "true", "queue.buffering.backpressure.threshold": 1}),
    ("producer", {"queue.buffering.backpressure.threshold": 2}),
    ("consumer", {"reconnect.backoff.max.ms": 99}),
    ("consumer", {"fetch.max.bytes": 999_999}),
    ("consumer", {"fetch.max.bytes": 1_000_000}),
    ("consumer", {"fetch.max.bytes": 2_000_000, "message.max.bytes": 2_000_001}),
    ("consumer", {"message.max.bytes": 60_000_000}),
    ("consumer", {"message.max.bytes": 99_999_489, "receive.message.max.bytes": 100_000_000}),
    ("consumer", {"receive.message.max.bytes": 52_429_311}),
    ("consumer", {"receive.message.max.bytes": 52_429_312}),
    ("consumer", {"receive.message.max.bytes": 1_024_511, "queued.max.messages.kbytes": 1000}),
    ("consumer", {"receive.message.max.bytes": 1_024_512, "queued.max.messages.kbytes": 1000}),
    ("consumer", {"receive.message.max.bytes": 2_000_000, "fetch.max.bytes": 1_999_489}),
    ("consumer", {"receive.message.max.bytes": 2_000_000, "fetch.max.bytes": 1_999_488}),
    ("consumer", {"fetch.min.bytes": 0}),
    ("consumer", {"group.protocol.type": "connect"}),
    ("consumer", {"group.protocol.type": "consumer"}),
    *(("consumer", {"group.protocol": "Consumer", **more}) for more in NEW_PROTOCOL),
    ("consumer", {"fetch.min.bytes": 100_000_000}),
    ("consumer", {"fetch.min.bytes": 100_000_001}),
]  # fmt: skip


@pytest.mark.parametrize(("component", "settings"), COMBINATIONS)
def test_combinations_are_refused_if_and_only_if_librdkafka_refuses_them(
    component: str, settings: dict[str, str | int]
) -> None:
    refusal = _refusal(Component(component), settings)
    problems = _our_problems(Component(component), settings)
    assert (refusal is None) == (not problems), (refusal, problems)
    if refusal:
        messages = [message.removeprefix("--set: ") for message in problems]
        # Messages that do not name their setting have it as a prefix.
        without_name = [message.partition(": ")[2] for message in messages]
        assert any(text and text in refusal for text in [*messages, *without_name]), problems


@pytest.mark.parametrize("component", [Component.PRODUCER, Component.CONSUMER])
def test_numbers_are_accepted_if_and_only_if_librdkafka_accepts_them(component: Component) -> None:
    mismatches = []
    for setting in settings_of(Family.LIBRDKAFKA, "2.16", "4.3", component, every=True):
        if setting.kind is not Kind.INT or setting.modelled or setting.name in _SET_BY_BINDING:
            continue
        for bound, step in ((setting.minimum, -1), (setting.maximum, 1)):
            if bound is None or abs(bound) >= 2**31 - 1:
                continue
            for value in (bound, bound + step):
                stated: dict[str, str | int] = {setting.name: value}
                refusal, problems = _refusal(component, stated), _our_problems(component, stated)
                problems = [text for text in problems if "That is not covered" not in text]
                if (refusal is None) != (not problems):
                    mismatches.append((stated, refusal, problems))
    assert not mismatches


@pytest.mark.parametrize("component", [Component.PRODUCER, Component.CONSUMER])
def test_choices_in_any_case_are_accepted_if_and_only_if_librdkafka_accepts_them(
    component: Component,
) -> None:
    """`security.protocol=SASL_SSL` is what most files have."""
    mismatches, count = [], 0
    for setting in settings_of(Family.LIBRDKAFKA, "2.16", "4.3", component, every=True):
        if setting.kind is not Kind.CHOICE or setting.modelled:
            continue
        for choice, _ in setting.choices:
            stated: dict[str, str | int] = {setting.name: choice.upper()}
            refusal, problems = _refusal(component, stated), _our_problems(component, stated)
            count += 1
            # Some choices require other settings, which both report.
            is_choice = refusal is None or "Invalid value" not in refusal
            if is_choice == any("must be one of" in message for message in problems):
                mismatches.append((stated, refusal, problems))
    assert count > 20
    assert not mismatches


_SET_BY_BINDING = ("log_level", "enabled_events")
"""Settings that confluent-kafka sets itself."""


def _refusal(component: Component, settings: dict[str, str | int]) -> str | None:
    given = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0, **settings}
    try:
        if component is Component.PRODUCER:
            Producer(given)
        else:
            Consumer({"group.id": "g", **given}).close()
    except KafkaException as error:
        return str(error)
    return None


def _our_problems(component: Component, settings: dict[str, str | int]) -> list[str]:
    inputs = Inputs()
    inputs.set_field("family", "librdkafka", Origin("test"))
    inputs.add_options([f"{component}.{name}={value}" for name, value in settings.items()])
    return inputs.problems


@pytest.mark.parametrize("first", ["topic", "broker"])
def test_a_refused_combination_in_two_files_is_refused(tmp_path: Path, first: str) -> None:
    """A broker of 3.x heeds an old format only with an old protocol (KIP-724)."""
    files = {
        "topic": "message.format.version=0.10.2",
        "broker": "inter.broker.protocol.version=2.8",
    }
    options = []
    for name in sorted(files, key=lambda name: name != first):
        path = tmp_path / f"{name}.properties"
        path.write_text(files[name])
        options.append(f"--{name}={path}")
    assert_answer(f"--kafka 3.6 {' '.join(options)}", C, 2, "before Kafka 0.11")
    assert_answer(f"--kafka 3.6 {options[0]}", C, 0, "is not taken into account")


def test_a_refused_combination_of_an_option_and_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.properties"
    path.write_text("inter.broker.protocol.version=2.8")
    settings = f"{C} topic.message.format.version=0.10.2"
    assert_answer(f"--kafka 3.6 --broker {path}", settings, 2, "before Kafka 0.11")


@pytest.mark.parametrize(("offset", "code"), [(-2, 0), (-1, 1), (23, 0)])
def test_the_starting_offsets_of_a_query_may_be_json_in_a_properties_file(
    tmp_path: Path, offset: int, code: int
) -> None:
    path = tmp_path / "q.properties"
    path.write_text(f'startingOffsets={{"t": {{"0": {offset}}}}}\nsubscribe=t\n')
    assert_answer(f"--spark {path}", TOPIC, code, "names single partitions")
