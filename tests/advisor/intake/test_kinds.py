"""Each kind of file: how it is recognised, which settings are read, and why it is refused."""

from __future__ import annotations

import pytest
from hypothesis import given

from advisor.catalog import Component, Family
from advisor.export import Stamp, exports_for
from advisor.export.base import Revision
from advisor.export.choice import chosen
from advisor.intake import Intake, Product, all_readers, detect, find_reader, read
from advisor.reasoning.pipeline import Pipeline
from tests.advisor.intake_examples import EXAMPLES, Example
from tests.advisor.pipelines import pipelines

EACH_EXAMPLE = pytest.mark.parametrize("example", EXAMPLES, ids=repr)
JAVA = Product(Family.JAVA, "4.3", "4.3")


@EACH_EXAMPLE
def test_a_file_is_recognised_and_read(example: Example) -> None:
    reader = detect(example.text)
    assert reader is not None
    assert reader.kind == example.kind
    intake = read(example.text, JAVA)
    assert [problem.message for problem in intake.problems] == []
    assert intake.settings == example.settings
    assert intake.heads == example.heads
    assert example.lines.items() <= intake.lines.items()


def test_every_kind_has_an_example_and_a_unique_name() -> None:
    kinds = [reader.kind for reader in all_readers()]
    assert len(set(kinds)) == len(kinds)
    others = set(kinds) - {example.kind for example in EXAMPLES}
    assert others == {"application-properties", "spring-code"}
    assert find_reader("carrier-pigeon") is None


WRONG = [
    ("spring", "spring:\n  kafka:\n\t producer: 1", "Line 3: this is not well-formed YAML."),
    ("spring", "spring:\n  kafka.producer.acks: 1\n  kafka.producer.acks: all\n",
     "Line 3: this key is on line 2 already. A mapping has each key once: leave one of them."),
    ("spring", "spring:\n  kafka.producer: {acks: 1}\nspring:\n  kafka.producer: {acks: all}\n",
     "Line 3: this key is on line 1 already. A mapping has each key once: leave one of them."),
    ("spring", "spring:\n  kafka:\n    producer: {retrys: 3}",
     "Line 3: There is no spring.kafka.producer.retrys. Did you mean retries?"),
    ("python-dict", 'x = {"acks": 1,\n "b": }', "Line 2: this is not well-formed Python. If it is "
     "another language, give the settings as properties, one file for each client."),
    ("python-dict", "x = 1", "Line 1: there is no dict of settings here."),
    ("python-dict", "x = {'acks': 1,\n'retrys': 2}",
     'Line 2: No such configuration property: "retrys". The nearest known is retries.'),
    ("topics-describe", "Nothing", "Line 1: no line begins with Topic: and has a PartitionCount."),
    ("topics-describe",
     "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\n" * 2,
     "Line 2: a second topic, a; one pipeline has one. Leave only the lines of a."),
    ("configs-describe", "Nothing", "Line 1: no line names the topic or broker of these configs."),
    ("configs-describe",
     "Dynamic configs for topic a are:\nDynamic configs for topic b are:\n",
     "Line 2: a second topic, b; one pipeline has one."),
    ("strimzi", "kind: KafkaTopic\nspec: {config: {min.insync.replicas: 2}}\n---\nkind: KafkaTopic",
     "Line 1: min.insync.replicas: not every topic that is created here has the same. A pipeline "
     "has one topic; leave only that one here.\nLine 4: min.insync.replicas: this is a topic with "
     "another value, or without one."),
    ("strimzi", "kind: Kafka\nspec: {kafka: {version: 1.0.0}}",
     "We know Kafka 4.3 to 2.8; '1.0.0' is none of them. The bugs of that release are on the "
     "page of known bugs (/advisories/?version=1.0.0), and in `manage.py advisories --version "
     "1.0.0`."),
    ("compose", "services:\n  a: {environment: {KAFKA_MIN_INSYNC_REPLICAS: many}}",
     "Line 2: min.insync.replicas must be a whole number from 1 to 2147483647."),
    ("producer-properties", "-----BEGIN PRIVATE KEY-----\nx",
     "Line 1: a key or a certificate begins here. Take it out first."),
    ("environment", "A=1", "Line 1: there is no variable KAFKA_… or SPRING_KAFKA_… in this file."),
    ("python-dict", '"acks": [\n', "Line 2: this is not well-formed Python. If it is "
     "another language, give the settings as properties, one file for each client."),
    ("compose", "a: 1", "Line 1: no setting of Kafka is in this file."),
    ("", "# ours\nproducer.acks=1\n",
     "Line 2: producer.acks is a name for --set and for a pipeline file (TOML). In a file of "
     "producer settings, write acks, and use one file for each component."),
    ("", "Dear diary", "Nothing here looks like a file that Delivery Lab reads. Say which kind it "
     "is, or give the settings of each client, topic or broker as properties, one a line."),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "message"), WRONG)
def test_an_invalid_file_is_refused_with_the_line_and_the_reason(
    kind: str, text: str, message: str
) -> None:
    assert [problem.message for problem in read(text, JAVA, kind).problems] == message.split("\n")


@pytest.mark.parametrize(
    "example", [example for example in EXAMPLES if example.heads.get("family")], ids=str
)
def test_the_user_may_choose_another_client_than_the_one_in_the_file(example: Example) -> None:
    intake = read(example.text, JAVA, example.kind, family="librdkafka")
    assert intake.heads["family"] == "librdkafka"


def test_a_relevant_setting_that_is_filled_in_elsewhere_is_refused() -> None:
    for kind, text in (
        ("spring", "spring.kafka.producer.acks=${ACKS}"),
        ("compose", "services: {a: {environment: {KAFKA_MIN_INSYNC_REPLICAS: '${ISR}'}}}"),
        ("compose", "services: {a: {environment: {KAFKA_LOG_RETENTION_HOURS: '${HOURS}'}}}"),
        ("python-dict", "import os\nc = {'bootstrap.servers': 'b', 'acks': os.environ['ACKS']}"),
    ):
        intake = read(text, JAVA, kind)
        (problem,) = intake.problems
        assert not intake.settings
        assert "Write the " in problem.message


_READ_BY = {
    "java-producer": "producer-properties", "java-consumer": "consumer-properties",
    "spring-boot": "spring", "librdkafka-json": "librdkafka-json",
    "confluent-python": "python-dict", "spark-options": "spark-options",
    "strimzi-topic": "strimzi", "server-properties": "broker-properties",
    "java-streams": "streams-properties",
}  # fmt: skip


@given(pipelines())
def test_an_exported_file_is_read_back_unchanged(pipeline: Pipeline) -> None:
    """Users also upload files that they have exported here."""
    product = Product(pipeline.family, pipeline.version, pipeline.kafka)
    for export in exports_for(pipeline):
        if export.name not in _READ_BY:
            continue
        text = export.render(pipeline, Stamp("1", "4.3", "c", "http://127.0.0.1/"))
        intake = read(text, product, _READ_BY[export.name], pipeline.family)
        assert not intake.problems, (export.name, intake.problems)
        _assert_same(pipeline, export.name, intake)


def _assert_same(pipeline: Pipeline, name: str, intake: Intake) -> None:
    results = {
        f"{component}.{setting.name}": pipeline.value(component, setting.name)
        for component in Component
        if component is not Component.APPLICATION
        for setting in chosen(Revision(pipeline), component)
    }
    from_code = {"application.commit", "application.framework"}
    assert intake.settings.keys() - from_code <= results.keys(), name
    for field, value in intake.settings.items():
        assert field in from_code or results[field] == value, (name, field)
    assert intake.settings, name
