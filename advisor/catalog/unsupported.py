"""Settings that the model does not cover, so that no answer would be right for them.

They exist, and the product starts with them. If one was ignored, the answer would be about another
client, or another log. Sources: KIP-932 and group.share.* of the brokers (share groups); KIP-939
(two-phase commit: an open transaction never times out).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.catalog.model import Component, Family, Problem
from advisor.catalog.values import number

_SHARE = (
    "belongs to a share consumer (KIP-932). A share group has no position and keeps no order: "
    "brokers lend each record to some member until it is acknowledged, and skip it after "
    "group.share.delivery.count.limit deliveries. That is not covered; leave the line out for a "
    "consumer group."
)
_TWO_PHASES = (
    "leaves the end of each transaction to an external coordinator (KIP-939). One that is left "
    "open never times out and blocks its readers for ever. That is not covered; leave the line "
    "out for transactions that Kafka ends."
)
_OLD_BROKERS = (
    "treats every broker as one from before 0.10, without a request for its API versions and "
    "without an idempotent producer (rd_kafka_ApiVersion_is_queryable): Kafka 4.0 and later does "
    "not understand it, and older brokers get messages in an old format. That is not covered; "
    "leave both lines out."
)
_NO_CONNECTION = (
    "=0 lets no client connect, nor other brokers if there is only one listener "
    "(ConnectionQuotas.waitForConnectionSlot). No message gets through; leave the line out."
)
_ASKS, _FALLBACK = "api.version.request", "broker.version.fallback"
_STORE, _HIDES = "offset.store.method", "topic.blacklist"
_HIDDEN = (
    "hides each topic that matches: as if it did not exist, nothing is written to it or read from "
    "it, without an error. That is not covered; leave the line out."
)
_NOT_IN_GROUP = (
    "keeps no position in the group: librdkafka does not commit it, and a file is on the disk of "
    "one machine (rdkafka_assignment.c). That is not covered; leave the line out for positions "
    "that the brokers keep."
)
_ASSIGN = "assign"
_ASSIGNED = (
    "only reads the partitions that it lists: no others, and none that is added to the topic later "
    "(Spark, ConsumerStrategy.scala). That is not covered; state subscribe instead."
)
_THREADS = "num.stream.threads"
_NO_THREADS = (
    "starts an application without a thread: nothing is processed until its code adds some "
    "(KafkaStreams.addStreamThread; TopologyMetadata.numStreamThreads). That is not covered; "
    "leave the line out for one thread."
)
_CONNECTIONS = ("max.connections", "max.connection.creation.rate")
"""Limits with which nobody can connect if they are 0. Seen on 4.3.1: with a rate of 0 a broker that
starts does not even register with its own controller."""
_LISTENER_CONNECTIONS = re.compile(
    r"listener\.name\.[\w-]{1,100}\.(?:max\.connections|max\.connection\.creation\.rate)"
)
_USUAL_MS = 30_000
"""Used for each wait that is not stated."""
_TOO_SHORT_MS = 10
"""The least time of a response of another machine that involves disks (Kafka design.md)."""
_CONNECT = "socket.connection.setup.timeout.max.ms"
_UNCONNECTED = "gives up each connection that is not established within that time (KIP-601)"
_BOOTSTRAP = "metadata.recovery.rebootstrap.trigger.ms"
_CLOSED = (
    "closes each connection and bootstraps again, unless a broker responds within that time "
    "(NetworkClient, handleRebootstrap). That is not covered; state "
    "metadata.recovery.strategy=none for a client that does not bootstrap again."
)
"""Seen on 4.3.1, on one machine: the first message took 2 s with 100 ms, 15 s with 10 ms, and more
than 25 s with 1 ms."""
_WAITS: Mapping[tuple[Component, str], str] = {
    (Component.BROKER, "controller.socket.timeout.ms"): (
        "gives up each request between brokers and controllers, so that no broker registers "
        "(NodeToControllerChannelManager)"
    ),
    (Component.BROKER, "initial.broker.registration.timeout.ms"): (
        "makes a broker shut down before it is registered (BrokerLifecycleManager)"
    ),
    (Component.BROKER, "server.max.startup.time.ms"): (
        "makes a broker shut down before it has started (BrokerServer.startup)"
    ),
    (Component.BROKER, "zookeeper.connection.timeout.ms"): (
        "makes a broker shut down before its connection with ZooKeeper is up (ZooKeeperClient)"
    ),
    (Component.BROKER, "request.timeout.ms"): (
        "gives up the requests between brokers about transactions, so that none ends "
        "(TransactionMarkerChannelManager)"
    ),
    (Component.BROKER, _CONNECT): _UNCONNECTED,
    (Component.PRODUCER, _CONNECT): _UNCONNECTED,
    (Component.CONSUMER, _CONNECT): _UNCONNECTED,
}
"""Timeouts within which no machine can respond if they are some milliseconds, with the effect."""
_LINGER, _REGISTRATION = (
    "controller.quorum.append.linger.ms",
    ("initial.broker.registration.timeout.ms"),
)
_UNREGISTERED = (
    "makes a broker shut down before the active controller has written its registration "
    "(BrokerLifecycleManager). That is not covered; leave both lines out."
)
_BUFFERS: Mapping[Component, tuple[str, ...]] = {
    Component.PRODUCER: ("send.buffer.bytes", "receive.buffer.bytes"),
    Component.CONSUMER: ("send.buffer.bytes", "receive.buffer.bytes"),
    Component.STREAMS: ("send.buffer.bytes", "receive.buffer.bytes"),
    Component.BROKER: (
        "socket.send.buffer.bytes", "socket.receive.buffer.bytes",
        "replica.socket.receive.buffer.bytes",
    ),
}  # fmt: skip
_NO_SOCKET = (
    "prevents every connection: java.net.Socket requires a buffer above 0 (setSendBufferSize, "
    "setReceiveBufferSize), and -1 stands for the system's default. Leave the line out."
)
_WITHOUT_API_VERSIONS = ("0.9.0", "0.8.", "0.7.", "0.6.")
"""Brokers that librdkafka sends no ApiVersionRequest (rdkafka_feature.c, vermap)."""
_FETCHERS = "num.replica.fetchers"
_NO_FETCHER = (
    "=0 means that no follower fetches (AbstractFetcherManager divides by it), so nothing is "
    "replicated. Kafka 4.2 and later do not start with it. Leave the line out."
)
_TIERED, _RETENTION = "remote.storage.enable", "retention.ms"
_METADATA_RETENTION = f"rlmm.config.remote.log.metadata.topic.{_RETENTION}"
RETENTIONS = {
    "log.retention.ms": 1,
    "log.retention.minutes": 60_000,
    "log.retention.hours": 3_600_000,
}
"""The brokers' settings of the default `retention.ms`, by precedence, with their units in ms."""
_WEEK_MS = 604_800_000
"""Kafka's default `retention.ms` (TopicConfig)."""
_FORGOTTEN = (
    "of the brokers: they forget where a segment is in the remote storage before the topic's "
    "retention.ms expires, and its messages are lost (TopicBasedRemoteLogMetadataManagerConfig). "
    "That is not covered; leave the line out."
)
_SHARE_PREFIX = "share."
"""The prefix of the settings of a share consumer, and of a share group."""
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_SWITCHES: Mapping[tuple[Component, str], str] = {
    (Component.PRODUCER, "transaction.two.phase.commit.enable"): _TWO_PHASES,
}


_CONFLUENT = {
    "confluent.placement.constraints": (
        "places replicas that may be observers, which are in no in-sync set"
    ),
    "confluent.log.placement.constraints": (
        "places replicas that may be observers, which are in no in-sync set"
    ),
    "confluent.tier.enable": "keeps older messages in a storage with rules of its own",
}
"""Settings of Confluent Server, which Kafka ignores."""


def is_share_setting(family: Family, component: Component, name: str) -> bool:
    """Whether a setting belongs to a share consumer or its group, in any version."""
    of_consumer = component is Component.CONSUMER and family is not Family.SPARK
    return of_consumer and name.startswith(_SHARE_PREFIX)


def not_advised(
    family: Family, component: Component, texts: Mapping[str, str]
) -> Iterator[Problem]:
    """Yields the settings that are not supported; `texts` are by name, as written."""
    yield from _waits(family, component, texts)
    yield from _confluent(component, texts)
    yield from _buffers(family, component, texts)
    if component is Component.BROKER:
        for name in (
            *_CONNECTIONS,
            *(name for name in texts if _LISTENER_CONNECTIONS.fullmatch(name)),
        ):
            if texts.get(name, "").strip() == "0":
                yield Problem(component, name, f"{name}{_NO_CONNECTION}")
        if texts.get(_FETCHERS, "").strip() == "0":
            yield Problem(component, _FETCHERS, f"{_FETCHERS}{_NO_FETCHER}")
    if component is Component.STREAMS and re.fullmatch(r"0+|-\d+", _threads(texts)):
        yield Problem(component, _THREADS, f"{_THREADS}={_threads(texts)} {_NO_THREADS}")
    if family is Family.SPARK and component is Component.CONSUMER and texts.get(_ASSIGN):
        yield Problem(component, _ASSIGN, f"{_ASSIGN} {_ASSIGNED}")
    if family is Family.SPARK:
        return  # the connector creates consumers of a group, whatever else is passed to it
    if family is Family.LIBRDKAFKA and _stores_elsewhere(component, texts):
        method = texts[_STORE].strip()
        yield Problem(component, _STORE, f"{_STORE}={method} {_NOT_IN_GROUP}")
    if family is Family.LIBRDKAFKA and texts.get(_HIDES, "").strip():
        yield Problem(component, _HIDES, f"{_HIDES} {_HIDDEN}")
    if family is Family.LIBRDKAFKA and _assumes_old_brokers(texts):
        both = f"{_ASKS}=false with {_FALLBACK}={texts[_FALLBACK].strip()}"
        yield Problem(component, _FALLBACK, f"{both} {_OLD_BROKERS}")
    for name, text in texts.items():
        reason = _SHARE if is_share_setting(family, component, name) else None
        if reason is None and text.strip().lower() == "true":
            reason = _SWITCHES.get((component, name))
        if reason:
            yield Problem(component, name, f"{name} {reason}")


def _confluent(component: Component, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Yields settings of Confluent Server. Source: the pages of Confluent Platform (Multi-Region
    Clusters; Tiered Storage)."""
    for name in _CONFLUENT if component in (Component.TOPIC, Component.BROKER) else ():
        text = texts.get(name, "").strip()
        if text and text.lower() not in ("false", "{}"):
            message = f"{name} of Confluent Server {_CONFLUENT[name]}. That is not covered."
            yield Problem(component, name, message)


def _waits(family: Family, component: Component, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Yields timeouts that expire before a response can arrive."""
    prefix = _prefix(family, component)
    for name, text in texts.items():
        effect = _WAITS.get((component, name.removeprefix(prefix)))
        if effect and number(texts, name, _USUAL_MS, signed=True) <= _TOO_SHORT_MS:
            message = f"{name}={int(text)} {effect}. That is not covered; leave the line out."
            yield Problem(component, name, message)

    if family is not Family.LIBRDKAFKA and _bootstraps_repeatedly(texts):
        message = f"{_BOOTSTRAP}={texts[_BOOTSTRAP].strip()} {_CLOSED}"
        yield Problem(component, _BOOTSTRAP, message)

    linger, limit = (texts.get(name, "").strip() for name in (_LINGER, _REGISTRATION))
    if linger.isdecimal() and limit.isdecimal() and 0 < int(limit) <= int(linger):
        message = f"{_REGISTRATION}={int(limit)} with {_LINGER}={int(linger)} {_UNREGISTERED}"
        yield Problem(component, _REGISTRATION, message)


def _bootstraps_repeatedly(texts: Mapping[str, str]) -> bool:
    """Whether a Java client bootstraps again before its first bootstrap server responds."""
    strategy = texts.get("metadata.recovery.strategy", "").strip().lower()
    return number(texts, _BOOTSTRAP, _USUAL_MS) <= _TOO_SHORT_MS and strategy != "none"


def _prefix(family: Family, component: Component) -> str:
    """Returns the prefix of a client's settings among Spark's options; empty for others."""
    return "kafka." if family is Family.SPARK and component is not Component.BROKER else ""


def _buffers(family: Family, component: Component, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Yields buffers of a size that no Java socket accepts, although their validators do
    (SocketServer, Acceptor; Selector.configureSocketChannel). In librdkafka 0 is the system's."""
    prefix = _prefix(family, component)
    if family is Family.LIBRDKAFKA and component is not Component.BROKER:
        return
    for name in (f"{prefix}{name}" for name in _BUFFERS.get(component, ())):
        text = texts.get(name, "").strip()
        if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII) and int(text) <= 0 and int(text) != -1:
            yield Problem(component, name, f"{name}={int(text)} {_NO_SOCKET}")


def _stores_elsewhere(component: Component, texts: Mapping[str, str]) -> bool:
    """Whether positions are not stored in the group (rdkafka_assignment.c, rdkafka_offset.c)."""
    method = texts.get(_STORE, "broker").strip().lower()
    return component is Component.CONSUMER and method in ("file", "none")


def _threads(texts: Mapping[str, str]) -> str:
    """Returns the stated number of threads, or the default."""
    return texts.get(_THREADS, "1").strip()


def _assumes_old_brokers(texts: Mapping[str, str]) -> bool:
    """Whether librdkafka assumes old brokers without an ApiVersionRequest; with any other fallback
    it sends one."""
    disabled = texts.get(_ASKS, "").strip().lower() in ("false", "f", "0")
    return disabled and texts.get(_FALLBACK, "").strip().startswith(_WITHOUT_API_VERSIONS)


def forgotten_segments(
    component: Component, texts: Mapping[str, str], of_brokers: Mapping[str, str]
) -> Iterator[Problem]:
    """Yields a problem if the metadata of a tiered topic's segments is kept for a shorter time than
    the topic's messages."""
    metadata_ms = of_brokers.get(_METADATA_RETENTION, "").strip()
    tiered = component is Component.TOPIC and texts.get(_TIERED, "").strip().lower() == "true"
    if not tiered or not metadata_ms.isdecimal():
        return
    stated = ((of_brokers.get(name, "").strip(), unit) for name, unit in RETENTIONS.items())
    defaults = (int(text) * unit for text, unit in stated if _NUMBER.fullmatch(text))
    own = texts.get(_RETENTION, "").strip()
    retention_ms = int(own) if _NUMBER.fullmatch(own) else next(defaults, _WEEK_MS)
    if retention_ms < 0 or int(metadata_ms) < retention_ms:
        yield Problem(component, _TIERED, f"{_METADATA_RETENTION}={int(metadata_ms)} {_FORGOTTEN}")
