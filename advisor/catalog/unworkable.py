"""Values of settings that are not weighed, with which nothing is written, read or committed.

The product starts with them. Sources, of Kafka: OffsetMetadataManager and GroupMetadataManager
(validateOffsetMetadataLength), CoordinatorRuntime (OperationTimeout), LogConfig and UnifiedLog
(segments), AbstractIndex and TimeIndex.isFull, DelayedRemoteFetch, ClusterConnectionStates,
StreamThread.pollRequests, StreamTask.process and WindowedChangelogTopicConfig; of Spark:
KafkaOffsetReaderAdmin.withRetries; of librdkafka: rd_kafka_transport_framed_recv.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.catalog.model import Component, Family, Problem
from advisor.catalog.values import number
from advisor.catalog.versions import at_least

Texts = Mapping[str, str]
Words = Iterator[tuple[str, str]]

_METADATA, _OF_STREAMS = "offset.metadata.max.bytes", 12
"""What Kafka Streams commits beside an offset: 9 bytes as Base64 (TopicPartitionMetadata)."""
_MESSAGE = "message.max.bytes"
_BACKOFF, _LAG, _LAG_MS = "replica.fetch.backoff.ms", "replica.lag.time.max.ms", 30_000
_DELETES, _ABSENT_MS = "log.cleaner.delete.retention.ms", 3_600_000
"""An hour, beyond which nobody's absence is said to go (`application.outage.ms`)."""
_GATHERED, _GATHERED_MS = "replica.fetch.min.bytes", "replica.fetch.wait.max.ms"
_FEWEST = {
    "max.connections": (3, "a writer, a reader and a follower need"),
    "max.connections.per.ip": (2, "one client needs"),
}
_LINGER, _COMMIT = "group.coordinator.append.linger.ms", "offsets.commit.timeout.ms"
_SMALLEST_GROUP = 1_000
"""A member of a group takes some hundred bytes of a record that has all of them. Seen on 4.3.1: a
group of one reads with 1,000, and with 300 nothing."""
_SEGMENTS = {
    "offsets.topic.segment.bytes": "and no group ever reads",
    "transaction.state.log.segment.bytes": "and no transaction ever begins",
}
_LEAST_SEGMENT, _SMALLEST_BATCH = 1_048_576, 128
"""The least segment of Kafka 4.1 and later (KIP-1030), and less than any batch of those topics: 61
bytes, with a record whose key names a group, a topic or a producer."""
_INDEXES: Mapping[Component, str] = {
    Component.BROKER: "log.index.size.max.bytes", Component.TOPIC: "segment.index.bytes",
}  # fmt: skip
_OF_TESTS = "internal.segment.bytes"
_TWO_ENTRIES = 24
"""Of a time index, which keeps the last one free."""
_SETUP = "socket.connection.setup.timeout.ms"
_POLL, _BUFFERED = "poll.ms", "buffered.records.per.partition"
_WINDOWS = "windowstore.changelog.additional.retention.ms"
_DELAY = "group.initial.rebalance.delay.ms"
_RETRIES = "fetchoffset.numretries"
_PAUSES = (
    "reconnect.backoff.ms", "reconnect.backoff.max.ms", "retry.backoff.ms", "retry.backoff.max.ms",
    "fetchoffset.retryintervalms",
)  # fmt: skip
_LONGEST_PAUSE_MS = 300_000
"""Pauses of a reader, some of which double, and of a group. They are not added to how long nobody
reads, so none is longer than what is counted of a rebalance (`max.poll.interval.ms`)."""
_ASSIGNED = tuple(
    f"group.{group}.{pause}"
    for group in ("consumer", "streams")
    for pause in ("assignment.interval.ms", "initial.rebalance.delay.ms")
)
_REMOTE, _TIERED = "remote.fetch.max.wait.ms", "remote.storage.enable"
_FETCHED = "remote.log.manager.fetch.max.bytes.per.second"
_TOO_SHORT_MS = 10
_RESPONSE, _MANY_PARTITIONS = "receive.message.max.bytes", 100_000
"""About 40 bytes tell of a partition with three copies (MetadataResponse), so some 2,000 of them.
A consumer's has to hold a batch, which is weighed."""
_RETRY, _REGISTRATION = (
    "controller.quorum.retry.backoff.ms",
    "initial.broker.registration.timeout.ms",
)
_REQUEST = "controller.quorum.request.timeout.ms"
_ELECTION = "controller.quorum.election.backoff.max.ms"
_SNAPSHOT, _SMALLEST_PIECE = "controller.quorum.fetch.snapshot.max.bytes", 1_000
_THROTTLE, _SLOWEST = "replication.throttled", 1_000
"""A rate of at least 1 KB/s, as Kafka's own tool asks for (kafka-reassign-partitions --help)."""
_FAILS, _SOCKET = "socket.max.fails", "socket.timeout.ms"
_IDLE = "connections.max.idle.ms"
_DELIVERY = ("delivery.timeout.ms", "message.timeout.ms")
_DISABLED = "remote.log.delete.on.disable"
_LEAVE = "That is not advised on; leave the line out."


def unworkable(
    family: Family, kafka: str, component: Component, texts: Texts, of_brokers: Texts
) -> Iterator[Problem]:
    """What of these settings (by name, as written) lets nothing through."""
    checks = [_setup(family, texts)] if component is not Component.APPLICATION else []
    if component in _INDEXES:
        checks.append(_index(_INDEXES[component], texts))
    match component:
        case Component.BROKER:
            checks += [_groups(family, kafka, texts), _internal(kafka, texts)]
            checks += [_replicas(texts), _kept_back(texts), _connections(texts)]
            checks.append(_registration(texts))
        case Component.TOPIC:
            checks += [_remote(texts, of_brokers), _disabled(texts), _of_tests(texts)]
            checks.append(_throttled(texts, of_brokers))
        case Component.STREAMS:
            checks.append(_streams(texts))
        case Component.CONSUMER if family is Family.SPARK:
            checks += [_spark(texts), _pauses(texts)]
        case Component.CONSUMER:
            checks += [_pauses(texts), _dead_connection(texts), _closed(family, texts)]
        case Component.PRODUCER:
            checks += [_responses(texts), _dead_connection(texts), _last_try(texts)]
            checks.append(_closed(family, texts))
        case _:
            pass
    for check in checks:
        for name, words in check:
            yield Problem(component, name, f"{name}={texts[name].strip()} {words} {_LEAVE}")


def _setup(family: Family, texts: Texts) -> Words:
    """A wait that doubles with each failure, but not from 0 (ExponentialBackoff)."""
    for name in (_SETUP, f"kafka.{_SETUP}"):
        if name in texts and family is not Family.LIBRDKAFKA and _number(texts, name, 1) <= 0:
            yield name, "gives up each connection at once (KIP-601)."


def _groups(family: Family, kafka: str, texts: Texts) -> Words:
    if family is Family.SPARK:
        return  # commits nothing
    of_streams = family is Family.STREAMS
    if of_streams and _number(texts, _DELETES, _ABSENT_MS) < _ABSENT_MS:
        words = "counts for changelogs, too: an instance that was away keeps in its state what was "
        yield _DELETES, f"{words}deleted meanwhile."
    if _number(texts, _METADATA, 4_096) < (_OF_STREAMS if of_streams else 0):
        yield _METADATA, "refuses each commit of an offset, for what is committed beside it."
    if _number(texts, _MESSAGE, _SMALLEST_GROUP) < _SMALLEST_GROUP:
        yield _MESSAGE, "counts for __consumer_offsets, too, where the members of a group are kept."
    if _number(texts, _DELAY, 0) > _LONGEST_PAUSE_MS:  # GroupMetadataManager, of classic groups
        yield _DELAY, "is how long an empty group waits before its first member reads anything."
    for name in _ASSIGNED:  # GroupMetadataManager, of groups whose partitions brokers assign
        if _number(texts, name, 0) > _LONGEST_PAUSE_MS:
            yield name, "is how long a partition may wait for a member that reads it."
    linger_ms, given_up_ms = _number(texts, _LINGER, -1), _number(texts, _COMMIT, 5_000)
    if _LINGER in texts and at_least(kafka, "4.0") and linger_ms >= given_up_ms:
        words = f"keeps back what a group commits until {_COMMIT}={given_up_ms} is over, so that "
        yield _LINGER, f"{words}each commit fails."


def _replicas(texts: Texts) -> Words:
    """A follower whose fetch failed once: nothing but a new leader wakes it before that time
    (AbstractFetcherThread, delayPartitions)."""
    limit_ms = _number(texts, _LAG, _LAG_MS)
    if _BACKOFF in texts and _number(texts, _BACKOFF, 0) > limit_ms:
        words = f"is more than {_LAG}={limit_ms}: a follower whose fetch failed once leaves the "
        yield _BACKOFF, f"{words}in-sync set, and with two of them nothing is accepted meanwhile."


def _kept_back(texts: Texts) -> Words:
    """What a leader keeps back from its followers until there is more of it (DelayedFetch). One of
    them counts as caught up with what the leader had one fetch before (Replica.scala), so that it
    lags by two waits. Read in the sources."""
    wait_ms = _number(texts, _GATHERED_MS, 500)
    limit_ms = min(_number(texts, _COMMIT, 5_000), _number(texts, _LAG, _LAG_MS) // 2)
    if _number(texts, _GATHERED, 1) > 1 and wait_ms >= limit_ms:
        words = f"with {_GATHERED_MS}={wait_ms} keeps back from followers what is less, until "
        words += "commits of offsets are timed out, or followers leave the in-sync set."
        yield _GATHERED, words


def _connections(texts: Texts) -> Words:
    """ConnectionQuotas. A client asks over one connection who there is, and opens another one."""
    for name, (fewest, whose) in _FEWEST.items():
        if f"{name}.overrides" not in texts and 0 < _number(texts, name, fewest) < fewest:
            yield name, f"is fewer than {whose} of a broker: the others wait, or are closed."


def _registration(texts: Texts) -> Words:
    """A pause after a request to a controller that failed, such as the first one of a broker that
    starts before it (RequestManager). Seen on 4.3.1: with an hour that broker ended itself."""
    if _number(texts, _REQUEST, 1) <= 0:  # Seen on 4.3.1: no topic was made within 39 s
        yield _REQUEST, "gives up each request among controllers, and none of them leads."
    if _number(texts, _ELECTION, 0) < 0:  # KafkaRaftClient; Timer.reset throws
        yield _ELECTION, "ends a controller that is to wait before the next election."
    if _number(texts, _SNAPSHOT, _SMALLEST_PIECE) < _SMALLEST_PIECE:  # KIP-630
        words = "brings a snapshot of the metadata in so small pieces that a server that was away "
        yield _SNAPSHOT, f"{words}does not have it in time."
    limit_ms = _number(texts, _REGISTRATION, 60_000)
    if _RETRY in texts and 0 < limit_ms <= _number(texts, _RETRY, 20):
        words = f"keeps a broker that reached no controller once from it until {_REGISTRATION}="
        yield _RETRY, f"{words}{limit_ms} is over, and it ends itself."


def _internal(kafka: str, texts: Texts) -> Words:
    least = _LEAST_SEGMENT if at_least(kafka, "4.1") else _SMALLEST_BATCH
    for name, consequence in _SEGMENTS.items():
        if _number(texts, name, least) < least:
            yield name, f"is below {least}: the topic cannot be made or written, {consequence}."


def _index(name: str, texts: Texts) -> Words:
    if _number(texts, name, _TWO_ENTRIES) < _TWO_ENTRIES:
        words = "leaves an index no room for an entry: each batch begins a segment of its own, or "
        yield name, f"{words}none can be written."


def _of_tests(texts: Texts) -> Words:
    """LogConfig.segmentSize, since 4.1; it has no least value that a batch fits in."""
    if _OF_TESTS in texts:
        yield _OF_TESTS, "is for Kafka's own tests, and counts instead of segment.bytes."


def _remote(texts: Texts, of_brokers: Texts) -> Words:
    tiered = texts.get(_TIERED, "").strip().lower() == "true"
    if tiered and _number(of_brokers, _FETCHED, _SLOWEST) < _SLOWEST:  # RLMQuotaManager, KIP-956
        words = f"with {_FETCHED}={of_brokers[_FETCHED].strip()} of the brokers: who reads from "
        yield _TIERED, f"{words}the remote storage does not come to its end."
    if tiered and number(of_brokers, _REMOTE, 500) <= _TOO_SHORT_MS:
        words = f"with {_REMOTE}={of_brokers[_REMOTE].strip()} of the brokers: each read of the "
        yield _TIERED, f"{words}remote storage is given up before it has come."


def _disabled(texts: Texts) -> Words:
    """What a topic has in tiered storage when that is turned off (KIP-950)."""
    on, removes = (texts.get(name, "").strip().lower() for name in (_TIERED, _DISABLED))
    if on == "false" and removes == "true":
        words = f"with {_TIERED}=false removes what is in the remote storage, unread or not."
        yield _DISABLED, words


def _throttled(texts: Texts, of_brokers: Texts) -> Words:
    """KIP-73. A replica that is not in sync is throttled whether it is moved or was away
    (RemoteLeaderEndPoint.shouldFollowerThrottle, ReplicaManager.shouldLeaderThrottle)."""
    for side in ("leader", "follower"):
        replicas, rate = (f"{side}.{_THROTTLE}.{ending}" for ending in ("replicas", "rate"))
        slow = _number(of_brokers, rate, _SLOWEST) < _SLOWEST
        if slow and texts.get(replicas, "").strip():
            words = f"with {rate}={of_brokers[rate].strip()}: a replica that was away does not "
            yield replicas, f"{words}come back into the in-sync set."


def _streams(texts: Texts) -> Words:
    if _number(texts, _POLL, 0) < 0:
        yield _POLL, "ends each thread at its first poll."
    if _number(texts, _POLL, 0) > _LONGEST_PAUSE_MS:  # it commits between two polls only
        yield _POLL, "is how long a thread without more input waits before its next commit."
    if _number(texts, _BUFFERED, 0) < 0:
        yield _BUFFERED, "pauses each partition at its first records and never resumes it."
    if _number(texts, _WINDOWS, 0) < 0:
        yield _WINDOWS, "keeps windows in their changelog for a shorter time than they are open."


def _pauses(texts: Texts) -> Words:
    """A reader whose broker was away comes back after the pause (ClusterConnectionStates)."""
    for name in (name for name in texts if name.lower().removeprefix("kafka.") in _PAUSES):
        if _number(texts, name, 0) > _LONGEST_PAUSE_MS:
            yield name, "keeps a reader away after a failure that is over."


def _responses(texts: Texts) -> Words:
    """librdkafka ends a connection over which a longer response comes. Seen on 2.16.1."""
    if _number(texts, _RESPONSE, _MANY_PARTITIONS) < _MANY_PARTITIONS:
        words = "does not hold what brokers tell of a topic with many partitions, and without that "
        yield _RESPONSE, f"{words}the producer sends nothing."


def _dead_connection(texts: Texts) -> Words:
    """librdkafka ends a connection by the requests without an answer on it (rdkafka_broker.c)."""
    if _number(texts, _FAILS, 1) == 0:
        words = "keeps a connection over which no answer comes any more, and asks again on it."
        yield _FAILS, words


def _closed(family: Family, texts: Texts) -> Words:
    """Of Java it is weighed. librdkafka closes no connection on which an answer is awaited
    (rd_kafka_broker_idle_check), but one that it is about to send on. Seen on 2.16.1 with 1: two of
    13 clients came to nothing."""
    if family is Family.LIBRDKAFKA and 0 < _number(texts, _IDLE, 0) <= _TOO_SHORT_MS:
        yield _IDLE, "closes a connection before the first request is on it."


def _last_try(texts: Texts) -> Words:
    """One request after the other may have to time out on it before."""
    times, socket_ms = _number(texts, _FAILS, 1), _number(texts, _SOCKET, 60_000)
    limits = [_number(texts, name, 300_000) for name in _DELIVERY if name in texts] or [300_000]
    if times > 1 and 0 < min(limits) <= times * socket_ms:
        words = f"keeps a connection without answers for so many times {_SOCKET}={socket_ms}: "
        yield _FAILS, f"{words}records are given up, for {_DELIVERY[0]} is {min(limits)}."


def _spark(texts: Texts) -> Words:
    """Names of Spark's options count in any case."""
    for name in (name for name in texts if name.lower() == _RETRIES):
        if _number(texts, name, 3) <= 0:
            yield name, "asks for no offset even once, so that the query fails."


def _number(texts: Texts, name: str, default: int) -> int:
    return number(texts, name, default, signed=True)
