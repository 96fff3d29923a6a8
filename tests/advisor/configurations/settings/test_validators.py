"""Realistic configurations that servers and clients refuse before they start."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import LRK, C, assert_answer, assert_file, given

LOCAL = "topic.remote.storage.enable=true topic.local.retention"
PARTITIONER = "producer.partitioner.class"
SHARE = "broker.group.share"
PROTOCOLS = "broker.group.coordinator.rebalance.protocols"
UPDATES = "broker.share.coordinator.snapshot.update.records.per.snapshot"
THROTTLED = "topic.leader.replication.throttled.replicas"
SETTINGS = [
    # fractional numbers and lists also have validators (ConfigDef, Range and ValidList)
    ("", "topic.min.cleanable.dirty.ratio=2", 2, "ratio must be from 0 to 1; 2 is not"),
    ("", "topic.min.cleanable.dirty.ratio=-0.1", 2, "must be from 0 to 1"),
    ("", "topic.min.cleanable.dirty.ratio=half", 2, "must be a number"),
    ("", "topic.min.cleanable.dirty.ratio=1", 0, "YES"),
    ("", "topic.min.cleanable.dirty.ratio=5e-1", 0, "YES"),
    ("", "broker.log.cleaner.min.cleanable.ratio=1.01", 2, "must be from 0 to 1"),
    ("--kafka 3.2", "broker.log.cleaner.min.cleanable.ratio=1.01", 0, "YES"),
    ("", "broker.remote.log.manager.task.retry.jitter=0.6", 2, "must be from 0 to 0.5"),
    ("", "producer.sasl.login.refresh.window.factor=0.1", 2, "must be from 0.5 to 1"),
    ("", "consumer.sasl.login.refresh.window.jitter=0.3", 2, "must be from 0 to 0.25"),
    ("", "broker.process.roles=brokr", 2, "must be a list of these values: broker, controller"),
    ("--kafka 3.9", "broker.process.roles=brokr", 2, "must be a list of these"),
    ("--kafka 3.9", "broker.process.roles=broker,controller", 0, "YES"),
    ("", "broker.process.roles=controller", 2, "for a server without topics"),
    (LRK, "producer.debug=all,none", 2, "must be a list of these values: generic, broker"),
    (LRK, "producer.debug=all producer.enable.idempotence=true", 0, "YES"),
    # the name of a static member (JoinGroupRequest.validateGroupInstanceId)
    ("", f"{C} consumer.group.instance.id=rack/1", 2, "may contain letters, digits"),
    ("", f"{C} consumer.group.instance.id=reader-${{HOSTNAME}}", 0, "YES"),
    # a Java socket requires a buffer above 0, whatever a validator allows
    ("", "broker.socket.send.buffer.bytes=-2", 2, "=-2 prevents every connection"),
    ("", "broker.socket.send.buffer.bytes=0", 2, "=0 prevents every connection"),
    ("", "broker.socket.send.buffer.bytes=-1", 0, "YES"),
    ("", "broker.socket.receive.buffer.bytes=-2", 2, "prevents every connection"),
    ("", "broker.replica.socket.receive.buffer.bytes=0", 2, "prevents every connection"),
    ("", "broker.socket.request.max.bytes=0", 2, "must be from 1 to"),
    ("", "producer.send.buffer.bytes=-2", 2, "must be from -1 to"),
    ("", "producer.send.buffer.bytes=0", 2, "=0 prevents every connection"),
    ("", "consumer.receive.buffer.bytes=0", 2, "=0 prevents every connection"),
    ("", "consumer.receive.buffer.bytes=-1", 0, "YES"),
    ("--client spark", "consumer.startingOffsets=earliest producer.kafka.send.buffer.bytes=0", 2,
     "=0 prevents every connection"),
    (LRK, "producer.socket.send.buffer.bytes=0 producer.enable.idempotence=true", 0, "YES"),
    (LRK, "producer.socket.send.buffer.bytes=-1", 2, "must be from 0 to 100000000"),
    # ThrottledReplicaListValidator
    ("", f"{THROTTLED}=a:b", 2, "must be the literal '[*]' or a list"),
    ("", f"{THROTTLED}=0:1,1:2", 0, "YES"),
    ("", f"{THROTTLED}=*", 0, "YES"),
    # MetadataVersionValidator; ApiVersionValidator before 3.3
    ("--kafka 3.9", "broker.inter.broker.protocol.version=4.5", 2, "Version 4.5 is not a valid"),
    ("--kafka 3.9", "broker.inter.broker.protocol.version=latest", 2, "Version latest is not a"),
    ("--kafka 3.9", "broker.inter.broker.protocol.version=3.9-IV0", 0, "YES"),
    ("--kafka 2.8", "broker.inter.broker.protocol.version=2.9", 2, "Version `2.9` is not a valid"),
    ("--kafka 3.9", "broker.log.message.format.version=9.9", 2, "Version 9.9 is not a valid"),
    ("--kafka 3.9", "topic.message.format.version=9.9", 2, "Version 9.9 is not a valid"),
    ("--kafka 3.9", "topic.message.format.version=3.0", 0, "YES"),
    # unmodelled settings of GroupCoordinatorConfig; identity settings of KafkaConfig
    ("", "broker.group.consumer.max.assignment.interval.ms=1", 2, "must be less than or equal to"),
    ("", "broker.group.consumer.min.assignment.interval.ms=100000", 2, "must be greater than or"),
    ("", "broker.group.share.assignment.interval.ms=100000", 2, "must be less than or equal to"),
    ("", f"{SHARE}.record.lock.duration.ms=1000", 2, "or equal to group.share.min.rec"),
    ("", f"{SHARE}.record.lock.duration.ms=61000", 2, "or equal to group.share.record"),
    ("", f"{SHARE}.record.lock.duration.ms=60000", 0, "YES"),
    ("", f"{SHARE}.partition.max.record.locks=4001", 2, "group.share.max.partition.max.record.loc"),
    ("--kafka 4.2", f"{SHARE}.partition.max.record.locks=4001", 0, "YES"),
    ("", f"{SHARE}.min.delivery.count.limit=5 {SHARE}.delivery.count.limit=4", 2, "min.delivery.c"),
    ("--kafka 4.0", f"{PROTOCOLS}=classic,consumer,streams", 2,
     "streams for .*: consumer, classic"),
    ("--kafka 4.1", f"{PROTOCOLS}=classic,consumer,streams", 0, "YES"),
    ("--kafka 3.8", f"{PROTOCOLS}=classic,share", 2, "Invalid value share"),
    ("", f"{PROTOCOLS}=classic,CONSUMER", 2, "Invalid value CONSUMER"),
    ("--kafka 4.2", f"{UPDATES}=501", 2, "must be between .0, 500."),
    ("--kafka 4.2", f"{UPDATES}=500", 0, "YES"),
    ("--kafka 3.6", "broker.group.consumer.session.timeout.ms=9", 2, "requirement failed: group"),
    ("--kafka 3.6", "broker.group.consumer.heartbeat.interval.ms=5000", 0, "YES"),
    ("", f"{SHARE}.max.share.sessions=10", 2, "greater than or equal to group.share.max.size"),
    ("", "broker.group.streams.num.standby.replicas=3", 2, "group.streams.max.standby.replicas"),
    ("", "broker.group.streams.num.standby.replicas=2", 0, "YES"),
    ("", "broker.broker.id=-5", 2, "for configuration node.id: Value must be at least 0"),
    ("", "broker.broker.id=5", 0, "YES"),
    ("--kafka 3.9", "broker.broker.id=-5", 2, "broker.id must be greater than or equal to -1"),
    ("--kafka 3.9", "broker.broker.id=-1", 0, "YES"),
    ("--kafka 3.9", "broker.broker.id=1001 broker.zookeeper.connect=z:2181", 2, "not greater than"),
    # Sensor.RecordingLevel.forName; RemoteLogManagerConfig of 3.9
    ("", "broker.metrics.recording.level=foo", 2, "No enum constant .*RecordingLevel.FOO"),
    ("", "broker.metrics.recording.level=debug", 0, "YES"),
    ("--kafka 3.9", "broker.remote.log.manager.copier.thread.pool.size=0", 2, "be -1 or greater"),
    ("--kafka 3.9", "broker.remote.log.manager.copier.thread.pool.size=-1", 0, "YES"),
    # a class that is in the jar of 3.9.2 and not in that of 4.0.2
    ("", f"{PARTITIONER}=org.apache.kafka.clients.producer.UniformStickyPartitioner", 2,
     "UniformStickyPartitioner could not be found"),
    ("", f"{PARTITIONER}=org.apache.kafka.clients.producer.internals.DefaultPartitioner", 2,
     "DefaultPartitioner could not be found"),
    ("--kafka 3.9 --client-version 3.9",
     f"{PARTITIONER}=org.apache.kafka.clients.producer.internals.DefaultPartitioner", 0, "YES"),
    ("", f"{PARTITIONER}=org.apache.kafka.clients.producer.RoundRobinPartitioner", 0, "YES"),
    # LogConfig.validateRemoteStorageRetentionTime and …WhenRemoteCopyDisabled (KIP-950)
    ("", f"{LOCAL}.ms=-1", 2, "Value must not be -1 as retention.ms value is set as 604800000"),
    ("", f"{LOCAL}.bytes=-1 topic.retention.bytes=9", 2, "Value must not be -1 as retention.by"),
    ("", f"{LOCAL}.bytes=-1", 0, "YES"),
    ("", "topic.remote.storage.enable=true topic.retention.bytes=-10", 0, "YES"),
    ("", "application.racks=4", 2, "3 broker.s. can be in 3 rack.s. at most, not in 4"),
    ("--brokers 4", "application.racks=4", 0, "YES"),
    # a setting of other versions
    ("--kafka 4.0", "broker.log.message.format.version=3.0", 2,
     "no broker setting log.message.format.version in Kafka 4.0: it is one of 2.8 to 3.9"),
    ("--kafka 3.8", "application.replicas.moved=any-time", 2, "Kafka 3.8: it is one of 3.3 to 3"),
    ("--kafka 4.0", "application.metadata.mode=zookeeper", 2, "Kafka 4.0: it is one of 3.3 to 3"),
    ("--client-version 3.6", "consumer.group.protocol=consumer", 2,
     "no consumer setting group.protocol in java 3.6: it is one of 3.7 to 4"),
    ("--client-version 3.6", "producer.enable.idempotance=true", 2, "Did you mean enable.idem"),
    ("", "application.replicas.in.sync=4", 2, "4 replicas cannot be in sync with replication.fac"),
    ("", "application.replicas.in.sync=3", 0, "YES"),
    ("", "topic.max.compaction.lag.ms=-5", 2, "max.compaction.lag.ms must be from 1 to"),
    ("", "topic.min.compaction.lag.ms=9 topic.max.compaction.lag.ms=8", 2, "conflict topic config"),
    ("", "topic.remote.storage.enable=true topic.retention.ms=-10", 2, "must be from -1 to"),
    ("", f"{LOCAL}.ms=1000 topic.remote.log.copy.disable=true", 2, "set to the identical value"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, f"{C} {settings}", code, expected)


VOTERS = "controller.quorum.voters=1@a:9093,2@b:9093,3@c:9093\n"
COMBINED, BROKER = f"process.roles=broker,controller\n{VOTERS}", f"process.roles=broker\n{VOTERS}"
MIGRATION = "zookeeper.metadata.migration.enable=true\n"
ZOOKEEPER = "zookeeper.connect=zk:2181\n"
LISTENERS = "process.roles=broker\nlisteners=PLAINTEXT://:9092\n"
FILES = [
    # KafkaConfig.validateValues
    ("", f"{COMBINED}node.id=4\n", 2, "the node id 4 must be included in the set of voters"),
    ("", f"{COMBINED}node.id=3\n", 0, "YES.*controllers=3"),
    ("", f"{COMBINED}broker.id=4\n", 2, "the node id 4 must be included"),
    ("", f"{BROKER}node.id=3\n", 2, "the node id 3 must not be included"),
    ("", f"{BROKER}node.id=4\n", 0, "YES"),
    ("", f"{COMBINED}node.id=${{env:ID}}\n", 0, "YES"),
    ("", f"{COMBINED}node.id=1\nbroker.id=2\n", 2, "`node.id` to the same value as `broker.id`"),
    ("", f"{COMBINED}advertised.listeners=PLAINTEXT://0.0.0.0:9092\n", 2, "meta-address 0.0.0.0"),
    ("", f"{COMBINED}advertised.listeners=PLAINTEXT://10.0.0.0:9092\n", 0, "YES"),
    ("--kafka 3.9", "process.roles=broker\ninter.broker.protocol.version=2.8\n", 2,
     "A non-KRaft version 2.8 given for inter.broker.protocol.version"),
    ("--kafka 3.9", "process.roles=broker\ninter.broker.protocol.version=3.4\n", 0, "YES"),
    ("--kafka 3.9", f"process.roles=controller\n{MIGRATION}", 2, "must also be set"),
    ("--kafka 3.9", f"process.roles=controller\n{MIGRATION}{ZOOKEEPER}", 0,
     "a step of the migration"),
    # one host name may stand for one server or for all of them
    ("--kafka 3.9", ZOOKEEPER, 0,
     "YES.*application.zookeeper.servers=3.*names one server of ZooKeep"),
    ("--kafka 3.1", ZOOKEEPER, 0,
     "YES.*application.zookeeper.servers=3.*names one server of ZooKeep"),
    ("--kafka 3.1", "zookeeper.connect=a:1,b:1,c:1/kafka\n", 0,
     "YES(?!.*decides:[^.]*zookeeper.servers)(?!.*names one server)"),
    ("--kafka 3.9 --survive 2 --brokers 5", "zookeeper.connect=a:1,b:1\n", 1,
     "zookeeper.servers: 2 -> 5"),
    ("--kafka 3.9", f"{COMBINED}{ZOOKEEPER}", 0, "YES(?!.*names one server)"),
    # duplicates in a list are ignored since 4.2 (KafkaConfig.parseProcessRoles)
    ("--kafka 4.1", "process.roles=broker,broker\n", 2, "Duplicate role names found in"),
    ("--kafka 3.3", "process.roles=broker, broker\n", 2, "Duplicate role names found in"),
    ("--kafka 4.2", "process.roles=broker,broker\n", 0, "YES"),
    ("", "process.roles=\n", 2, "'process.roles' must not be empty"),
    # KafkaConfig.validateCordonedLogDirs (KIP-1066)
    ("", "log.dirs=/data/a, /data/b\ncordoned.log.dirs=/data/b\n", 0, "YES"),
    ("", "log.dirs=/data/a\ncordoned.log.dirs=/data/b, /data/a\n", 2,
     "All entries in cordoned.log.dirs must be present in log.dirs or log.dir. Missing entries : "
     "/data/b$"),
    ("", "log.dir=/data/a\ncordoned.log.dirs=/data/a\n", 0, "YES"),
    ("", "log.dir=/a\nlog.dirs=/data/a\ncordoned.log.dirs=/a\n", 2, "Missing entries : /a$"),
    ("", "log.dirs=${env:LOGS}\ncordoned.log.dirs=/data/a\n", 0, "YES"),
    ("", "cordoned.log.dirs=*\n", 0, "YES"),
    ("", "cordoned.log.dirs=*,/tmp/kafka-logs\n", 2, "set to [*], it must not contain other val"),
    ("", "process.roles=controller\nlog.dirs=/data/a\ncordoned.log.dirs=/data/b\n", 0, "YES"),
    ("--kafka 4.2", "log.dirs=/data/a\ncordoned.log.dirs=/data/b\n", 0, "YES"),
    # listeners (KafkaConfig.validateValues, SocketServerConfigs)
    ("", f"{LISTENERS}advertised.listeners=a:9092\n", 2, "Unable to parse an entry of adv"),
    ("", f"{LISTENERS}advertised.listeners=PLAINTEXT://_{{HOST}}:9092\n", 0, "YES"),
    ("", f"{LISTENERS}advertised.listeners=SSL://a:9092\n", 2, "be equal to or a subset of"),
    ("", f"{LISTENERS}controller.listener.names=PLAINTEXT\n", 2, "must not contain a value app"),
    ("", f"{LISTENERS}inter.broker.listener.name=B\n", 2, "must be a listener name defined in"),
    ("", f"{LISTENERS}listener.security.protocol.map=A:SSL\n", 2, "No security protocol def"),
    ("", f"{LISTENERS}early.start.listeners=B\n", 2, "early.start.listeners contains a"),
    ("", f"{LISTENERS.replace('//', '//a:1,PLAINTEXT://')}", 2, "must have a different name"),
    ("", f"{LISTENERS.replace('//', '//:9092,SSL://')}", 2, "must have a different port"),
    ("", "controller.quorum.bootstrap.servers=a\n", 2, "in the form \"{host}:{port}\""),
    ("", "process.roles=broker\ncontroller.quorum.auto.join.enable=true\n", 2, "contains the 'con"),
    ("", f"{COMBINED}node.id=1\ncontroller.quorum.auto.join.enable=true\n", 0, "YES"),
    ("", "max.connections.per.ip.overrides=a\n", 2, "Error parsing configuration property"),
    ("", f"{BROKER}max.connections.per.ip.overrides=a:200,127.0.0.1:100\n", 0, "YES"),
    ("--kafka 4.0", "log.segment.bytes=1048575\n", 2, "must be at least 1048576"),
    ("--kafka 3.9", "log.segment.bytes=1048575\n", 0, "YES"),
    ("--kafka 4.1", "replica.lag.time.max.ms=-1\n", 2, "replica.lag.time.max.ms"),
    # assignors are classes, and since 4.0 also names; lists that must not be empty (KIP-1161)
    ("", "group.consumer.assignors=foo\n", 2, "foo ClassNotFoundException"),
    ("", "group.share.assignors=uniform\n", 2, "uniform ClassNotFoundException"),
    ("", "group.consumer.assignors=range, uniform\n", 0, "YES"),
    ("--kafka 3.9", "group.consumer.assignors=range\n", 2, "range ClassNotFoundException"),
    ("--kafka 4.1", "group.share.assignors=\n", 2, "exactly one assignor, but found 0"),
    ("--kafka 4.1", "group.consumer.assignors=\n", 0, "YES"),
    ("", "group.consumer.assignors=\n", 2, "'group.consumer.assignors' must not be empty"),
    ("", f"{COMBINED}controller.listener.names=\n", 2, "listener.names' must not be empty"),
    ("--kafka 3.9", "zookeeper.connect=z:1\nlisteners=\n", 2, "listeners must contain at least"),
    # an empty number; strings and lists may be empty
    ("", f"{BROKER}num.io.threads=\n", 2, "num.io.threads is empty"),
    ("", f"{BROKER}compression.type=\n", 2, "compression.type is empty"),
    ("", f"{BROKER}auto.create.topics.enable=\n", 2, "auto.create.topics.enable is empty"),
    ("", f"{BROKER}log.cleaner.min.cleanable.ratio=\n", 2, "cleanable.ratio is empty"),
    ("", f"{BROKER}ssl.cipher.suites=\nbroker.rack=\n", 0, "YES"),
    # numbers in settings for credentials are not credentials
    ("", f"{BROKER}delegation.token.max.lifetime.ms=0\n", 2, "must be from 1 to"),
    ("", f"{BROKER}delegation.token.expiry.time.ms=-1\n", 2, "must be from 1 to"),
    ("", f"{BROKER}delegation.token.expiry.check.interval.ms=x\n", 2, "must be a whole number"),
    ("", f"{BROKER}delegation.token.max.lifetime.ms=9\n", 0, "YES"),
    ("", f"{BROKER}delegation.token.secret.key=9\n", 0, "secret.key is a credential: dropped"),
    ("--kafka 3.9", f"{BROKER}password.encoder.iterations=5\n", 2, "must be from 1024 to"),
    ("--kafka 3.9", f"{BROKER}password.encoder.key.length=7\n", 2, "must be from 8 to"),
    ("--kafka 3.9", f"{BROKER}password.encoder.secret=7\n", 0, "secret is a credential: dropped"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "text", "code", "expected"), FILES)
def test_a_broker_file_gets_the_expected_answer(
    tmp_path: Path, options: str, text: str, code: int, expected: str
) -> None:
    more = " topic.replication.factor=4 topic.min.insync.replicas=3" if "survive" in options else ""
    path = tmp_path / "server.properties"
    assert_file(path, text, f"{options} --broker", f"{C}{more}", code, expected)


RANGE = "group.consumer.assignors=range\n"
NEW_PROTOCOL = "group.protocol=consumer\ngroup.remote.assignor=uniform\n"
STRATEGY = "partition.assignment.strategy=org.apache.kafka.clients.consumer.RangeAssignor\n"


@pytest.mark.parametrize(("servers", "consumers", "more", "code", "expected"), [
    (RANGE, NEW_PROTOCOL, "", 2, "ServerAssignor uniform is not supported"),
    (RANGE, NEW_PROTOCOL.replace("uniform", "range"), "", 0, "YES"),
    (RANGE, "", "consumer.group.protocol=consumer consumer.group.remote.assignor=uniform", 2,
     "ServerAssignor uniform is not supported"),
    ("", STRATEGY, "consumer.group.protocol=consumer", 2, "cannot be set when"),
    ("", STRATEGY, "", 0, "YES"),
])  # fmt: skip
def test_a_refused_combination_in_two_places_is_refused(
    tmp_path: Path, servers: str, consumers: str, more: str, code: int, expected: str
) -> None:
    server, consumer = tmp_path / "server.properties", tmp_path / "consumer.properties"
    server.write_text(f"{COMBINED}node.id=1\n{servers}")
    consumer.write_text(f"group.id=g\n{consumers}")
    assert_answer(f"{server} {consumer}", f"{C} {more}".strip(), code, expected)


@pytest.mark.parametrize("options", ["", "--client librdkafka"])
def test_an_empty_group_id_is_refused(tmp_path: Path, options: str) -> None:
    text = "bootstrap.servers=a:9092\ngroup.id=\nenable.auto.commit=false\n"
    path = tmp_path / "consumer.properties"
    assert_file(path, text, f"{options} --consumer", C, 2, "group.id should not be an empty string")


@pytest.mark.parametrize(("name", "text"), [
    ("application.properties",
     "spring.kafka.consumer.group-id=${GROUP:}\nspring.kafka.consumer.auto-offset-reset=none\n"),
    ("c.py", 'conf = {"bootstrap.servers": "a", "group.id": os.getenv("GROUP", "")}\n'
     "c = Consumer(conf)\n"),
])  # fmt: skip
def test_an_empty_default_of_a_group_id_is_not_refused(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert "should not be an empty string" not in given(str(path), C)[1]
