"""At least one example file of each kind that can be read, and the expected result."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Value


@dataclass(frozen=True)
class Example:
    """A file, the settings and fields it states, and the lines of some of its settings."""

    kind: str
    text: str
    settings: dict[str, Value]
    lines: dict[str, int]
    heads: dict[str, str]


EXAMPLES = [
    Example(
        "producer-properties", "bootstrap.servers=a:9092\nacks=1\nlinger.ms=5\n",
        {"producer.acks": "1", "producer.linger.ms": 5}, {"producer.acks": 2}, {},
    ),
    Example(
        "consumer-properties", "group.id=g\nauto.offset.reset = earliest\n",
        {"consumer.auto.offset.reset": "earliest"}, {"consumer.auto.offset.reset": 2}, {},
    ),
    Example(
        "clients-properties", "bootstrap.servers=a:9092\nacks=1\nauto.offset.reset=earliest\n",
        {"producer.acks": "1", "consumer.auto.offset.reset": "earliest"},
        {"producer.acks": 2, "consumer.auto.offset.reset": 3}, {},
    ),
    Example(
        "broker-properties", "node.id=1\nlog.dirs=/d\nmin.insync.replicas=2\n",
        {"broker.log.dirs": "stated", "broker.min.insync.replicas": 2},
        {"broker.log.dirs": 2, "broker.min.insync.replicas": 3}, {},
    ),
    Example(
        "topic-properties", "replication.factor=3\nmin.insync.replicas=2\n",
        {"topic.replication.factor": 3, "topic.min.insync.replicas": 2},
        {"topic.replication.factor": 1}, {},
    ),
    Example(
        "spring",
        """
spring:
  kafka:
    producer:
      acks: 1
      batchSize: 16KB
      properties:
        "[enable.idempotence]": off
        linger.ms: 5
    consumer:
      auto_offset_reset: earliest
      isolation-level: READ_COMMITTED
      auto-commit-interval: 2s
    listener: {ack-mode: record}
---
spring.config.activate.on-profile: dev
spring.kafka.bootstrap-servers: localhost:9092
""",
        {
            "producer.acks": "1", "producer.batch.size": 16384, "producer.linger.ms": 5,
            "producer.enable.idempotence": False, "consumer.auto.offset.reset": "earliest",
            "consumer.isolation.level": "read_committed", "consumer.enable.auto.commit": False,
            "consumer.auto.commit.interval.ms": 2000, "application.commit": "after-processing",
            "application.framework": "spring",
        },
        {"producer.acks": 5, "producer.enable.idempotence": 8, "application.commit": 14},
        {"family": "java"},
    ),
    Example(
        "spring", "spring.kafka.producer.acks=0\nspring.kafka.properties.max.poll.records=7\n",
        {"producer.acks": "0", "consumer.max.poll.records": 7,
         "consumer.enable.auto.commit": False, "application.commit": "after-processing",
         "application.framework": "spring"},
        {"producer.acks": 1}, {"family": "java"},
    ),
    Example(
        "python-dict",
        """
from confluent_kafka import Consumer, Producer
conf = {"bootstrap.servers": "a", "acks": 1, "message.timeout.ms": 9000, "on_delivery": told}
reader = Consumer({"group.id": "g",
                   "enable.auto.commit": False})
""",
        {"producer.acks": "1", "producer.delivery.timeout.ms": 9000,
         "consumer.enable.auto.commit": False},
        {"producer.acks": 3, "consumer.enable.auto.commit": 5}, {"family": "librdkafka"},
    ),
    Example(
        "librdkafka-json",
        '{"producer": {"acks": "all",\n "enable.idempotence": true},\n'
        '"consumer": {"enable.auto.commit": false}}',
        {"producer.acks": "all", "producer.enable.idempotence": True,
         "consumer.enable.auto.commit": False},
        {"producer.enable.idempotence": 2}, {"family": "librdkafka"},
    ),
    Example(
        "dockerfile",
        "FROM maven AS build\nENV SPRING_KAFKA_PRODUCER_ACKS=all\nFROM jre\n"
        "ENV SPRING_KAFKA_PRODUCER_ACKS=1\nCMD java -jar a.jar\n",
        {"producer.acks": "1"}, {"producer.acks": 4},
        {"family": "java"},
    ),
    Example(
        "logged-settings",
        "12:00:00.000 [main] INFO  o.a.k.c.producer.ProducerConfig - ProducerConfig values: \n"
        "\tacks = 1\n\tbootstrap.servers = [a:9092]\n\tkey.serializer = class a.B\n"
        "\ttransactional.id = null\n\n12:00:00.100 [main] INFO  o.a.k.c.u.AppInfoParser - Kafka\n"
        "12:00:00.200 [main] INFO  ConsumerConfig - ConsumerConfig values: \n"
        "\tauto.offset.reset = earliest\n\tgroup.instance.id = null\n",
        {"producer.acks": "1", "consumer.auto.offset.reset": "earliest"},
        {"producer.acks": 2, "consumer.auto.offset.reset": 9}, {},
    ),
    Example(
        "spark-defaults", "# of the cluster\nspark.master yarn\nspark.speculation true\n",
        {"application.speculation": True}, {"application.speculation": 3}, {"family": "spark"},
    ),
    Example(
        "spark-options", "kafka.acks=1\nstartingOffsets=earliest\nsubscribe=orders\n",
        {"producer.acks": "1", "consumer.startingOffsets": "earliest"},
        {"producer.acks": 1}, {"family": "spark"},
    ),
    Example(
        "spark-options",
        'spark.readStream.format("kafka")\n'
        '  .option("kafka.request.timeout.ms", 7000).option("failOnDataLoss", "false")\n'
        'rows.writeStream.format("kafka").option("kafka.request.timeout.ms", "9000")\n',
        {
            "consumer.failOnDataLoss": False, "consumer.request.timeout.ms": 7000,
            "producer.request.timeout.ms": 9000,
        },
        {"producer.request.timeout.ms": 3}, {"family": "spark"},
    ),
    Example(
        "spark-options", 'options = {"kafka.acks": "1", "startingOffsets": "earliest"}',
        {"producer.acks": "1", "consumer.startingOffsets": "earliest"},
        {"producer.acks": 1}, {"family": "spark"},
    ),
    Example(
        "topics-describe",
        "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\t"
        "Configs: min.insync.replicas=2,cleanup.policy=compact,delete,retention.ms=9\n"
        "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n",
        {"topic.replication.factor": 3, "topic.min.insync.replicas": 2,
         "topic.cleanup.policy": "compact,delete", "topic.retention.ms": 9},
        {"topic.retention.ms": 1}, {},
    ),
    Example(
        "topics-describe", "Topic:orders\tPartitionCount:1\tReplicationFactor:1\tConfigs:\n",
        {"topic.replication.factor": 1}, {"topic.replication.factor": 1}, {},
    ),
    Example(
        "features-describe",
        "Feature: metadata.version\tSupportedMinVersion: 3.3-IV3\tSupportedMaxVersion: 4.1-IV1\t"
        "FinalizedVersionLevel: 4.1-IV1\tEpoch: 8\nFeature: transaction.version\t"
        "SupportedMinVersion: 0\tSupportedMaxVersion: 2\tFinalizedVersionLevel: 1\tEpoch: 8\n",
        {"application.transaction.version": 1}, {"application.transaction.version": 2},
        {"kafka": "4.1"},
    ),
    Example(
        "quorum-describe", "LeaderId:               1\nCurrentVoters:          [1,2,3]\n",
        {"application.controllers": 3}, {"application.controllers": 2}, {},
    ),
    Example(
        "configs-describe",
        "All configs for topic orders are:\n"
        "  cleanup.policy=delete sensitive=false synonyms={DEFAULT_CONFIG:x=delete}\n"
        "  min.insync.replicas=2 sensitive=false "
        "synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2, DEFAULT_CONFIG:x=1}\n"
        "  unclean.leader.election.enable=true sensitive=false "
        "synonyms={STATIC_BROKER_CONFIG:unclean.leader.election.enable=true}\n"
        "  retention.ms=3600000 sensitive=false "
        "synonyms={STATIC_BROKER_CONFIG:log.retention.hours=1}\n"
        "  ssl.key=null sensitive=true synonyms={}\n",
        {"topic.min.insync.replicas": 2, "broker.unclean.leader.election.enable": True,
         "topic.retention.ms": 3600000},
        {"topic.min.insync.replicas": 3}, {},
    ),
    Example(
        "configs-describe",
        "All configs for topic orders are:\n"
        "  min.insync.replicas=1 sensitive=false "
        "synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=1, "
        "STATIC_BROKER_CONFIG:min.insync.replicas=2, DEFAULT_CONFIG:min.insync.replicas=1}\n",
        {"topic.min.insync.replicas": 1, "application.offsets.topic.min.insync.replicas": 1},
        {"topic.min.insync.replicas": 2}, {},
    ),
    Example(
        "configs-describe",
        "Default configs for brokers in the cluster are:\n"
        "  min.insync.replicas=2 sensitive=false "
        "synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=2}\n",
        {"topic.min.insync.replicas": 2, "application.offsets.topic.min.insync.replicas": 2},
        {"topic.min.insync.replicas": 2}, {},
    ),
    Example(
        "strimzi",
        """apiVersion: kafka.strimzi.io/v1
kind: Kafka
spec:
  kafka:
    version: 4.1.0
    config: {min.insync.replicas: 2, unclean.leader.election.enable: no}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
spec: {replicas: 5, roles: [broker]}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
spec: {replicas: 3, roles: [controller]}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
spec: {replicas: 3, config: {retention.ms: 9}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaUser
spec: {authentication: {type: scram-sha-512}}
""",
        {"broker.min.insync.replicas": 2, "broker.unclean.leader.election.enable": False,
         "topic.replication.factor": 3, "topic.retention.ms": 9, "application.controllers": 3},
        {"broker.min.insync.replicas": 6, "topic.retention.ms": 18},
        {"kafka": "4.1", "brokers": "5"},
    ),
    Example(
        "compose",
        """
x-all: &all {KAFKA_MIN_INSYNC_REPLICAS: 2, KAFKA_HEAP_OPTS: -Xmx1g}
x-copies: &copies {KAFKA_DEFAULT_REPLICATION_FACTOR: 3, KAFKA_PROCESS_ROLES: "broker,controller"}
services:
  a: {volumes: ['a:/d'], environment: {<<: [*all, *copies], KAFKA_NODE_ID: 1}}
  b:
    volumes: ['b:/d']
    environment:
      - KAFKA_CFG_NODE_ID=2
      - KAFKA_CFG_DEFAULT_REPLICATION_FACTOR=3
      - KAFKA_CFG_MIN_INSYNC_REPLICAS=2
  c:
    volumes: ['c:/d']
    environment: {<<: [*all, *copies], KAFKA_NODE_ID: 3, KAFKA_PROCESS_ROLES: controller}
  d: {image: redis, environment: {OTHER: 1}}
""",
        {"broker.min.insync.replicas": 2, "broker.default.replication.factor": 3,
         "application.controllers": 2},
        {"broker.default.replication.factor": 3}, {"brokers": "2"},
    ),
    Example(
        "compose",
        """
services:
  app:
    environment:
      - SPRING_KAFKA_PRODUCER_ACKS=1
      - SPRING_KAFKA_PRODUCER_PROPERTIES_ENABLE_IDEMPOTENCE=false
""",
        {"producer.acks": "1", "producer.enable.idempotence": False},
        {"producer.acks": 5}, {"family": "java"},
    ),
    Example(
        "environment",
        "# the team's\nexport KAFKA_MIN_INSYNC_REPLICAS=2 # of 3\n"
        "SPRING_KAFKA_CONSUMER_AUTOOFFSETRESET='earliest'\nOTHER=1\n",
        {"broker.min.insync.replicas": 2, "consumer.auto.offset.reset": "earliest",
         "consumer.enable.auto.commit": False, "application.commit": "after-processing",
         "application.framework": "spring"},
        {"broker.min.insync.replicas": 2, "consumer.auto.offset.reset": 3}, {"family": "java"},
    ),
    Example(
        "environment", "KAFKA_CFG_DEFAULT_REPLICATION_FACTOR=3\n",
        {"broker.default.replication.factor": 3}, {"broker.default.replication.factor": 1}, {},
    ),
    Example(
        "python-dict", "conf = dict(acks='all', **{'linger.ms': 5})",
        {"producer.acks": "all", "producer.linger.ms": 5}, {"producer.acks": 1},
        {"family": "librdkafka"},
    ),
    Example(
        "python-dict", '    "acks": "all",\n    # 1: leader\n    "linger.ms": 5, "retries": 3,\n',
        {"producer.acks": "all", "producer.linger.ms": 5, "producer.retries": 3},
        {"producer.acks": 1, "producer.retries": 3}, {"family": "librdkafka"},
    ),
    Example(
        "java-code",
        "import org.apache.kafka.clients.producer.*;\nclass A {\n void m() {\n"
        "  Properties p = new Properties();\n  p.put(ProducerConfig.ACKS_CONFIG, \"1\");\n"
        "  p.put(\"linger.ms\", 5);\n  p.put(\"sasl.jaas.config\", \"secret\");\n"
        "  new KafkaProducer<>(p);\n }\n}\n",
        {"producer.acks": "1", "producer.linger.ms": 5},
        {"producer.acks": 5, "producer.linger.ms": 6}, {"family": "java"},
    ),
    Example(
        "streams-properties",
        "application.id=orders\nbootstrap.servers=b:9092\nprocessing.guarantee=exactly_once_v2\n"
        "producer.acks=all\nmain.consumer.max.poll.records=9\nconsumer.max.poll.records=7\n"
        "request.timeout.ms=40000\ntopic.min.insync.replicas=2\ntopic.segment.ms=5\n"
        "admin.retries=3\nproducer.sasl.jaas.config=secret\n",
        {"streams.application.id": "stated", "streams.processing.guarantee": "exactly_once_v2",
         "streams.topic.min.insync.replicas": 2, "producer.acks": "all",
         "consumer.max.poll.records": 9, "producer.request.timeout.ms": 40000,
         "consumer.request.timeout.ms": 40000},
        {"streams.processing.guarantee": 3, "consumer.max.poll.records": 5},
        {"family": "streams"},
    ),
    Example(
        "spring",
        "spring:\n  kafka:\n    streams:\n      application-id: orders\n"
        "      replication-factor: 3\n      properties:\n"
        '        "[processing.guarantee]": exactly_once_v2\n        "[producer.acks]": all\n',
        {"streams.application.id": "stated", "streams.replication.factor": 3,
         "streams.processing.guarantee": "exactly_once_v2", "producer.acks": "all"},
        {"streams.replication.factor": 5}, {"family": "streams"},
    ),
    Example(
        "smallrye",
        "mp.messaging.incoming.in.connector=smallrye-kafka\n"
        "mp.messaging.incoming.in.auto.offset.reset=earliest\n"
        "mp.messaging.outgoing.out.connector=smallrye-kafka\n",
        {"consumer.auto.offset.reset": "earliest", "consumer.enable.auto.commit": False,
         "producer.acks": "1", "application.framework": "quarkus",
         "application.processing": "asynchronous", "application.commit": "after-processing",
         "application.commit.order": "in-order"},
        {"consumer.auto.offset.reset": 2, "producer.acks": 3}, {"family": "java"},
    ),
    Example(
        "quarkus-streams",
        "quarkus.kafka-streams.application-id=a\nkafka-streams.producer.acks=1\n",
        {"streams.application.id": "stated", "producer.acks": "1"},
        {"streams.application.id": 1, "producer.acks": 2}, {"family": "streams"},
    ),
    Example(
        "micronaut", "kafka:\n  producers:\n    default:\n      acks: 1\n",
        {"producer.acks": "1"}, {"producer.acks": 4}, {"family": "java"},
    ),
    Example(
        "kubernetes",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n"
        "  producer.properties: |\n    # ours\n    acks=1\n"
        "  consumer.properties: |\n    group.id=g\n    auto.offset.reset=earliest\n",
        {"producer.acks": "1", "consumer.auto.offset.reset": "earliest"},
        {"producer.acks": 7, "consumer.auto.offset.reset": 10}, {},
    ),
    Example(
        "kubernetes",
        "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
        "      - name: a\n        env:\n        - {name: SPRING_KAFKA_PRODUCER_ACKS, value: '1'}\n"
        "        - {name: OTHER, value: x}\n",
        {"producer.acks": "1"}, {"producer.acks": 9}, {"family": "java"},
    ),
    Example(
        "systemd",
        "[Unit]\nDescription=orders\n[Service]\nEnvironment=A=b \"SPRING_KAFKA_PRODUCER_ACKS=1\"\n"
        "ExecStart=/usr/bin/java -jar a.jar\n",
        {"producer.acks": "1"}, {"producer.acks": 4}, {"family": "java"},
    ),
    Example(
        "terraform",
        'resource "kafka_topic" "t" {\n  name = "t"\n  replication_factor = 3\n  config = {\n'
        '    "min.insync.replicas" = "2" # of 3\n    "index.interval.bytes" = var.kept\n  }\n}\n',
        {"topic.replication.factor": 3, "topic.min.insync.replicas": 2},
        {"topic.replication.factor": 3, "topic.min.insync.replicas": 5}, {},
    ),
    Example(
        "script",
        "#!/bin/sh\nCOPIES=3\nbin/kafka-topics.sh --create --topic a \\\n"
        "  --replication-factor $COPIES --config min.insync.replicas=2\n",
        {"topic.replication.factor": 3, "topic.min.insync.replicas": 2},
        {"topic.replication.factor": 3}, {},
    ),
]  # fmt: skip
