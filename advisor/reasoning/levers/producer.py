"""Levers of the producer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from advisor.catalog import Component, Family, Value
from advisor.reasoning.behaviour.keys import OWN, keys_spread, own_class
from advisor.reasoning.behaviour.quota import quota
from advisor.reasoning.behaviour.replication import ELECTION_MARGIN_MS, Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.finding import Confidence
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.levers import streams
from advisor.reasoning.levers.lever import (
    INT_MAX,
    PRODUCER_EXPIRY_MS,
    PRODUCER_RESTART,
    Lever,
    becomes,
    costs,
    only,
    price_text,
    spare_brokers,
)
from advisor.reasoning.pipeline import Pipeline

_PATIENCE_MS = 120_000
"""`delivery.timeout.ms` of the Java client (KIP-91)."""

_TRANSACTION_MS = 60_000
"""`transaction.timeout.ms` of every client (KIP-98)."""

_BACKOFF_MS = 100
"""`retry.backoff.ms` of every client (KIP-580)."""

_LINGER_MS = 5
"""`linger.ms` of the clients: the Java client's since 4.0 (KIP-1030), librdkafka's always."""

_BLOCK_MS = 60_000
"""`max.block.ms` of the Java client (ConfigDef)."""

_REQUEST_MS = 30_000
"""`request.timeout.ms` of the Java client (ConfigDef)."""


def _in_flight(pipeline: Pipeline) -> Sequence[Value]:
    now = pipeline.number(Component.PRODUCER, "max.in.flight.requests.per.connection")
    return [most for most in (5, 1) if most < now]


def _retries(pipeline: Pipeline) -> Sequence[Value]:
    now = pipeline.number(Component.PRODUCER, "retries")
    return [INT_MAX] if now < INT_MAX else []


def _backoffs(pipeline: Pipeline) -> Sequence[Value]:
    """The clients' default, where no retry would be in time."""
    session = Session(pipeline)
    late = session.retries_too_late or session.gives_up_before_second_try()
    backoff_ms = pipeline.number(Component.PRODUCER, "retry.backoff.ms")
    return [_BACKOFF_MS] if late and backoff_ms > _BACKOFF_MS else []


def _reconnects(pipeline: Pipeline) -> Sequence[Value]:
    """The client's default, where the wait for a connection leaves no time for a second attempt."""
    session = Session(pipeline)
    late = session.reconnects_late and session.gives_up_before_second_try()
    default_ms = 100 if pipeline.family is Family.LIBRDKAFKA else 50
    return [default_ms] if late else []


def _longest_pause_ms(pipeline: Pipeline) -> int:
    """Returns the longest pause with acks=all, which may be changed together with this setting."""
    topic = Replication(pipeline)
    return max(topic.failover_with_controller_ms, topic.slow_follower_ms + ELECTION_MARGIN_MS)


def _timeouts(pipeline: Pipeline) -> Sequence[Value]:
    """A longer timeout, but within the transaction: librdkafka allows no more."""
    most = _transaction_ms(pipeline)
    patient = _PATIENCE_MS if most is None else min(_PATIENCE_MS, most)
    longest_ms = _longest_pause_ms(pipeline) + Session(pipeline).first_try_ms
    if most is None:
        longest_ms = max(longest_ms, Session(pipeline).second_try_ms)
        backlog = quota(pipeline)
        longest_ms = max(longest_ms, backlog.empty_ms) if backlog else longest_ms
    # A pause that no client can outwait has its own lever; this setting then gets its usual value.
    wanted = max(patient, longest_ms) if longest_ms <= INT_MAX else patient
    session = Session(pipeline)
    now, remembered_ms = session.delivery_timeout_ms, _longest_timeout_ms(session)
    if now is None or now > remembered_ms:
        # No longer than brokers can distinguish a retry from a new message.
        return [remembered_ms] if remembered_ms >= longest_ms else []
    return [wanted] if now < wanted else []


def _longest_timeout_ms(session: Session) -> int:
    """Returns the longest delivery timeout with which brokers still recognise a retry."""
    return max(session.producer_id_expiration[1], PRODUCER_EXPIRY_MS)


def _no_retry_in_time(session: Session) -> bool:
    """Whether no delivery timeout leaves time for a second attempt."""
    return session.second_try_ms > _longest_timeout_ms(session) and bool(
        session.gives_up_before_second_try()
    )


def _requests(pipeline: Pipeline) -> Sequence[Value]:
    """The client's default, where a missing response is awaited for longer than any record."""
    session = Session(pipeline)
    late = session.request_timeout_ms > _REQUEST_MS and _no_retry_in_time(session)
    return [_REQUEST_MS] if late else []


def _lingers(pipeline: Pipeline) -> Sequence[Value]:
    """The clients' default, where no delivery timeout is long enough for what follows."""
    session = Session(pipeline)
    longest_ms, endless = _longest_timeout_ms(session), _no_retry_in_time(session)
    pause_ms = _longest_pause_ms(pipeline) + session.first_try_ms
    most = _transaction_ms(pipeline)
    in_transaction = most is not None and max(_TRANSACTION_MS, most) < pause_ms
    too_late = endless or pause_ms > longest_ms or in_transaction
    return [_LINGER_MS] if too_late and session.linger_ms > _LINGER_MS else []


def _transactions(pipeline: Pipeline) -> Sequence[Value]:
    if pipeline.family is Family.STREAMS:
        return streams.transactions(pipeline)
    now = _transaction_ms(pipeline)
    wanted = max(_TRANSACTION_MS, _longest_pause_ms(pipeline) + Session(pipeline).first_try_ms)
    most = longest_transaction_ms(pipeline)
    return [wanted] if now is not None and most is not None and now < wanted <= most else []


def _transaction_ms(pipeline: Pipeline) -> int | None:
    """Returns what limits the delivery timeout of a transactional librdkafka producer, or None."""
    if pipeline.family is not Family.LIBRDKAFKA:
        return None
    if not pipeline.text(Component.PRODUCER, "transactional.id"):
        return None
    return pipeline.number(Component.PRODUCER, "transaction.timeout.ms")


def longest_transaction_ms(pipeline: Pipeline) -> int | None:
    """Returns the longest `_transaction_ms` that brokers allow; None without such a limit."""
    if _transaction_ms(pipeline) is None:
        return None
    return pipeline.number(Component.BROKER, "transaction.max.timeout.ms")


def _blocks(pipeline: Pipeline) -> Sequence[Value]:
    wanted = max(_BLOCK_MS, _longest_pause_ms(pipeline), Session(pipeline).unanswered_ms)
    now = pipeline.number(Component.PRODUCER, "max.block.ms")
    return [wanted] if now < wanted else []


def _partitioners(pipeline: Pipeline) -> Sequence[Value]:
    if keys_spread(pipeline) is None:
        return ()
    java = pipeline.text(Component.APPLICATION, "other.writers") == "java"
    return ["murmur2_random" if java else "consistent_random"]


def _ignored_keys(pipeline: Pipeline) -> Sequence[Value]:
    name = "partitioner.ignore.keys"
    if not pipeline.knows(Component.PRODUCER, name):
        return ()
    return [False] if pipeline.flag(Component.PRODUCER, name) else []


def _partitioner_classes(pipeline: Pipeline) -> Sequence[Value]:
    """No class, so that Java's default applies.

    What a class of the team's own does is asked first, unless Java clients, which use another hash,
    write to the topic as well.
    """
    stated = "partitioner.class" in pipeline.stated(Component.PRODUCER)
    if not stated or pipeline.family is Family.LIBRDKAFKA or keys_spread(pipeline) is None:
        return ()
    others = pipeline.text(Component.APPLICATION, "other.writers")
    unknown = own_class(pipeline) and OWN not in pipeline.stated(Component.APPLICATION)
    return () if unknown and others != "java" else [None]


def _acks_price(before: Pipeline, after: Pipeline) -> str:
    topic = Replication(after)
    return price_text(
        latency="each send waits for the slowest replica in sync, one network round trip more. "
        "When one of them crashes, writes wait for up to "
        f"{topic.fencing}.",
        throughput=f"{_most_in_flight(after)}, and each response takes longer.",
        availability=spare_brokers(topic),
        more=_repeats_warning(before, after),
    )


def _retries_price(before: Pipeline, after: Pipeline) -> str:
    return price_text(
        latency=(
            "temporary errors are retried until delivery.timeout.ms, so a permanent one is "
            "reported later."
        ),
        more=_repeats_warning(before, after),
    )


def _repeats_warning(before: Pipeline, after: Pipeline) -> str:
    """Returns a warning if the change makes the client retry, and so write repeats."""
    was, now = (Session(item).repeats() for item in (before, after))
    if not now.keys() - was.keys():
        return ""
    order = ", and out of order" if Anomaly.REORDERED in now else ""
    return f"Meaning: without enable.idempotence, what is sent again may be written twice{order}."


def _timeout_price(before: Pipeline, after: Pipeline) -> str:
    timeout_ms = after.number(Component.PRODUCER, "delivery.timeout.ms")
    return price_text(
        latency=f"a send that fails is reported after up to {timeout_ms:,} ms.",
        more="Memory: until then unsent records wait in the producer.",
    )


def _block_price(before: Pipeline, after: Pipeline) -> str:
    block_ms = after.number(Component.PRODUCER, "max.block.ms")
    return price_text(
        latency=f"send() may block its caller for {block_ms:,} ms while the buffer is full."
    )


def _in_flight_price(before: Pipeline, after: Pipeline) -> str:
    return price_text(throughput=f"{_most_in_flight(after)}; further records wait in the producer.")


def _most_in_flight(pipeline: Pipeline) -> str:
    most = pipeline.number(Component.PRODUCER, "max.in.flight.requests.per.connection")
    return f"at most {most:,} unanswered requests to a broker at a time"


_lever = partial(Lever, Component.PRODUCER)
_becomes = partial(becomes, Component.PRODUCER)

LEVERS = (
    _lever(
        "acks", _becomes("acks", "all"), _acks_price,
        "Kafka ConfigDef, acks; KIP-679",
        PRODUCER_RESTART,
    ),
    _lever(
        "enable.idempotence", _becomes("enable.idempotence", True),
        costs(latency="one request for a producer id at the start; it requires acks=all, which "
              "has a price of its own.",
              throughput="it allows at most 5 unanswered requests to a broker at a time."),
        "KIP-98; KIP-679",
        PRODUCER_RESTART,
    ),
    _lever(
        "retries", _retries, _retries_price,
        "KIP-91",
        PRODUCER_RESTART,
        # Read in the clients' code, not run: few retries may be used up before a pause ends.
        Confidence.MEDIUM,
    ),
    _lever(
        "retry.backoff.ms", _backoffs,
        costs(throughput="requests that fail are sent again sooner."),
        "KIP-580",
        PRODUCER_RESTART,
    ),
    _lever(
        "queuing.strategy", only(Family.LIBRDKAFKA, _becomes("queuing.strategy", "fifo")),
        costs(latency="a new message is sent after those that already wait."),
        "librdkafka CONFIGURATION.md, queuing.strategy",
        PRODUCER_RESTART,
    ),
    _lever(
        "partitioner", only(Family.LIBRDKAFKA, _partitioners),
        costs(throughput="the busiest key determines the load of its partition.",
              more=(
                  "Work: keys go to other partitions from then on; let readers reach the end of "
                  "the log first."
              )),
        "librdkafka CONFIGURATION.md, partitioner",
        PRODUCER_RESTART,
    ),
    _lever(
        "partitioner.ignore.keys", _ignored_keys,
        costs(throughput="the busiest key determines the load of its partition."),
        "KIP-794",
        PRODUCER_RESTART,
    ),
    _lever(
        "partitioner.class", _partitioner_classes,
        costs(throughput="the busiest key determines the load of its partition."),
        "KIP-794; Kafka ConfigDef, partitioner.class",
        PRODUCER_RESTART,
    ),
    _lever(
        "reconnect.backoff.ms", _reconnects,
        costs(throughput="a broker that is down gets connection attempts more often."),
        "Kafka ConfigDef, reconnect.backoff.ms; librdkafka CONFIGURATION.md",
        PRODUCER_RESTART,
    ),
    _lever("delivery.timeout.ms", _timeouts, _timeout_price, "KIP-91", PRODUCER_RESTART),
    _lever(
        "request.timeout.ms", only(Family.JAVA, _requests),
        costs(throughput="the client does not wait for a response that takes longer, and sends the "
              "request again."),
        "Kafka ConfigDef, request.timeout.ms; KIP-91",
        PRODUCER_RESTART,
    ),
    _lever(
        "linger.ms", _lingers,
        costs(throughput="batches are smaller while little is sent."),
        "KIP-1030; KIP-91",
        PRODUCER_RESTART,
    ),
    _lever(
        "transaction.timeout.ms", _transactions,
        costs(latency=(
            "after a producer has died, readers of committed records wait for this time and "
            "10,000 ms more."
        )),
        "Kafka ConfigDef, transaction.timeout.ms; librdkafka CONFIGURATION.md",
        PRODUCER_RESTART,
    ),
    _lever(
        "max.block.ms", only(Family.JAVA, _blocks), _block_price,
        "Kafka ConfigDef, max.block.ms",
        PRODUCER_RESTART,
    ),
    _lever(
        "max.in.flight.requests.per.connection", _in_flight, _in_flight_price,
        "Kafka ConfigDef, max.in.flight.requests.per.connection",
        PRODUCER_RESTART,
    ),
)  # fmt: skip
