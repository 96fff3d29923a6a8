"""Listeners and channels that do not start by themselves: an answer says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_answer

SAFE = "topic.replication.factor=3 topic.min.insync.replicas=2 application.processing.errors=retry"
CONSUMER = "spring.kafka.consumer.group-id=g\nspring.kafka.consumer.auto-offset-reset=earliest\n"
BOUND = (
    "spring.cloud.stream.bindings.in-in-0.destination=orders\n"
    "spring.cloud.stream.kafka.binder.brokers=k:9092\n"
    "spring.cloud.stream.bindings.in-in-0.group=g\n"
)
LISTENER = (
    "import org.springframework.kafka.annotation.KafkaListener;\n"
    'class A {\n%s  @KafkaListener(topics = "orders"%s)\n  void on(String m) { db.save(m); }\n}\n'
)
FACTORY = (
    "import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;\n"
    "class C {\n  @Bean ConcurrentKafkaListenerContainerFactory<String, String> "
    "kafkaListenerContainerFactory(ConsumerFactory<String, String> c) {\n"
    "    var f = new ConcurrentKafkaListenerContainerFactory<String, String>();\n"
    "    f.setConsumerFactory(c);\n    f.setAutoStartup(%s);\n    return f;\n  }\n}\n"
)
CODE, MORE = LISTENER % ("", ""), "starts by itself, and nothing is consumed until your code starts"
NONE = f"^(?!.*{MORE})"


@pytest.mark.parametrize(("properties", "programs", "expected"), [
    (f"{CONSUMER}spring.kafka.listener.auto-startup=false\n", [], f"s:3: .*listener {MORE}"),
    (f"{CONSUMER}spring.kafka.listener.autoStartup=${{START:false}}\n", [], MORE),
    (f"{CONSUMER}spring.kafka.listener.auto-startup=true\n", [], NONE),
    (f"{BOUND}spring.cloud.stream.bindings.in-in-0.consumer.auto-startup=false\n", [], MORE),
    (f"{BOUND}spring.cloud.stream.default.consumer.auto-startup=false\n", [], MORE),
    (CONSUMER, [LISTENER % ("", ", autoStartup = \"false\"")], f"0.java:3: .*{MORE}"),
    (CONSUMER, [LISTENER % ("", ", autoStartup = \"true\"")], NONE),
    (CONSUMER, [LISTENER % ("  KafkaListenerEndpointRegistry r;\n", ", autoStartup = \"false\"")],
     NONE),
    (CONSUMER, [CODE, FACTORY % "false"], f"1.java:6: .*{MORE}"),
    (CONSUMER, [CODE, FACTORY % "true"], NONE),
])  # fmt: skip
def test_an_answer_for_listeners_that_do_not_start_says_so(
    tmp_path: Path, properties: str, programs: list[str], expected: str
) -> None:
    (tmp_path / "application.properties").write_text(properties)
    paths = [tmp_path / "application.properties"]
    for number, text in enumerate(programs):
        paths.append(tmp_path / f"{number}.java")
        paths[-1].write_text(text)
    assert_answer(" ".join(map(str, paths)), SAFE, 0, expected)


STREAMS = "spring.kafka.streams.application-id=a\nspring.kafka.streams.auto-startup=false\n"
CHANNEL = (
    "mp.messaging.incoming.%s.connector=smallrye-kafka\n"
    "mp.messaging.incoming.%s.auto.offset.reset=%s\nmp.messaging.incoming.%s.enabled=%s\n"
)


@pytest.mark.parametrize(("properties", "code", "expected"), [
    (STREAMS, 1, f"no Kafka Streams application {MORE}"),
    (CHANNEL % ("a", "a", "earliest", "a", "false"), 2, "no channel here is of .* and enabled"),
    (CHANNEL % ("a", "a", "earliest", "a", "true"), 0, "YES"),
    (CHANNEL % ("a", "a", "earliest", "a", "true") + CHANNEL % ("b", "b", "latest", "b", "false"),
     0, "YES.*:6: enabled=false: this channel is not used"),
])  # fmt: skip
def test_a_channel_or_topology_that_does_not_start_is_named(
    tmp_path: Path, properties: str, code: int, expected: str
) -> None:
    (tmp_path / "application.properties").write_text(properties)
    assert_answer(f"{tmp_path / 'application.properties'}", SAFE, code, expected)
