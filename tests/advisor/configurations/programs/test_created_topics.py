"""Programs that create their topic: its settings count, whatever the brokers' defaults are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_file

_JAVA = """import org.apache.kafka.clients.producer.*;
class A {{
  static final short COPIES = 1;
  void run(short copies) {{
    admin.createTopics(List.of({topic}));
    Properties p = new Properties();
    p.put("acks", "all");
    KafkaProducer<String, String> k = new KafkaProducer<>(p);
    k.send(r).get();
  }}
}}
"""
_PYTHON = """from confluent_kafka import Producer
COPIES = 1
admin.create_topics([{topic}])
p = Producer({{"acks": "all"}})
p.produce("t", b"v", on_delivery=told)
p.flush()
def told(error, message):
    if error:
        raise RuntimeError(error)
"""
_OTHERS = (
    "application.restart=resumes consumer.auto.offset.reset=earliest "
    "application.commit=after-processing consumer.enable.auto.commit=false"
)
_BROKERS = "broker.default.replication.factor=3 broker.min.insync.replicas=2"
_ONE_COPY = "replication.factor: 1 -> 3"
_NOT_PLAIN = "is not a plain value: not read"
_BUILDER = 'TopicBuilder.name("t").partitions(3)'
_MIN_ISR = '"min.insync.replicas"'

JAVA_TOPICS = [
    ('new NewTopic("t", 3, (short) 1)', _ONE_COPY),
    ('new NewTopic("t", 3, COPIES)', _ONE_COPY),
    ('NewTopic("t", 3, 1.toShort())', _ONE_COPY),
    ('new NewTopic("t", Optional.of(3), Optional.of((short) 1))', _ONE_COPY),
    ('new NewTopic("t", 3, (short) 3), new NewTopic("u", 3, (short) 1)', _ONE_COPY),
    (f"{_BUILDER}.replicas(1).build()", _ONE_COPY),
    (f"{_BUILDER}.replicas(3).config(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, \"1\").build()",
     "topic.min.insync.replicas: 1 -> 2"),
    (f'new NewTopic("t", 3, (short) 3).configs(Map.of({_MIN_ISR}, "1"))',
     "topic.min.insync.replicas: 1 -> 2"),
    ('new NewTopic("t", 3, (short) 3)', "^YES"),
    ('new NewTopic("t", 3, (short) -1)', "^YES"),
    ('new NewTopic("t", Optional.empty(), Optional.empty())', "^YES"),
    (f"{_BUILDER}.build()", "^YES"),
    ('new NewTopic("t", 3, copies)', _NOT_PLAIN),
    ('new NewTopic("t", Map.of(0, List.of(0)))', _NOT_PLAIN),
    ('new NewTopic("t", 3, (short) 3).configs(own)', _NOT_PLAIN),
]  # fmt: skip
PYTHON_TOPICS = [
    ('NewTopic("t", 3, 1)', _ONE_COPY),
    ('NewTopic("t", num_partitions=3, replication_factor=1)', _ONE_COPY),
    ('NewTopic("t", 3, COPIES)', _ONE_COPY),
    (f'NewTopic(name="t", num_partitions=3, replication_factor=3, config={{{_MIN_ISR}: "1"}})',
     "topic.min.insync.replicas: 1 -> 2"),
    ('NewTopic("t", 3)', "^YES"),
    ('NewTopic("t", 3, 3)', "^YES"),
    ('NewTopic("t", 3, int(sys.argv[1]))', _NOT_PLAIN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [("A.java", _JAVA.format(topic=topic), pattern) for topic, pattern in JAVA_TOPICS]
    + [("a.py", _PYTHON.format(topic=topic), pattern) for topic, pattern in PYTHON_TOPICS],
)
def test_the_topic_that_a_program_creates_counts(
    tmp_path: Path, name: str, code: str, expected: str
) -> None:
    holds = expected in ("^YES", _NOT_PLAIN)
    assert_file(tmp_path / name, code, "", f"{_BROKERS} {_OTHERS}", 0 if holds else 1, expected)
