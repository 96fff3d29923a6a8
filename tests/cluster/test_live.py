"""A live cluster, described through the page that reads it from a real broker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin._acl import AclBinding, AclOperation, AclPermissionType
from confluent_kafka.admin._resource import ResourcePatternType, ResourceType
from django.conf import LazySettings
from django.test import Client

from advisor.models import Description
from labs.engine.base.slots import slot
from labs.engine.base.wait import until
from labs.engine.cluster import properties
from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.nodes import Layout
from labs.engine.cluster.ports import Ports
from labs.engine.protocol.admin import quiet_admin
from tests.reading import html_of

pytestmark = [pytest.mark.cluster, pytest.mark.django_db]

URL = "/describe/from-cluster/"
BROKER = {
    "min.insync.replicas": "1",
    "replica.lag.time.max.ms": "11000",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
    "listener.security.protocol.map": "CLIENTS:PLAINTEXT,QUORUM:PLAINTEXT,GUARDED:SASL_PLAINTEXT",
    "listener.name.guarded.sasl.enabled.mechanisms": "PLAIN",
    "listener.name.guarded.plain.sasl.jaas.config":
        "org.apache.kafka.common.security.plain.PlainLoginModule required user_lab=\"hunter2\";",
}  # fmt: skip


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """The address of the broker's listener that requires a user name and a password."""
    ports = Ports(1)
    yield f"127.0.0.1:{ports.numbers[0]}"
    ports.release()


@pytest.fixture(scope="module")
def live_cluster(distribution, java, tmp_path_factory, guarded: str) -> Iterator[Cluster]:
    """A broker with three topics: an open one, one that we may only describe, and a closed one."""
    folder = tmp_path_factory.mktemp("live")
    joined = properties.joined_listeners
    with pytest.MonkeyPatch.context() as patch, slot():
        # The lab refuses to load an authorizer; here the test itself chooses it.
        patch.setattr(properties, "IDENTITY", re.compile("(?!)"))
        patch.setattr(
            properties, "joined_listeners", lambda case: f"{joined(case)},GUARDED://{guarded}"
        )
        cluster = Cluster(distribution, java, folder, Layout(1), settings=BROKER)
        with cluster:
            create_content(cluster)
            yield cluster


def create_content(cluster: Cluster) -> None:
    """Creates the topics, their ACLs and the group."""
    config = {"retention.ms": "7000000"}
    cluster.create_topic("orders", partitions=2, replication_factor=1, config=config)
    for name, user in (("half", "User:ANONYMOUS"), ("closed", "User:somebody")):
        cluster.create_topic(name, partitions=1, replication_factor=1)
        allow_describe_only(cluster, name, user)
    commit(cluster, "billing", "orders")


def allow_describe_only(cluster: Cluster, topic: str, user: str) -> None:
    """Allows a user to describe a topic. Once a topic has an ACL, the rest is forbidden."""
    rule = AclBinding(
        ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, user, "*",
        AclOperation.DESCRIBE, AclPermissionType.ALLOW,
    )  # fmt: skip
    with quiet_admin(cluster.bootstrap) as admin:
        for future in admin.create_acls([rule]).values():
            future.result(60)


def commit(cluster: Cluster, group: str, topic: str) -> None:
    """Commits on one partition as a static member of a group, which stays a member."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap})
    producer.produce(topic, b"1", partition=0)
    assert producer.flush(60) == 0
    consumer = Consumer({
        "bootstrap.servers": cluster.bootstrap, "group.id": group, "group.instance.id": "b-1",
        "auto.offset.reset": "earliest", "enable.auto.commit": False,
    })  # fmt: skip
    consumer.subscribe([topic])
    message = until(lambda: consumer.poll(0.5), 60, "the group got no message")
    consumer.commit(message=message, asynchronous=False)
    consumer.close()


@pytest.fixture
def ask(client: Client, settings: LazySettings, live_cluster: Cluster):
    settings.LAB_LIVE_CLUSTERS = {"staging": live_cluster.bootstrap}

    def ask(**fields: str) -> tuple[int, str]:
        response = client.post(URL, {"cluster": "staging", **fields})
        html = html_of(response)
        assert live_cluster.bootstrap not in html
        return response.status_code, html

    return ask


def test_topics_and_groups_are_offered_by_name(ask):
    status, html = ask()
    assert status == 200
    assert re.findall(r"<option>([\w-]+)</option>", html) == ["half", "orders", "billing"]


def test_settings_that_were_read_become_a_pipeline_once_confirmed(client, ask):
    status, html = ask(topic="orders", group="billing")
    assert status == 200
    assert "Is this right?" in html
    fields = dict(re.findall(r'<input type="hidden" name="([\w.]+)" value="([^"]*)">', html))
    fields.pop("csrfmiddlewaretoken", None)
    expected = {
        "brokers": "1", "kafka": "4.3", "topic.replication.factor": "1",
        "topic.retention.ms": "7000000", "topic.min.insync.replicas": "1",
        "broker.min.insync.replicas": "1", "broker.replica.lag.time.max.ms": "11000",
    }  # fmt: skip
    assert expected.items() <= fields.items()
    assert "set on topic orders" in html
    assert "stored by the cluster for all brokers" in html, "a new cluster has eligible replicas"
    assert "offsets committed on 1 of 2 partitions" in html
    assert "application.eligible.leader.replicas.version" not in fields
    assert not Description.objects.exists()
    response = client.post("/describe/from-files/use/", {**fields, "to": "advice"})
    saved = Description.objects.get()
    assert response.headers["Location"] == f"/pipelines/{saved.slug}/"
    assert saved.data["settings"]["topic"]["retention.ms"] == 7000000


@pytest.mark.parametrize(("fields", "answer"), [
    ({"topic": "nothing"}, "There is no topic nothing on staging."),
    ({"topic": "closed"}, "This site may not describe topic closed."),
    ({"topic": "orders", "group": "nobody"}, "staging does not have group nobody."),
])  # fmt: skip
def test_missing_or_forbidden_topics_and_groups_are_reported(ask, fields, answer):
    status, html = ask(**fields)
    assert status == 503
    assert answer in html


def test_settings_that_may_not_be_read_are_reported_and_the_rest_is_shown(ask):
    status, html = ask(topic="half")
    assert status == 200
    assert "Not read: the settings of the topic, because this site may not." in html
    assert 'name="topic.replication.factor" value="1"' in html


@pytest.mark.parametrize(("more", "status", "message"), [
    ("sasl.username=lab\nsasl.password=hunter2\n", 200, "<option>orders</option>"),
    ("sasl.username=lab\nsasl.password=hunter3\n", 503,
     "staging does not accept the credentials that this site has for it."),
    (None, 503, "staging does not accept connections from this site: nothing listens at its "
     "address, or the connection is closed, as by brokers that require TLS or credentials."),
])  # fmt: skip
def test_a_guarded_cluster_accepts_only_the_operators_credentials(
    client: Client, settings: LazySettings, live_cluster: Cluster, guarded: str, tmp_path: Path,
    more: str | None, status: int, message: str,
) -> None:  # fmt: skip
    file = tmp_path / "client.properties"
    sasl = f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n{more}" if more else ""
    file.write_text(f"bootstrap.servers={guarded}\n{sasl}")
    settings.LAB_LIVE_CLUSTERS = {"staging": str(file)}
    response = client.post(URL, {"cluster": "staging"})
    html = response.content.decode()
    assert response.status_code == status
    assert message in html
    assert not [word for word in (guarded, "hunter") if word in html]
