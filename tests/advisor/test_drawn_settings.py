"""Random settings that are stated in several places: the effective value is read, or refused.

A refusal misleads nobody. A value without effect that is read may turn a NO into a YES.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import pytest

from advisor.catalog import Component
from tests.advisor.drawn.clusters import compose, manifests
from tests.advisor.drawn.config_maps import in_config_map
from tests.advisor.drawn.deployments import applications, services
from tests.advisor.drawn.differing_brokers import differing_services, server_files
from tests.advisor.drawn.effective import Drawn, Name, misread
from tests.advisor.drawn.micronaut_files import micronaut
from tests.advisor.drawn.plain_files import librdkafka, plain, shared
from tests.advisor.drawn.profile_documents import profiles
from tests.advisor.drawn.quarkus_files import quarkus
from tests.advisor.drawn.several_clients import bindings, channels, clients
from tests.advisor.drawn.spring_files import spring
from tests.advisor.drawn.stream_files import stream
from tests.advisor.drawn.topics import strimzi, systemd, terraform, terraform_each

DRAWINGS = [
    plain, shared, librdkafka, spring, profiles, stream, quarkus, micronaut, in_config_map, compose,
    channels, clients, bindings, manifests, applications, services, strimzi, terraform,
    terraform_each, systemd, server_files, differing_services,
]  # fmt: skip


def _assert_read_as_effective(draw: Callable[[Random], Drawn], seeds: range) -> None:
    refused = 0
    for seed in seeds:
        drawn = draw(Random(seed))
        wrong, why = misread(drawn)
        text = "\n".join(f"--- {name}\n{text}" for name, text in drawn.files)
        assert not wrong, f"seed {seed}: {wrong}\n{text}"
        refused += bool(why)
    assert refused < 0.6 * len(seeds)  # half of the bindings differ and are refused


_ACKS, _LINGER = (Component.PRODUCER, "acks"), (Component.PRODUCER, "linger.ms")
_CHANNEL = "mp.messaging.outgoing.orders.connector=smallrye-kafka\n"
_BROKERS = "services:\n  kafka:\n    image: apache/kafka:4.1.0\n    env_file: [kafka.env]\n"
_STATED = "    environment:\n      KAFKA_NODE_ID: 1\n      KAFKA_PROCESS_ROLES: broker,controller\n"
_MIN_ISR = (Component.BROKER, "min.insync.replicas")


@pytest.mark.parametrize(
    ("files", "effective"),
    [
        (
            {
                "application.yml": "spring.kafka.bootstrap-servers: a:9092\n",
                "application.properties": "spring.kafka.producer.properties.acks:0\n"
                "spring.kafka.producer.properties.linger.ms = 20\n",
            },
            {_ACKS: "0", _LINGER: "20"},
        ),
        (
            {
                "application.properties": f"{_CHANNEL}%prod.kafka.acks=all\n",
                "config/application.properties": "kafka.acks=0\n",
            },
            {_ACKS: "0"},
        ),
        (
            {
                "application.properties": f"{_CHANNEL}%prod.kafka.acks=all\n",
                "application.yaml": "kafka.acks: 0\n",
            },
            {_ACKS: "0"},
        ),
        (
            {
                "docker-compose.yml": f"{_BROKERS}{_STATED}",
                "docker-compose.override.yml": "services:\n  kafka:\n    environment:\n"
                "      KAFKA_MIN_INSYNC_REPLICAS: 1\n",
                "kafka.env": "KAFKA_MIN_INSYNC_REPLICAS=2\n",
            },
            {_MIN_ISR: "1"},
        ),
        (
            {
                "orders.service": "[Service]\nEnvironment=SPRING_KAFKA_PRODUCER_ACKS=all\n"
                "EnvironmentFile=/etc/orders.env\nExecStart=/usr/bin/java -jar a.jar\n",
                "orders.env": "SPRING_KAFKA_PRODUCER_ACKS=0\n",
            },
            {_ACKS: "0"},
        ),
        (
            {
                "application.yml": "spring.profiles.include: dev\n"
                "spring.kafka.producer.acks: 0\n---\n"
                "spring.config.activate.on-profile: default\nspring.kafka.producer.acks: all\n"
                "---\nspring.config.activate.on-profile: dev\nspring.kafka.producer.acks: 0\n"
            },
            {_ACKS: "0"},
        ),
    ],
    ids=["colons", "config", "yaml", "over", "unit", "include"],
)
def test_settings_that_were_once_misread_or_refused(
    files: Mapping[str, str], effective: Mapping[Name, str]
) -> None:
    wrong, why = misread(Drawn([*files.items()], effective, dict.fromkeys(effective, ())))
    assert (wrong, why) == ([], "")


@pytest.mark.parametrize(
    "stated", ["properties.[delivery.timeout.ms]", "retries", "batch_size", "properties.linger.ms"]
)
def test_a_placeholder_without_a_value_is_refused(stated: str) -> None:
    text = f'spring.kafka.producer:\n  "{stated}": ${{VALUE}}\n'
    _, why = misread(Drawn([("application.yml", text)], {}))
    assert "is filled in when the application starts" in why


_APPLICATION = "spring.kafka.consumer.auto-offset-reset: ${START:latest}\n"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (
            {
                "application.yml": _APPLICATION,
                "orders.env": "START=earliest\n",
                "compose.yml": "services:\n  a:\n    build: a\n    env_file: orders.env\n"
                "  b:\n    build: b\n",
            },
            "has the default of a variable here",
        ),
        (
            {
                "all.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: f}\ndata:\n"
                "  application.properties: |\n"
                "    mp.messaging.outgoing.o.connector=smallrye-kafka\n"
                + "".join(
                    f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\n"
                    f"spec: {{template: {{spec: {{{volumes}containers: [{{name: {name}, image: x/a,"
                    f" env: [{env}]}}]}}}}}}\n"
                    for name, volumes, env in (
                        ("a", "volumes: [{name: f, configMap: {name: f}}], ", ""),
                        ("b", "", "{name: MP_MESSAGING_OUTGOING_O_ACKS, value: all}"),
                    )
                )
            },
            "takes precedence over the application's own files",
        ),
    ],
    ids=["compose", "pods"],
)
def test_a_variable_that_may_belong_to_another_application_is_refused(
    files: Mapping[str, str], why: str
) -> None:
    assert why in misread(Drawn([*files.items()], {}))[1]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "application.yml",
            "kafka.acks: 1\nkafka.producers:\n  a.acks: all\n  b.client.id: b\n",
        ),
        (
            "application.properties",
            "mp.messaging.connector.smallrye-kafka.enable.auto.commit=true\n"
            "mp.messaging.incoming.a.connector=smallrye-kafka\n"
            "mp.messaging.incoming.b.connector=smallrye-kafka\n"
            "mp.messaging.incoming.b.enable.auto.commit=false\n",
        ),
    ],
    ids=["micronaut", "quarkus"],
)
def test_a_common_setting_applies_to_the_client_without_its_own(file: str, text: str) -> None:
    assert "different settings" in misread(Drawn([(file, text)], {}))[1]


@pytest.mark.parametrize("draw", DRAWINGS, ids=lambda it: it.__name__)
def test_settings_are_read_as_they_take_effect(draw: Callable[[Random], Drawn]) -> None:
    _assert_read_as_effective(draw, range(8))


@pytest.mark.thorough
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("draw", DRAWINGS, ids=lambda it: it.__name__)
def test_many_settings_are_read_as_they_take_effect(draw: Callable[[Random], Drawn]) -> None:
    _assert_read_as_effective(draw, range(2_000))
