"""Settings that the model does not cover, so that no answer would hold for them.

They are real, and the product starts with them. Ignoring one would answer for another client, or
for another log. Sources: KIP-932 and group.share.* of the brokers (share groups); KIP-939
(two-phase commit: a transaction that is open never times out).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.catalog.model import Component, Family, Problem
from advisor.catalog.values import number

_SHARE = (
    "is of a share consumer (KIP-932). A share group has no position and keeps no order: brokers "
    "lend each record to some member until it is acknowledged, and pass over it after "
    "group.share.delivery.count.limit loans. That is not advised on; leave the line out for a "
    "consumer group."
)
_TWO_PHASES = (
    "hands the end of each transaction to a coordinator of your own (KIP-939). One that is left "
    "open never times out and holds its readers back for ever. That is not advised on; leave the "
    "line out for transactions that Kafka ends."
)
_OLD_BROKERS = (
    "speaks to every broker as to one from before 0.10, which asks for no versions and has no "
    "idempotent producer (rd_kafka_ApiVersion_is_queryable): Kafka from 4.0 on understands none of "
    "it, and an older one is sent messages in an old format. That is not advised on; leave both "
    "lines out."
)
_NO_CONNECTION = (
    "=0 lets no client connect, nor other brokers where there is one listener "
    "(ConnectionQuotas.waitForConnectionSlot). No message gets through; leave the line out."
)
_ASKS, _FALLBACK = "api.version.request", "broker.version.fallback"
_STORE, _HIDES = "offset.store.method", "topic.blacklist"
_HIDDEN = (
    "hides each topic that matches: as if it did not exist, nothing is written to it or read from "
    "it, and no error tells. That is not advised on; leave the "
    "line out."
)
_NOT_IN_GROUP = (
    "keeps no position in the group: librdkafka does not commit what it was taken from, and a file "
    "is on one machine's own disk (rdkafka_assignment.c). That is not advised on; leave the line "
    "out for positions that the brokers keep."
)
_ASSIGN = "assign"
_ASSIGNED = (
    "reads the partitions that it names and no other: none that it leaves out, and none that is "
    "added to the topic later (Spark, ConsumerStrategy.scala). That is not advised on; state "
    "subscribe instead."
)
_THREADS = "num.stream.threads"
_NO_THREADS = (
    "starts an application without a thread: nothing is processed until its code adds some "
    "(KafkaStreams.addStreamThread; TopologyMetadata.numStreamThreads). That is not advised on; "
    "leave the line out for one thread."
)
_CONNECTIONS = ("max.connections", "max.connection.creation.rate")
"""Bounds with which nobody comes in at 0. Seen on 4.3.1: with a rate of 0 a broker that boots does
not even register with its own controller."""
_OF_LISTENER = re.compile(
    r"listener\.name\.[\w-]{1,100}\.(?:max\.connections|max\.connection\.creation\.rate)"
)
_USUAL_MS = 30_000
"""Stands for each wait that is not stated."""
_TOO_SHORT_MS = 10
"""What an answer of another machine takes at least that disks have a part in (Kafka design.md)."""
_CONNECT = "socket.connection.setup.timeout.max.ms"
_UNCONNECTED = "gives up each connection that is not there within that time (KIP-601)"
_BOOTSTRAP = "metadata.recovery.rebootstrap.trigger.ms"
_CLOSED = (
    "closes each connection and begins again, unless a broker has answered within that time "
    "(NetworkClient, handleRebootstrap). That is not advised on; state "
    "metadata.recovery.strategy=none for a client that does not begin again."
)
"""Seen on 4.3.1, on one machine: the first message took 2 s with 100 ms, 15 s with 10 ms, and more
than 25 s with 1 ms."""
_WAITS: Mapping[tuple[Component, str], str] = {
    (Component.BROKER, "controller.socket.timeout.ms"): (
        "gives up each request between brokers and controllers, so that no broker registers "
        "(NodeToControllerChannelManager)"
    ),
    (Component.BROKER, "initial.broker.registration.timeout.ms"): (
        "has a broker end itself before it is registered (BrokerLifecycleManager)"
    ),
    (Component.BROKER, "server.max.startup.time.ms"): (
        "has a broker end itself before it has started (BrokerServer.startup)"
    ),
    (Component.BROKER, "zookeeper.connection.timeout.ms"): (
        "has a broker end itself before it is connected with ZooKeeper (ZooKeeperClient)"
    ),
    (Component.BROKER, "request.timeout.ms"): (
        "gives up what brokers ask each other about transactions, so that none ends "
        "(TransactionMarkerChannelManager)"
    ),
    (Component.BROKER, _CONNECT): _UNCONNECTED,
    (Component.PRODUCER, _CONNECT): _UNCONNECTED,
    (Component.CONSUMER, _CONNECT): _UNCONNECTED,
}
"""Waits of which no machine answers within some milliseconds, by what each gives up."""
_LINGER, _REGISTRATION = (
    "controller.quorum.append.linger.ms",
    ("initial.broker.registration.timeout.ms"),
)
_UNREGISTERED = (
    "has a broker end itself before the active controller has written its registration "
    "(BrokerLifecycleManager). That is not advised on; leave both lines out."
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
    "lets no connection come about: java.net.Socket takes a buffer above 0 (setSendBufferSize, "
    "setReceiveBufferSize), and -1 stands for the system's own. Leave the line out."
)
_UNASKED = ("0.9.0", "0.8.", "0.7.", "0.6.")
"""The brokers that librdkafka asks for no versions (rdkafka_feature.c, vermap)."""
_FETCHERS = "num.replica.fetchers"
_NO_FETCHER = (
    "=0 leaves no follower that fetches (AbstractFetcherManager divides by it), so nothing is "
    "replicated. Kafka 4.2 and later do not start with it. Leave the line out."
)
_TIERED, _KEPT = "remote.storage.enable", "retention.ms"
_PLACES = f"rlmm.config.remote.log.metadata.topic.{_KEPT}"
RETENTIONS = {
    "log.retention.ms": 1,
    "log.retention.minutes": 60_000,
    "log.retention.hours": 3_600_000,
}
"""What `retention.ms` of topics comes from, in the order in which these count, with their units."""
_WEEK_MS = 604_800_000
"""`retention.ms` of Kafka (TopicConfig)."""
_FORGOTTEN = (
    "of the brokers: they forget where a segment is in the remote storage before the topic's "
    "retention.ms is over, and its messages are lost (TopicBasedRemoteLogMetadataManagerConfig). "
    "That is not advised on; leave the line out."
)
_OF_SHARES = "share."
"""How each setting of a share consumer, and of a share group, begins."""
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_SWITCHED_ON: Mapping[tuple[Component, str], str] = {
    (Component.PRODUCER, "transaction.two.phase.commit.enable"): _TWO_PHASES,
}


_OF_CONFLUENT = {
    "confluent.placement.constraints": (
        "places copies that may be observers, which are in no in-sync set"
    ),
    "confluent.log.placement.constraints": (
        "places copies that may be observers, which are in no in-sync set"
    ),
    "confluent.tier.enable": "keeps older messages in a storage by rules of its own",
}
"""Settings that Kafka passes over, and Confluent Server reads."""


def is_share_setting(family: Family, component: Component, name: str) -> bool:
    """Whether a setting is of a share consumer or of its group, known to a version or not."""
    of_consumer = component is Component.CONSUMER and family is not Family.SPARK
    return of_consumer and name.startswith(_OF_SHARES)


def not_advised(
    family: Family, component: Component, texts: Mapping[str, str]
) -> Iterator[Problem]:
    """What of these settings (by name, as written) makes it another client."""
    yield from _waits(family, component, texts)
    yield from _confluent(component, texts)
    yield from _buffers(family, component, texts)
    if component is Component.BROKER:
        for name in (*_CONNECTIONS, *(name for name in texts if _OF_LISTENER.fullmatch(name))):
            if texts.get(name, "").strip() == "0":
                yield Problem(component, name, f"{name}{_NO_CONNECTION}")
        if texts.get(_FETCHERS, "").strip() == "0":
            yield Problem(component, _FETCHERS, f"{_FETCHERS}{_NO_FETCHER}")
    if component is Component.STREAMS and re.fullmatch(r"0+|-\d+", _threads(texts)):
        yield Problem(component, _THREADS, f"{_THREADS}={_threads(texts)} {_NO_THREADS}")
    if family is Family.SPARK and component is Component.CONSUMER and texts.get(_ASSIGN):
        yield Problem(component, _ASSIGN, f"{_ASSIGN} {_ASSIGNED}")
    if family is Family.SPARK:
        return  # the connector makes consumers of a group, whatever else is handed on
    if family is Family.LIBRDKAFKA and _stores_elsewhere(component, texts):
        stored = texts[_STORE].strip()
        yield Problem(component, _STORE, f"{_STORE}={stored} {_NOT_IN_GROUP}")
    if family is Family.LIBRDKAFKA and texts.get(_HIDES, "").strip():
        yield Problem(component, _HIDES, f"{_HIDES} {_HIDDEN}")
    if family is Family.LIBRDKAFKA and _asks_nothing(texts):
        both = f"{_ASKS}=false with {_FALLBACK}={texts[_FALLBACK].strip()}"
        yield Problem(component, _FALLBACK, f"{both} {_OLD_BROKERS}")
    for name, text in texts.items():
        words = _SHARE if is_share_setting(family, component, name) else None
        if words is None and text.strip().lower() == "true":
            words = _SWITCHED_ON.get((component, name))
        if words:
            yield Problem(component, name, f"{name} {words}")


def _confluent(component: Component, texts: Mapping[str, str]) -> Iterator[Problem]:
    """What Confluent Server does with a topic, by the pages of Confluent Platform (Multi-Region
    Clusters; Tiered Storage)."""
    for name in _OF_CONFLUENT if component in (Component.TOPIC, Component.BROKER) else ():
        text = texts.get(name, "").strip()
        if text and text.lower() not in ("false", "{}"):
            words = f"{name} of Confluent Server {_OF_CONFLUENT[name]}. That is not advised on."
            yield Problem(component, name, words)


def _waits(family: Family, component: Component, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Those that are over before an answer is there."""
    prefix = _prefix(family, component)
    for name, text in texts.items():
        given_up = _WAITS.get((component, name.removeprefix(prefix)))
        if given_up and number(texts, name, _USUAL_MS, signed=True) <= _TOO_SHORT_MS:
            words = f"{name}={int(text)} {given_up}. That is not advised on; leave the line out."
            yield Problem(component, name, words)

    if family is not Family.LIBRDKAFKA and _begins_again_at_once(texts):
        words = f"{_BOOTSTRAP}={texts[_BOOTSTRAP].strip()} {_CLOSED}"
        yield Problem(component, _BOOTSTRAP, words)

    linger, limit = (texts.get(name, "").strip() for name in (_LINGER, _REGISTRATION))
    if linger.isdecimal() and limit.isdecimal() and 0 < int(limit) <= int(linger):
        words = f"{_REGISTRATION}={int(limit)} with {_LINGER}={int(linger)} {_UNREGISTERED}"
        yield Problem(component, _REGISTRATION, words)


def _begins_again_at_once(texts: Mapping[str, str]) -> bool:
    """Whether a Java client goes back to its bootstrap servers while it asks the first of them."""
    strategy = texts.get("metadata.recovery.strategy", "").strip().lower()
    return number(texts, _BOOTSTRAP, _USUAL_MS) <= _TOO_SHORT_MS and strategy != "none"


def _prefix(family: Family, component: Component) -> str:
    """What Spark's options of a client begin with."""
    return "kafka." if family is Family.SPARK and component is not Component.BROKER else ""


def _buffers(family: Family, component: Component, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Those of a size that no socket of Java takes, beyond what validators refuse
    (SocketServer, Acceptor; Selector.configureSocketChannel). librdkafka's 0 is the system's."""
    prefix = _prefix(family, component)
    if family is Family.LIBRDKAFKA and component is not Component.BROKER:
        return
    for name in (f"{prefix}{name}" for name in _BUFFERS.get(component, ())):
        text = texts.get(name, "").strip()
        if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII) and int(text) <= 0 and int(text) != -1:
            yield Problem(component, name, f"{name}={int(text)} {_NO_SOCKET}")


def _stores_elsewhere(component: Component, texts: Mapping[str, str]) -> bool:
    """Whether positions are anywhere but in the group (rdkafka_assignment.c, rdkafka_offset.c)."""
    stored = texts.get(_STORE, "broker").strip().lower()
    return component is Component.CONSUMER and stored in ("file", "none")


def _threads(texts: Mapping[str, str]) -> str:
    """How many threads are stated; as many as there are usually where nothing is."""
    return texts.get(_THREADS, "1").strip()


def _asks_nothing(texts: Mapping[str, str]) -> bool:
    """Whether librdkafka takes brokers for old ones without a question; any other fallback asks."""
    denied = texts.get(_ASKS, "").strip().lower() in ("false", "f", "0")
    return denied and texts.get(_FALLBACK, "").strip().startswith(_UNASKED)


def forgotten_segments(
    component: Component, texts: Mapping[str, str], of_brokers: Mapping[str, str]
) -> Iterator[Problem]:
    """Where the segments of a tiered topic are is kept for less long than the topic's messages."""
    places = of_brokers.get(_PLACES, "").strip()
    tiered = component is Component.TOPIC and texts.get(_TIERED, "").strip().lower() == "true"
    if not tiered or not places.isdecimal():
        return
    stated = ((of_brokers.get(name, "").strip(), unit) for name, unit in RETENTIONS.items())
    limits = (int(text) * unit for text, unit in stated if _NUMBER.fullmatch(text))
    own = texts.get(_KEPT, "").strip()
    kept_ms = int(own) if _NUMBER.fullmatch(own) else next(limits, _WEEK_MS)
    if kept_ms < 0 or int(places) < kept_ms:
        yield Problem(component, _TIERED, f"{_PLACES}={int(places)} {_FORGOTTEN}")
