"""Reads the settings of a live cluster: describe only, by name, one at a time, within a time limit.

The operator lists the clusters (`LAB_LIVE_CLUSTERS`); visitors never type an address. The
operator's client settings stay here: neither they nor librdkafka's messages, which may repeat them,
reach a page or a log. Nothing is created, changed, consumed or joined.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # they are its documented names
    AdminClient,
    ConfigResource,
    ConfigSource,
    ResourceType,
)
from django.conf import settings

from advisor.intake import ClusterState, Entry, Group, IntakeError
from advisor.intake.formats.java_properties import properties

LIMIT_S = 10.0
"""For all requests of one reading together."""

WHY_S = 2.0
"""How long to wait for another reason of a client that reaches no broker."""

MAX_BROKERS = 50
MAX_NAMES = 2000

logger = logging.getLogger(__name__)
silent_logger = logging.getLogger(f"{__name__}.librdkafka")
silent_logger.addHandler(logging.NullHandler())
silent_logger.propagate = False

_one = threading.Lock()
_PROPERTY = re.compile(r"property[: ]+\"([\w.]+)\"")
_REFUSED = {
    KafkaError._AUTHENTICATION: "does not accept the credentials that this site has for it",
    KafkaError.SASL_AUTHENTICATION_FAILED: "does not accept the credentials that this site has",
    KafkaError._SSL: "and this site cannot agree on TLS",
}
_UNREACHED = {
    KafkaError._RESOLVE: "has an address that no name server knows",
    KafkaError._BAD_MSG: "does not answer with Kafka's protocol, or answers with TLS",
    KafkaError._ALL_BROKERS_DOWN: "does not accept connections from this site: nothing listens at "
    "its address, or the connection is closed, as by brokers that require TLS or credentials",
}
"""Once no broker is left to ask; one of several that is not there is no reason to give up."""
_FORBIDDEN = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
}  # fmt: skip
_NO_GROUP = {
    KafkaError.GROUP_ID_NOT_FOUND, KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
}  # fmt: skip
"""The last two where no group has ever been."""


class LiveError(Exception):
    """A cluster that could not be read; the message is for the visitor."""


def clusters() -> Mapping[str, str]:
    """The clusters that the operator allows, by name; empty by default."""
    results: Mapping[str, str] = settings.LAB_LIVE_CLUSTERS
    return results


def names(cluster: str) -> tuple[list[str], list[str]]:
    """The topics and the groups of a cluster, by name. Raises `LiveError`."""
    with connection(cluster) as asking:
        asking.result(asking.admin.describe_cluster(request_timeout=LIMIT_S))  # is it there?
        topics = asking.topics()
        try:
            result = asking.result(asking.admin.list_consumer_groups(request_timeout=LIMIT_S))
        except KafkaException:
            return topics, []  # groups are extra, and this client may not see them
        groups = sorted(group.group_id for group in result.valid)
        return topics[:MAX_NAMES], groups[:MAX_NAMES]


def look(cluster: str, topic: str, group: str = "") -> ClusterState:
    """What a cluster says of one topic, its brokers and, if asked for, a group.

    What this client may not read is a note. Raises `LiveError` if the cluster, the topic or the
    group is not there, or does not answer in time.
    """
    with connection(cluster) as asking:
        nodes = asking.result(asking.admin.describe_cluster(request_timeout=LIMIT_S)).nodes
        described = asking.admin.describe_topics(TopicCollection([topic]), request_timeout=LIMIT_S)
        settings = {node.id: asking.configs(ResourceType.BROKER, str(node.id))
                 for node in sorted(nodes, key=lambda node: node.id)[:MAX_BROKERS]}  # fmt: skip
        on_topic = asking.configs(ResourceType.TOPIC, topic)
        partitions = asking.topic(topic, described[topic])
        notes = []
        if len(nodes) > MAX_BROKERS:
            notes.append(f"Of {len(nodes)} brokers the first {MAX_BROKERS} were asked.")
        return ClusterState(
            topic=topic,
            racks={node.id: node.rack or "" for node in nodes},
            copies=tuple(len(partition.replicas) for partition in partitions),
            on_topic=asking.entries(on_topic, "the settings of the topic", notes),
            on_brokers={
                broker: entries
                for broker, future in settings.items()
                if (entries := asking.entries(future, f"the settings of broker {broker}", notes))
            },
            group=asking.group(group, topic, len(partitions)) if group else None,
            notes=tuple(notes),
        )


@contextmanager
def connection(cluster: str) -> Iterator[_Asking]:
    """One reading at a time in this process, so that a cluster has no load from this site."""
    if not _one.acquire(blocking=False):
        raise LiveError("Somebody else is reading a cluster right now. Try again in a moment.")
    try:
        asking = _Asking(cluster)
        # Left to the garbage collector, which may run in a thread of librdkafka's, the client's
        # end could abort this process (confluent-kafka-python #2131).
        with asking.admin:
            yield asking
    except KafkaException as error:
        raise LiveError(_public_message(cluster, error.args[0].code())) from None
    finally:
        _one.release()


class _Asking:
    """An admin client and the time that is left for it."""

    def __init__(self, cluster: str) -> None:
        self.cluster = cluster
        self._until = time.monotonic() + LIMIT_S
        self._down_since = 0.0
        # The client holds on to the list and not to us, so that it is gone as soon as we are.
        self._refused = refused = list[int]()
        try:
            given = _client_settings(clusters()[cluster])
            self._addresses = given.get("bootstrap.servers", "").count(",") + 1
            client: dict[str, Any] = {
                **given,
                "client.id": "delivery-lab",
                "error_cb": lambda error: refused.append(error.code()),
            }
            self.admin = AdminClient(client, logger=silent_logger)
        except (OSError, ValueError, IntakeError, KafkaException) as error:
            # Of librdkafka's message only the property's name may be shown, and only in the log.
            named = _PROPERTY.search(str(error))
            why = f"property {named[1]}" if named else type(error).__name__
            logger.error("LAB_LIVE_CLUSTERS: the client settings of %s: %s", cluster, why)
            words = "The client settings of this site for"
            raise LiveError(
                f"{words} {cluster} cannot be used. The operator of this site can fix that."
            ) from None

    def result(self, future: Future[Any]) -> Any:
        """The answer. Raises `LiveError` when the time is over, `KafkaException` for an error."""
        while not future.done():
            if (refusal := self._refusal()) is not None:
                raise LiveError(_public_message(self.cluster, refusal))
            if time.monotonic() >= self._until:
                raise LiveError(_public_message(self.cluster, KafkaError._TIMED_OUT))
            self.admin.poll(0.02)
        return future.result()

    def _refusal(self) -> int | None:
        """Why further requests are of no use, if the client has reported it."""
        if refused := [code for code in self._refused if code in _REFUSED]:
            return refused[0]
        if KafkaError._ALL_BROKERS_DOWN not in self._refused:
            return None
        # It reports that all brokers are down before it reports why, and of several some later.
        self._down_since = self._down_since or time.monotonic()
        why = min(
            (code for code in self._refused if code in _UNREACHED), key=list(_UNREACHED).index
        )
        is_known = self._addresses == 1 and why != KafkaError._ALL_BROKERS_DOWN
        return why if is_known or time.monotonic() - self._down_since >= WHY_S else None

    def topics(self) -> list[str]:
        """The topics that are not Kafka's own, by name."""
        left = max(0.1, self._until - time.monotonic())
        results = self.admin.list_topics(timeout=left).topics
        return sorted(name for name in results if not name.startswith("__"))

    def topic(self, name: str, described: Future[Any]) -> list[Any]:
        """The partitions of a topic. Raises `LiveError` if it is not there or not for this site."""
        try:
            return list(self.result(described).partitions)
        except KafkaException as error:
            code = error.args[0].code()
            if code in _FORBIDDEN:
                raise LiveError(f"This site may not describe topic {name}.") from None
            if code in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_EXCEPTION):
                raise LiveError(f"There is no topic {name} on {self.cluster}.") from None
            raise

    def configs(self, kind: ResourceType, name: str) -> Future[Any]:
        """Asks for every setting of a topic or a broker."""
        resource = ConfigResource(kind, name)
        settings = self.admin.describe_configs([resource], request_timeout=LIMIT_S)
        future: Future[Any] = settings[resource]
        return future

    def entries(self, future: Future[Any], what: str, notes: list[str]) -> tuple[Entry, ...]:
        """The settings; none, and a note, if they may not be read."""
        try:
            result = self.result(future)
        except KafkaException as error:
            forbidden = error.args[0].code() in _FORBIDDEN
            why = "this site may not" if forbidden else "the cluster did not say"
            notes.append(f"Not read: {what}, because {why}.")
            return ()
        return tuple(
            Entry(
                item.name, None if item.is_sensitive else item.value,
                ConfigSource(int(item.source)).name, bool(item.is_sensitive),
            )
            for item in result.values()
        )  # fmt: skip

    def group(self, name: str, topic: str, partitions: int) -> Group:
        """A group's members, and on how many partitions of the topic it has committed."""
        wanted = [TopicPartition(topic, number) for number in range(partitions)]
        offsets = self.admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(name, wanted)], request_timeout=LIMIT_S
        )[name]
        described = self.admin.describe_consumer_groups([name], request_timeout=LIMIT_S)[name]
        nobodys = LiveError(f"{self.cluster} does not have group {name}.")
        try:
            result = self.result(described)
            committed = self.result(offsets).topic_partitions
        except KafkaException as error:
            code = error.args[0].code()
            if code in _FORBIDDEN:
                raise LiveError(f"This site may not describe group {name}.") from None
            raise (nobodys if code in _NO_GROUP else error) from None
        if result.state == ConsumerGroupState.DEAD:  # so Kafka calls a group that nobody knows
            raise nobodys
        return Group(
            name,
            tuple(member.group_instance_id or "" for member in result.members),
            partitions,
            sum(item.offset >= 0 for item in committed),
        )


def _client_settings(given: str) -> dict[str, str]:
    """The operator's addresses, or the file of client settings that holds them."""
    if not given.startswith("/"):
        return {"bootstrap.servers": given}
    text = Path(given).read_text(encoding="utf-8")
    return {entry.key: entry.value for entry in properties(text)}


def _public_message(cluster: str, code: int) -> str:
    """The message for a visitor, without the address and librdkafka's words."""
    if why := _REFUSED.get(code) or _UNREACHED.get(code):
        return f"{cluster} {why}. The operator of this site can fix that."
    if code in _FORBIDDEN:
        return f"{cluster} does not let this site describe it."
    return f"{cluster} did not answer within {LIMIT_S:g} seconds."
