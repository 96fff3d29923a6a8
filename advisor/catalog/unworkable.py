"""Values of settings that are not modelled, with which nothing is written, read or committed.

Products start with them. Sources in Kafka: OffsetMetadataManager and GroupMetadataManager
(validateOffsetMetadataLength), CoordinatorRuntime (OperationTimeout), LogConfig and UnifiedLog
(segments), AbstractIndex and TimeIndex.isFull, DelayedRemoteFetch, ClusterConnectionStates,
StreamThread.pollRequests, StreamTask.process and WindowedChangelogTopicConfig; in Spark:
KafkaOffsetReaderAdmin.withRetries; in librdkafka: rd_kafka_transport_framed_recv.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.catalog.model import Component, Family, Problem
from advisor.catalog.values import number
from advisor.catalog.versions import at_least

Texts = Mapping[str, str]
Complaints = Iterator[tuple[str, str]]
"""(setting, end of a sentence that starts with the setting and its value)."""

_METADATA, _STREAMS_METADATA_BYTES = "offset.metadata.max.bytes", 12
"""Kafka Streams commits metadata with an offset: 9 bytes as Base64 (TopicPartitionMetadata)."""
_MESSAGE = "message.max.bytes"
_BACKOFF, _LAG, _LAG_MS = "replica.fetch.backoff.ms", "replica.lag.time.max.ms", 30_000
_DELETES, _ABSENT_MS = "log.cleaner.delete.retention.ms", 3_600_000
"""An hour. A longer absence is stated with `application.outage.ms`."""
_MIN_BYTES, _MAX_WAIT = "replica.fetch.min.bytes", "replica.fetch.wait.max.ms"
_FEWEST = {
    "max.connections": (3, "a writer, a reader and a follower need"),
    "max.connections.per.ip": (2, "one client needs"),
}
_LINGER, _COMMIT = "group.coordinator.append.linger.ms", "offsets.commit.timeout.ms"
_SMALLEST_GROUP = 1_000
"""Each member takes some hundred bytes of the record of its group. Seen on 4.3.1: a group with one
member reads with 1,000 bytes, and reads nothing with 300."""
_SEGMENTS = {
    "offsets.topic.segment.bytes": "and no group ever reads",
    "transaction.state.log.segment.bytes": "and no transaction ever begins",
}
_LEAST_SEGMENT, _SMALLEST_BATCH = 1_048_576, 128
"""The smallest segment of Kafka 4.1 and later (KIP-1030), and less than any batch in those topics:
61 bytes, and a record whose key names a group, a topic or a producer."""
_INDEXES: Mapping[Component, str] = {
    Component.BROKER: "log.index.size.max.bytes", Component.TOPIC: "segment.index.bytes",
}  # fmt: skip
_TEST_SEGMENT = "internal.segment.bytes"
_TWO_ENTRIES = 24
"""The bytes of two entries of a time index, which keeps the last one free."""
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
"""The longest pause of a consumer, some of which double, and of a group. Pauses are not added to
the consumers' absence, so none may be longer than a rebalance counts (`max.poll.interval.ms`)."""
_ASSIGNED = tuple(
    f"group.{group}.{pause}"
    for group in ("consumer", "streams")
    for pause in ("assignment.interval.ms", "initial.rebalance.delay.ms")
)
_REMOTE, _TIERED = "remote.fetch.max.wait.ms", "remote.storage.enable"
_FETCHED = "remote.log.manager.fetch.max.bytes.per.second"
_TOO_SHORT_MS = 10
_RESPONSE, _MANY_PARTITIONS = "receive.message.max.bytes", 100_000
"""A partition with three replicas takes about 40 bytes of a MetadataResponse, so this is enough for
some 2,000 of them. A consumer's response has to hold a batch, which is modelled."""
_RETRY, _REGISTRATION = (
    "controller.quorum.retry.backoff.ms",
    "initial.broker.registration.timeout.ms",
)
_REQUEST = "controller.quorum.request.timeout.ms"
_ELECTION = "controller.quorum.election.backoff.max.ms"
_SNAPSHOT, _SMALLEST_PIECE = "controller.quorum.fetch.snapshot.max.bytes", 1_000
_THROTTLE, _SLOWEST = "replication.throttled", 1_000
"""A rate of at least 1 KB/s, as Kafka's own tool requires (kafka-reassign-partitions --help)."""
_FAILS, _SOCKET = "socket.max.fails", "socket.timeout.ms"
_IDLE = "connections.max.idle.ms"
_DELIVERY = ("delivery.timeout.ms", "message.timeout.ms")
_DISABLED = "remote.log.delete.on.disable"
_NOT_SUPPORTED = "That is not covered; leave the line out."


def unworkable(
    family: Family, kafka: str, component: Component, texts: Texts, of_brokers: Texts
) -> Iterator[Problem]:
    """Yields the settings with which no message gets through; `texts` are by name, as written."""
    checks = [_setup(family, texts)] if component is not Component.APPLICATION else []
    if component in _INDEXES:
        checks.append(_index(_INDEXES[component], texts))
    match component:
        case Component.BROKER:
            checks += [_groups(family, kafka, texts), _internal_topics(kafka, texts)]
            checks += [_replicas(texts), _follower_fetches(texts), _connections(texts)]
            checks.append(_registration(texts))
        case Component.TOPIC:
            checks += [_remote(texts, of_brokers), _disabled(texts), _test_segment(texts)]
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
        for name, predicate in check:
            yield Problem(
                component, name, f"{name}={texts[name].strip()} {predicate} {_NOT_SUPPORTED}"
            )


def _setup(family: Family, texts: Texts) -> Complaints:
    """The timeout doubles with each failure, but stays 0 if it is 0 (ExponentialBackoff)."""
    for name in (_SETUP, f"kafka.{_SETUP}"):
        if name in texts and family is not Family.LIBRDKAFKA and _number(texts, name, 1) <= 0:
            yield name, "gives up each connection immediately (KIP-601)."


def _groups(family: Family, kafka: str, texts: Texts) -> Complaints:
    if family is Family.SPARK:
        return  # commits nothing
    streams = family is Family.STREAMS
    if streams and _number(texts, _DELETES, _ABSENT_MS) < _ABSENT_MS:
        reason = (
            "also applies to changelogs: an instance that was away keeps in its state what was "
        )
        yield _DELETES, f"{reason}deleted meanwhile."
    if _number(texts, _METADATA, 4_096) < (_STREAMS_METADATA_BYTES if streams else 0):
        yield _METADATA, "refuses each commit of an offset, because of its metadata."
    if _number(texts, _MESSAGE, _SMALLEST_GROUP) < _SMALLEST_GROUP:
        yield _MESSAGE, "also applies to __consumer_offsets, which stores the members of a group."
    if _number(texts, _DELAY, 0) > _LONGEST_PAUSE_MS:  # GroupMetadataManager, of classic groups
        yield _DELAY, "is how long an empty group waits before its first member reads anything."
    for name in _ASSIGNED:  # GroupMetadataManager, of groups whose partitions brokers assign
        if _number(texts, name, 0) > _LONGEST_PAUSE_MS:
            yield name, "is how long a partition may wait for a member that reads it."
    linger_ms, timeout_ms = _number(texts, _LINGER, -1), _number(texts, _COMMIT, 5_000)
    if _LINGER in texts and at_least(kafka, "4.0") and linger_ms >= timeout_ms:
        reason = f"delays what a group commits until {_COMMIT}={timeout_ms} expires, so that "
        yield _LINGER, f"{reason}each commit fails."


def _replicas(texts: Texts) -> Complaints:
    """After a failed fetch, only a new leader ends a follower's pause before that time
    (AbstractFetcherThread, delayPartitions)."""
    limit_ms = _number(texts, _LAG, _LAG_MS)
    if _BACKOFF in texts and _number(texts, _BACKOFF, 0) > limit_ms:
        reason = f"is more than {_LAG}={limit_ms}: a follower whose fetch failed once leaves the "
        yield _BACKOFF, f"{reason}in-sync set, and with two of them nothing is accepted meanwhile."


def _follower_fetches(texts: Texts) -> Complaints:
    """A leader delays its response to a follower until there is enough data (DelayedFetch). A
    follower counts as caught up with what the leader had one fetch before (Replica.scala), so it
    lags by two waits. Read in the sources."""
    wait_ms = _number(texts, _MAX_WAIT, 500)
    limit_ms = min(_number(texts, _COMMIT, 5_000), _number(texts, _LAG, _LAG_MS) // 2)
    if _number(texts, _MIN_BYTES, 1) > 1 and wait_ms >= limit_ms:
        reason = f"with {_MAX_WAIT}={wait_ms} delays the responses to followers until "
        reason += "commits of offsets time out, or followers leave the in-sync set."
        yield _MIN_BYTES, reason


def _connections(texts: Texts) -> Complaints:
    """ConnectionQuotas. A client fetches metadata over one connection and opens another one."""
    for name, (fewest, users) in _FEWEST.items():
        if f"{name}.overrides" not in texts and 0 < _number(texts, name, fewest) < fewest:
            yield name, f"is fewer than {users} of a broker: the others wait, or are closed."


def _registration(texts: Texts) -> Complaints:
    """The pause after a failed request to a controller, such as the first one of a broker that
    starts before it (RequestManager). Seen on 4.3.1: with an hour that broker shut down."""
    if _number(texts, _REQUEST, 1) <= 0:  # Seen on 4.3.1: no topic was created within 39 s
        yield _REQUEST, "gives up each request between controllers, and none of them leads."
    if _number(texts, _ELECTION, 0) < 0:  # KafkaRaftClient; Timer.reset throws
        yield _ELECTION, "stops a controller that has to wait before the next election."
    if _number(texts, _SNAPSHOT, _SMALLEST_PIECE) < _SMALLEST_PIECE:  # KIP-630
        reason = "transfers a snapshot of the metadata in such small pieces that a server that was "
        yield _SNAPSHOT, f"{reason}away does not get it in time."
    limit_ms = _number(texts, _REGISTRATION, 60_000)
    if _RETRY in texts and 0 < limit_ms <= _number(texts, _RETRY, 20):
        reason = f"makes a broker that failed to reach a controller wait until {_REGISTRATION}="
        yield _RETRY, f"{reason}{limit_ms} expires, and it shuts down."


def _internal_topics(kafka: str, texts: Texts) -> Complaints:
    least = _LEAST_SEGMENT if at_least(kafka, "4.1") else _SMALLEST_BATCH
    for name, consequence in _SEGMENTS.items():
        if _number(texts, name, least) < least:
            yield name, f"is below {least}: the topic cannot be created or written, {consequence}."


def _index(name: str, texts: Texts) -> Complaints:
    if _number(texts, name, _TWO_ENTRIES) < _TWO_ENTRIES:
        reason = "leaves no room for an entry in an index: each batch begins a new segment, or "
        yield name, f"{reason}none can be written."


def _test_segment(texts: Texts) -> Complaints:
    """LogConfig.segmentSize, since 4.1. No least value ensures that a batch fits."""
    if _TEST_SEGMENT in texts:
        yield _TEST_SEGMENT, "is for Kafka's own tests, and replaces segment.bytes."


def _remote(texts: Texts, of_brokers: Texts) -> Complaints:
    tiered = texts.get(_TIERED, "").strip().lower() == "true"
    if tiered and _number(of_brokers, _FETCHED, _SLOWEST) < _SLOWEST:  # RLMQuotaManager, KIP-956
        reason = f"with {_FETCHED}={of_brokers[_FETCHED].strip()} of the brokers: a consumer of "
        yield _TIERED, f"{reason}the remote storage never catches up."
    if tiered and number(of_brokers, _REMOTE, 500) <= _TOO_SHORT_MS:
        reason = f"with {_REMOTE}={of_brokers[_REMOTE].strip()} of the brokers: each read from the "
        yield _TIERED, f"{reason}remote storage is given up before it completes."


def _disabled(texts: Texts) -> Complaints:
    """A topic's data in tiered storage is deleted when that is disabled (KIP-950)."""
    tiered, deletes = (texts.get(name, "").strip().lower() for name in (_TIERED, _DISABLED))
    if tiered == "false" and deletes == "true":
        reason = f"with {_TIERED}=false removes what is in the remote storage, unread or not."
        yield _DISABLED, reason


def _throttled(texts: Texts, of_brokers: Texts) -> Complaints:
    """KIP-73. A replica that is not in sync is throttled, whether it is being moved or was away
    (RemoteLeaderEndPoint.shouldFollowerThrottle, ReplicaManager.shouldLeaderThrottle)."""
    for side in ("leader", "follower"):
        replicas, rate = (f"{side}.{_THROTTLE}.{ending}" for ending in ("replicas", "rate"))
        slow = _number(of_brokers, rate, _SLOWEST) < _SLOWEST
        if slow and texts.get(replicas, "").strip():
            reason = f"with {rate}={of_brokers[rate].strip()}: a replica that was away does not "
            yield replicas, f"{reason}come back into the in-sync set."


def _streams(texts: Texts) -> Complaints:
    if _number(texts, _POLL, 0) < 0:
        yield _POLL, "stops each thread at its first poll."
    if _number(texts, _POLL, 0) > _LONGEST_PAUSE_MS:  # it only commits between two polls
        yield _POLL, "is how long a thread without more input waits before its next commit."
    if _number(texts, _BUFFERED, 0) < 0:
        yield _BUFFERED, "pauses each partition at its first records and never resumes it."
    if _number(texts, _WINDOWS, 0) < 0:
        yield _WINDOWS, "keeps windows in their changelog for a shorter time than they are open."


def _pauses(texts: Texts) -> Complaints:
    """A consumer whose broker was away reconnects after the pause (ClusterConnectionStates)."""
    for name in (name for name in texts if name.lower().removeprefix("kafka.") in _PAUSES):
        if _number(texts, name, 0) > _LONGEST_PAUSE_MS:
            yield name, "keeps a consumer away after a failure is over."


def _responses(texts: Texts) -> Complaints:
    """librdkafka closes a connection on which a longer response arrives. Seen on 2.16.1."""
    if _number(texts, _RESPONSE, _MANY_PARTITIONS) < _MANY_PARTITIONS:
        reason = "is less than the metadata of a topic with many partitions, and without that "
        yield _RESPONSE, f"{reason}the producer sends nothing."


def _dead_connection(texts: Texts) -> Complaints:
    """librdkafka closes a connection after so many requests timed out on it (rdkafka_broker.c)."""
    if _number(texts, _FAILS, 1) == 0:
        reason = "keeps a connection on which no response arrives any more, and retries on it."
        yield _FAILS, reason


def _closed(family: Family, texts: Texts) -> Complaints:
    """It is modelled for Java. librdkafka does not close a connection on which a response is
    awaited (rd_kafka_broker_idle_check), but closes one that it is about to send on. Seen on 2.16.1
    with 1: two of 13 clients did not work."""
    if family is Family.LIBRDKAFKA and 0 < _number(texts, _IDLE, 0) <= _TOO_SHORT_MS:
        yield _IDLE, "closes a connection before the first request is on it."


def _last_try(texts: Texts) -> Complaints:
    """So many requests may have to time out, one after the other, before a connection is closed."""
    times, socket_ms = _number(texts, _FAILS, 1), _number(texts, _SOCKET, 60_000)
    limits = [_number(texts, name, 300_000) for name in _DELIVERY if name in texts] or [300_000]
    if times > 1 and 0 < min(limits) <= times * socket_ms:
        reason = f"keeps a connection without responses for so many times {_SOCKET}={socket_ms}: "
        yield _FAILS, f"{reason}records are given up, because {_DELIVERY[0]} is {min(limits)}."


def _spark(texts: Texts) -> Complaints:
    """The case of the names of Spark's options does not matter."""
    for name in (name for name in texts if name.lower() == _RETRIES):
        if _number(texts, name, 3) <= 0:
            yield name, "never requests an offset, so that the query fails."


def _number(texts: Texts, name: str, default: int) -> int:
    return number(texts, name, default, signed=True)
