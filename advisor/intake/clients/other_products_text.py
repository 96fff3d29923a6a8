"""Programs and files of other products that are not read. The error names the product and says what
to give instead.

Code is recognised by an import of the library, or by a call that creates its client. A file is
recognised by names that only its product has. All names are from the products' documentation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from advisor.intake.text import IntakeError, line_of

_OWN_PROTOCOL = (
    "It implements Kafka's protocol itself, and has its own defaults. Answer the questions as for "
    "the Java client, and state every value, also those that the code does not set."
)
_LIBRDKAFKA = (
    "It passes its settings to librdkafka. Give them with librdkafka's names, one per line "
    "(acks=all), as properties, and choose --client librdkafka."
)
_JAVA_CLIENTS = (
    "It configures Java clients by its own rules. Give the lines that each of its clients logs "
    "when it starts (ProducerConfig values, ConsumerConfig values), and state "
    "application.commit: when the code commits. A framework that commits by itself also decides "
    "what happens to a message that fails: state application.framework, too, if it is spring or "
    "quarkus."
)
_EMBEDDED_CLIENT = (
    "It configures Kafka's clients by its own rules and defaults. Answer the questions for the "
    "client that it uses (its documentation names the library), and state every value."
)
_ENGINE = "It configures Kafka's clients by its own rules, and what they guarantee is not covered."


_REMOVED = (
    "Kafka 2.0 has removed them, and what they guarantee is not covered. Move to KafkaConsumer "
    "and KafkaProducer first."
)
_RESOURCE = (
    "Its operator makes the settings of topics and brokers by its own rules. Give what "
    "kafka-topics.sh --describe and kafka-configs.sh --describe --all print."
)


_OF_STACKS = "Give what stands in ServerProperties as a file of its own, server.properties."
_OF_TASKS = (
    "Give the variables of its container as a file of variables (.env), NAME=value a line, beside "
    "the other files."
)


_CODE, _FILE, _MANIFEST = "code with", "a file of", "a resource of"


@dataclass(frozen=True, slots=True)
class _Other:
    """Another product: its name, a pattern that recognises its text, and what to give instead."""

    name: str
    pattern: re.Pattern[str]
    instead: str


def _others(kind: str, instead: str, *rows: tuple[str, str]) -> tuple[_Other, ...]:
    compiled = ((name, re.compile(pattern, re.MULTILINE)) for name, pattern in rows)
    return tuple(_Other(f"{kind} {name}", pattern, instead) for name, pattern in compiled)


_STRING = r"[\"'`]"
_OTHERS = (
    *_others(
        _CODE,
        _OWN_PROTOCOL,
        ("sarama (Go)", r"\"github\.com/(?:IBM|Shopify)/sarama|\bsarama\.New\w+\("),
        ("franz-go (Go)", r"\"github\.com/twmb/franz-go|\bkgo\.NewClient\("),
        ("kafka-go (Go)", r"\"github\.com/segmentio/kafka-go|\bkafka\.(?:Writer|ReaderConfig)\{"),
        ("goka (Go)", r"\"github\.com/lovoo/goka|\bgoka\.DefineGroup\("),
        ("KafkaJS (JavaScript, TypeScript)", rf"(?:from|require\()[ \t]*{_STRING}kafkajs{_STRING}"),
        ("kafka-node (JavaScript)", rf"(?:from|require\()[ \t]*{_STRING}kafka-node{_STRING}"),
        ("@platformatic/kafka (JavaScript, TypeScript)",
         rf"(?:from|require\()[ \t]*{_STRING}@platformatic/kafka{_STRING}"),
        ("ruby-kafka (Ruby)", r"require[ \t]+[\"'](?:ruby-)?kafka[\"']|\bKafka\.new\("),
        ("brod (Erlang, Elixir)", r"(?:^|[\s\[{(]):brod\b|\bbrod:\w+\(|\bBroadwayKafka\."),
        ("KafkaEx (Elixir)", r"\bKafkaEx\.|:kafka_ex\b"),
        ("rskafka (Rust)", r"\buse[ \t]+rskafka::"),
        ("kafka-rust (Rust)", r"\buse[ \t]+kafka::(?:producer|consumer|client)"),
        ("Faust (Python)", r"^[ \t]*(?:import|from)[ \t]+faust\b|\bfaust\.App\("),
        ("FastStream (Python)", r"^[ \t]*(?:import|from)[ \t]+faststream\b"),
        ("pykafka (Python)", r"^[ \t]*(?:import|from)[ \t]+pykafka\b"),
    ),
    *_others(
        _CODE,
        _LIBRDKAFKA,
        ("confluent-kafka-go (Go)", r"\"(?:github\.com/confluentinc|gopkg\.in/confluentinc)/"
         r"confluent-kafka-go|\bkafka\.ConfigMap\{"),
        ("confluent-kafka-javascript (JavaScript, TypeScript)",
         rf"(?:from|require\()[ \t]*{_STRING}@confluentinc/kafka-javascript{_STRING}"),
        ("node-rdkafka (JavaScript)", rf"(?:from|require\()[ \t]*{_STRING}node-rdkafka{_STRING}"),
        ("confluent-kafka-dotnet (C#, appsettings.json)",
         r"\busing[ \t]+Confluent\.Kafka\b|\"(?:BootstrapServers|AutoOffsetReset)\"[ \t]*:"
         r"|\bnew[ \t]+(?:Producer|Consumer)(?:Config\s*(?:\{|\(\s*\))|Builder<)"),
        ("rust-rdkafka (Rust)", r"\buse[ \t]+rdkafka::"),
        ("php-rdkafka (PHP)", r"\bnew[ \t]+\\?RdKafka\\|\buse[ \t]+RdKafka\\"),
        ("rdkafka-ruby (Ruby)", r"\bRdkafka::Config\b|require[ \t]+[\"']rdkafka[\"']"),
        ("Karafka (Ruby)", r"\bKarafka::|\bWaterDrop::"
         r"|require[ \t]+[\"'](?:karafka|waterdrop)[\"']"),
        ("librdkafka (C, C++)", r"#include[ \t]*[<\"](?:librdkafka/)?rdkafka(?:cpp)?\.h"
         r"|\brd_kafka_conf_set\("),
        ("cppkafka (C++)", r"#include[ \t]*[<\"]cppkafka/"),
        ("Quix Streams (Python)", r"^[ \t]*(?:import|from)[ \t]+quixstreams\b"),
    ),
    *_others(
        _CODE,
        _JAVA_CLIENTS,
        ("Reactor Kafka (Java)", r"\bimport[ \t]+reactor\.kafka\.|\b(?:Sender|Receiver)Options\.<"),
        ("Alpakka or Pekko Kafka (Scala, Java)",
         r"\bimport[ \t]+(?:akka|org\.apache\.pekko)\.kafka\b"),
        ("FS2 Kafka (Scala)", r"\bimport[ \t]+fs2\.kafka\b"),
        ("ZIO Kafka (Scala)", r"\bimport[ \t]+zio\.kafka\b"),
        ("Vert.x (Java)", r"\bimport[ \t]+io\.vertx\.kafka\b"),
        ("Spring for Apache Kafka (Java, Kotlin)",
         r"\bimport[ \t]+org\.springframework\.kafka\.(?!annotation\.(?:(?:EnableKafka(?:Streams)?"
         r"|KafkaListener|RetryableTopic|DltHandler|BackOff)\b|\*)|config\.(?:Concurrent)?KafkaListener"
         r"ContainerFactory\b|config\.TopicBuilder\b|core\.(?:(?:Default)?Kafka(?:Template|Operations"
         r"|Admin|ConsumerFactory|ProducerFactory)|(?:Consumer|Producer)Factory)\b|core\.\*"
         r"|listener\.(?:Common(?:Logging)?ErrorHandler|ConcurrentMessageListenerContainer"
         r"|ConsumerRecordRecoverer|ContainerProperties|DeadLetterPublishingRecoverer"
         r"|DefaultErrorHandler)\b|retrytopic\.(?:DltStrategy|RetryTopicHeaders|RetryTopicConfiguration(?:Builder)?"
         r"|SameIntervalTopicReuseStrategy|TopicSuffixingStrategy)\b|support\.(?:Acknowledgment|ExponentialBackOff"
         r"WithMaxRetries|KafkaHeaders|SendResult|(?:converter|serializer)\.[\w*]+)"
         r"|transaction\.Kafka(?:AwareTransactionManager|TransactionManager)\b)"),
        ("Micronaut Kafka (Java, Kotlin)", r"\bimport[ \t]+io\.micronaut\.configuration\.kafka\b"),
        ("SmallRye Reactive Messaging (Java, Kotlin)",
         r"\bimport[ \t]+(?:org\.eclipse\.microprofile|io\.smallrye)\.reactive\.messaging\b"),
    ),
    *_others(
        _CODE,
        _REMOVED,
        ("the clients of Kafka before 2.0 (kafka.consumer, kafka.producer)",
         r"\bimport[ \t]+kafka\.(?:javaapi\.)?(?:consumer|producer)\.|\bkafka\.javaapi\.\w"),
    ),
    *_others(
        _CODE,
        _ENGINE,
        ("Flink (Java, Scala, Python)",
         r"\bimport[ \t]+org\.apache\.flink\b|^[ \t]*(?:import|from)[ \t]+pyflink\b"),
        ("DStreams of Spark Streaming (Scala, Java, Python)",
         r"\bKafkaUtils\.create(?:Direct)?(?:Stream|RDD)\b|\bspark\.streaming\.kafka"),
        ("Bytewax (Python)", r"^[ \t]*(?:import|from)[ \t]+bytewax\b"),
        ("Streamz (Python)", r"^[ \t]*(?:import|from)[ \t]+streamz\b"),
        ("Pathway (Python)", r"^[ \t]*(?:import|from)[ \t]+pathway\b"),
        ("Camel (Java, YAML)", r"[\"'(]kafka:[\w.-]+\?[\w.]*=|^camel:[ \t]*$"),
        ("Beam (Java, Python)",
         r"\bimport[ \t]+org\.apache\.beam\b|^[ \t]*(?:import|from)[ \t]+apache_beam\b"),
    ),
    *_others(
        _MANIFEST,
        _RESOURCE,
        *(
            (name, rf"^[ -]*apiVersion:[ \t]*['\"]?(?:{group})/")
            for name, group in (
                ("Confluent for Kubernetes", r"(?:[\w-]+\.)*platform\.confluent\.io"),
                ("Koperator", r"kafka\.banzaicloud\.io"),
                ("Aiven's operator", r"aiven\.io"),
                ("Redpanda's operator", r"(?:cluster\.)?redpanda\.(?:vectorized\.io|com)"),
                ("KubeDB", r"kubedb\.com"),
                ("Crossplane",
                 r"(?:\w+\.)*kafka(?:\.aws(?:\.m)?\.upbound|\.crossplane|\.aws\.crossplane)\.io"),
            )
        ),
    ),
    *_others(
        _FILE,
        _OF_TASKS,
        ("tasks of Amazon ECS",
         r"\"[cC]ontainerDefinitions\"[ \t]*:|^[ \t]+ContainerDefinitions:"),
    ),
    *_others(
        _MANIFEST,
        _OF_STACKS,
        ("AWS CloudFormation", r"[\"']?Type[\"']?:[ \t]*[\"']?AWS::MSK::Configuration\b"),
    ),
    *_others(
        _FILE,
        _EMBEDDED_CLIENT,
        ("Logstash", r"^[ \t]*(?:bootstrap_servers|topic_id|auto_offset_reset)[ \t]*=>"),
        ("Vector", r"^[ \t]+librdkafka_options:|^\[(?:sinks|sources)\."
         r"|^(?:sinks|sources):[ \t]*\n(?:[ \t].*\n){1,20}?[ \t]+type:[ \t]*[\"']?kafka\b"),
        ("Fluent Bit", r"^[ \t]*-?[ \t]*rdkafka\.[\w.]+[ \t:]|^[ \t]*[Nn]ame[ \t]+kafka\b"),
        ("Fluentd", r"^[ \t]*@type[ \t]+(?:rd)?kafka"),
        ("Telegraf", r"^[ \t]*\[\[(?:outputs|inputs)\.kafka"),
        ("Filebeat and the other Beats", r"^output\.kafka:|^(?:file|metric|audit|packet)beat\."),
        ("the OpenTelemetry Collector",
         r"^(?:exporters|receivers):[ \t]*\n(?:[ \t].*\n){0,60}?[ \t]+kafka(?:/[\w.-]+)?:"),
        ("rsyslog", r"[\"'](?:om|im)kafka[\"']"),
        ("Dapr", r"^[ \t]+type:[ \t]*(?:pubsub|bindings)\.kafka\b"),
        ("Redpanda Connect (Benthos)", r"^[ \t]+kafka_franz:"
         r"|^(?:input|output):[ \t]*\n[ \t]+kafka:"),
        ("StarRocks or Apache Doris", r"\bROUTINE[ \t]+LOAD\b"),
        ("Materialize", r"\bFROM[ \t]+KAFKA[ \t]+CONNECTION\b"),
        ("RisingWave", r"^[ \t]*connector[ \t]*=[ \t]*'kafka'"),
        ("Druid", r"\"consumerProperties\"[ \t]*:"),
        ("Pinot", r"\"stream\.kafka\.[\w.-]+\"[ \t]*:"),
        ("Flume", r"\borg\.apache\.flume\.(?:sink|source|channel)\.kafka\b"),
        ("Grafana Alloy", r"^otelcol\.\w+\.kafka[ \t]|^loki\.source\.kafka[ \t]"),
        ("Promtail", r"^scrape_configs:[ \t]*\n(?:.*\n){0,20}?[ \t]+kafka:"),
        ("Trino", r"^connector\.name[ \t]*=[ \t]*kafka\b"),
        ("Log4j", r"\borg\.apache\.kafka\.log4jappender\b|<Kafka[ \t]+name="),
        ("ClickHouse", r"\bENGINE[ \t]*=[ \t]*Kafka\b|\bkafka_broker_list\b"),
        ("Flink SQL", r"'connector'[ \t]*=[ \t]*'(?:upsert-)?kafka'"),
        ("ksqlDB", r"\b(?:WITH|with)[ \t]*\([^)]{0,300}\b(?:KAFKA_TOPIC|kafka_topic)[ \t]*="),
    ),
)  # fmt: skip
_COMMENT = re.compile(r"[ \t]*(?:#(?!include)|//|--|\*|/\*|;|!)")
_SPARK = re.compile(r"\b(?:readStream|writeStream|SparkSession)\b")
"""Code of Spark is read, and may name Kafka's classes."""
_OWN_ANSWER = re.compile(
    r"\"producer_to_log\"[ \t]*:|^ *\"name\": \"Delivery Lab\"|^  producer to log: \S+ +log to ",
    re.MULTILINE,
)
"""An answer of `manage.py advise`: as JSON, as SARIF, as text."""
_OF_OWN_ANSWER = (
    "this is an answer of Delivery Lab: the settings in it are partly those in force and partly "
    "recommended. Give the files that it was asked about, or those that it exported."
)
_MAX_LENGTH = 100_000
"""The number of characters that are searched. Imports are at the beginning of a program."""
_MAX_COMMENTS = 20
"""The number of matches in comments after which the search for a library ends."""


def refuse_others(text: str) -> None:
    """Raises `IntakeError` for a text of a product that is not read, and names the product.

    A comment that names a product does not count.
    """
    if match := _OWN_ANSWER.search(text, 0, _MAX_LENGTH):
        raise IntakeError(f"Line {line_of(text, match.start())}: {_OF_OWN_ANSWER}")
    if _SPARK.search(text, 0, _MAX_LENGTH):
        return
    for other in _OTHERS:
        for match in islice(other.pattern.finditer(text, 0, _MAX_LENGTH), _MAX_COMMENTS):
            start = text.rfind("\n", 0, match.start()) + 1
            if not _COMMENT.match(text, start):
                line = line_of(text, match.start())
                words = f"this is {other.name}, which Delivery Lab does not read."
                raise IntakeError(f"Line {line}: {words} {other.instead}")
