"""Levers of the topic and the brokers."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component, Value
from advisor.reasoning.behaviour.absence import (
    METADATA_MS,
    longest_absence,
    longest_unread,
    required_retention,
    until_discovered,
)
from advisor.reasoning.behaviour.replication import (
    REPLICAS_MOVED,
    Replication,
    enough_copies,
    kafka_at_least,
    short_of_copies,
)
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.timestamps import (
    AFTER,
    ANY_AGE,
    BEFORE,
    CLOCK_SKEW,
    DIFFERENCE,
    Limit,
    clock_skew,
    max_age,
    max_ahead,
)
from advisor.reasoning.failures.offsets_topic_lost import MINIMUM as _OFFSETS_LEAST
from advisor.reasoning.failures.offsets_topic_lost import NAME as _OFFSETS
from advisor.reasoning.failures.transaction_log_lost import FACTOR as STATE_FACTOR
from advisor.reasoning.failures.transaction_log_lost import MINIMUM as STATE_MINIMUM
from advisor.reasoning.levers.lever import (
    BROKER_FILE,
    INT_MAX,
    LONG_MAX,
    PRODUCER_EXPIRY_MS,
    TOPIC_CONFIG,
    Lever,
    Procedure,
    Restart,
    Targets,
    becomes,
    costs,
    minimums,
    not_spark,
    only_from,
    price_text,
    spare_brokers,
)
from advisor.reasoning.numbers import bytes_on_disk
from advisor.reasoning.pipeline import Pipeline

_TOPIC, _BROKER = Component.TOPIC, Component.BROKER
_HOUR_MS = 3_600_000
"""`message.timestamp.after.max.ms` of Kafka since 4.0 (KIP-1030)."""


def _factors(pipeline: Pipeline) -> Sequence[Value]:
    short = short_of_copies(pipeline, pipeline.number(_TOPIC, "replication.factor"))
    least = pipeline.number(_TOPIC, "min.insync.replicas")
    return [enough_copies(pipeline, least)] if short else []


def _minimums(pipeline: Pipeline) -> Sequence[Value]:
    now = pipeline.number(_TOPIC, "min.insync.replicas")
    factors = (pipeline.number(_TOPIC, "replication.factor"), *_factors(pipeline))
    return minimums(pipeline, now, factors)


def _reassignments(pipeline: Pipeline) -> Sequence[Value]:
    if not pipeline.knows(Component.APPLICATION, REPLICAS_MOVED):
        return []
    return only_from(Component.APPLICATION, REPLICAS_MOVED, "any-time", "in-sync-only")(pipeline)


def _retentions(pipeline: Pipeline) -> Sequence[Value]:
    away_ms = max(longest_unread(pipeline).ms, min(until_discovered(pipeline).ms, METADATA_MS))
    now = pipeline.number(_TOPIC, "retention.ms")
    if pipeline.value(Component.APPLICATION, CLOCK_SKEW) is not None:
        away_ms += clock_skew(pipeline).ms
    if not 0 <= now <= away_ms:
        return []
    # -1 keeps them forever.
    return [max(2 * away_ms, 1) if 2 * away_ms <= LONG_MAX else -1]


def _retention_bytes(pipeline: Pipeline) -> Sequence[Value]:
    now, needed = pipeline.number(_TOPIC, "retention.bytes"), required_retention(pipeline).least
    if now < 0 or (needed is not None and now >= needed):
        return []
    # Without a stated load, no size is enough.
    return [-1 if needed is None or 2 * needed > LONG_MAX else 2 * needed - 1]


def _offset_copies(pipeline: Pipeline) -> Sequence[Value]:
    now = pipeline.number(_BROKER, _OFFSETS)
    is_survived = pipeline.requirement.survive < pipeline.brokers
    least = pipeline.number(Component.APPLICATION, _OFFSETS_LEAST)
    short = is_survived and short_of_copies(pipeline, now)
    return [enough_copies(pipeline, least)] if short else []


def _offset_minimums(pipeline: Pipeline) -> Sequence[Value]:
    now = pipeline.number(Component.APPLICATION, _OFFSETS_LEAST)
    factors = (pipeline.number(_BROKER, _OFFSETS), *_offset_copies(pipeline))
    return minimums(pipeline, now, factors)


def _commit_acks(pipeline: Pipeline) -> Sequence[Value]:
    name = "offsets.commit.required.acks"
    is_known = pipeline.knows(_BROKER, name)
    return [-1] if is_known and pipeline.number(_BROKER, name) != -1 else []


def _transaction_log(pipeline: Pipeline) -> tuple[int, int]:
    """Returns the copies of the transaction log, and how many must be in sync for a write."""
    factor, least = (pipeline.number(_BROKER, name) for name in (STATE_FACTOR, STATE_MINIMUM))
    return factor, least


def _state_copies(pipeline: Pipeline) -> Sequence[Value]:
    """f + 1 copies survive f brokers; one more lets transactions continue while one is down."""
    factor, least = _transaction_log(pipeline)
    lost = pipeline.requirement.survive
    short = lost < pipeline.brokers and short_of_copies(pipeline, factor)
    return [enough_copies(pipeline, least)] if lost and (short or factor > pipeline.brokers) else []


def _state_minimums(pipeline: Pipeline) -> Sequence[Value]:
    factor, least = _transaction_log(pipeline)
    return minimums(pipeline, least, (factor, *_state_copies(pipeline)))


def _offset_retentions(pipeline: Pipeline) -> Sequence[Value]:
    away_ms, now = (
        longest_absence(pipeline).ms,
        pipeline.number(_BROKER, "offsets.retention.minutes"),
    )
    if away_ms < now * 60_000:
        return []
    wanted = 2 * away_ms // 60_000 + 1
    return [wanted] if wanted <= INT_MAX else []


def _expirations(name: str) -> Targets:
    """How long brokers remember a producer: the default, where a lower value decides."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        setting, now = Session(pipeline).producer_id_expiration
        return [PRODUCER_EXPIRY_MS] if setting == name and now < PRODUCER_EXPIRY_MS else []

    return targets


def _eligible(pipeline: Pipeline) -> Sequence[Value]:
    """Eligible leader replicas, from 4.1 on, where they are ready for production (KIP-966)."""
    can_choose = kafka_at_least(pipeline, "4.1")
    return [1] if can_choose and not Replication(pipeline).eligible_replicas else []


def _timestamp_types(pipeline: Pipeline) -> Sequence[Value]:
    from_source = pipeline.text(Component.APPLICATION, "timestamps") == "from-source"
    append_time = becomes(_TOPIC, "message.timestamp.type", "LogAppendTime")
    return (
        append_time(pipeline)
        if from_source or _clock_refused(max_ahead(pipeline), pipeline)
        else []
    )


def _clock_refused(limit: Limit | None, pipeline: Pipeline) -> bool:
    return limit is not None and limit.ms < clock_skew(pipeline).ms


def _ahead(setting: str) -> Targets:
    """Twice as far ahead as a sender's clock may be, and at least the default."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        limit, apart = max_ahead(pipeline), clock_skew(pipeline)
        short = limit is not None and limit.setting == setting and limit.ms < apart.ms
        return [max(_HOUR_MS, min(2 * apart.ms, ANY_AGE))] if short else []

    return targets


def _any_age(setting: str) -> Targets:
    """The default, which accepts a record of any age."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        limit = max_age(pipeline)
        return [ANY_AGE] if limit and limit.setting == setting else []

    return targets


def _factor_price(before: Pipeline, after: Pipeline) -> str:
    was, now = Replication(before), Replication(after)
    return price_text(
        latency="with acks=all each send waits for the slowest of more replicas.",
        throughput=f"each byte goes over the network to {now.factor - 1} followers instead of "
        f"{was.factor - 1}.",
        availability=spare_brokers(now),
        disk=f"{now.factor} copies of each byte instead of {was.factor}{_bytes(before, after)}.",
        more="Work: an existing topic needs a reassignment of its partitions.",
    )


def _minimum_price(before: Pipeline, after: Pipeline) -> str:
    # No latency: acks=all waits for all in-sync replicas anyway.
    return price_text(availability=spare_brokers(Replication(after)))


def _bytes(before: Pipeline, after: Pipeline) -> str:
    """Returns the bytes on all disks for a stated load; otherwise empty."""
    was, now = bytes_on_disk(before), bytes_on_disk(after)
    if was is None or now is None:
        return ""
    return f", here {now:,} bytes on all disks instead of {was:,}"


def _retention_price(before: Pipeline, after: Pipeline) -> str:
    was, now = (item.number(_TOPIC, "retention.ms") for item in (before, after))
    copies = after.number(_TOPIC, "replication.factor")
    if now < 0:
        return price_text(disk=f"{copies} copies of all messages, with no bound.")
    return price_text(
        disk=f"bytes a second × {now // 1000:,} s × {copies} copies instead of {was // 1000:,} s"
        f"{_bytes(before, after)}."
    )


LEVERS = (
    Lever(
        _TOPIC, "replication.factor", _factors, _factor_price,
        "Kafka design.md, Replication; KIP-455 (reassignment)",
        Procedure(
            Restart.NOTHING,
            "A plan in JSON that names the brokers of each partition: kafka-reassign-partitions.sh "
            "--execute with a --throttle, while the topic is in use.",
            "kafka-reassign-partitions.sh --verify says complete and lifts the throttle; "
            "kafka-topics.sh --describe shows as many Isr as Replicas.",
        ),
    ),
    Lever(
        _TOPIC, "min.insync.replicas", _minimums, _minimum_price,
        "Kafka design.md, Availability and Durability Guarantees; KAFKA-15583",
        Procedure(
            Restart.NOTHING,
            f"{TOPIC_CONFIG.how} Change it while every replica is in sync: it resets what the "
            "cluster knows about eligible leader replicas (since 4.1).",
            TOPIC_CONFIG.verify,
            after=("replication.factor",),
        ),
    ),
    Lever(
        Component.APPLICATION, "eligible.leader.replicas.version", _eligible,
        costs(availability="while every eligible replica is down, the partition has no leader.",
              more="Work: min.insync.replicas is then set for the cluster; the value in a "
                   "broker's file is ignored."),
        "KIP-966; Kafka operations/eligible-leader-replicas.md",
        Procedure(
            Restart.NOTHING,
            "kafka-features.sh upgrade --feature eligible.leader.replicas.version=1, while every "
            "replica is in sync.",
            "kafka-features.sh describe shows the FinalizedVersionLevel 1.",
        ),
    ),
    Lever(
        Component.APPLICATION, REPLICAS_MOVED, _reassignments,
        costs(availability="no broker is emptied while a replica is out of sync, so a move waits "
                           "for it.",
              more="Work: make tools that balance a cluster wait, or check their plan first "
                   "(kafka-topics.sh --describe --under-replicated-partitions shows none)."),
        "KAFKA-15665",
        Procedure(
            Restart.NOTHING,
            "No restart: this is about how your operators and their tools start a reassignment.",
            "kafka-topics.sh --describe --under-replicated-partitions shows nothing before each.",
        ),
    ),
    Lever(
        _TOPIC, "unclean.leader.election.enable",
        becomes(_TOPIC, "unclean.leader.election.enable", False),
        costs(availability="while every in-sync replica is down, the partition waits for one "
                           "of them instead of continuing without the records."),
        "Kafka design.md, Unclean leader election",
        TOPIC_CONFIG,
    ),
    Lever(
        _TOPIC, "retention.ms", _retentions, _retention_price,
        "Kafka TopicConfig, retention.ms",
        TOPIC_CONFIG,
    ),
    Lever(
        _TOPIC, "retention.bytes", _retention_bytes,
        costs(disk="each replica of a partition may take this many bytes; with -1, as many as "
                   "arrive within retention.ms."),
        "Kafka TopicConfig, retention.bytes",
        TOPIC_CONFIG,
    ),
    Lever(
        _TOPIC, AFTER, _ahead(AFTER),
        costs(disk="a segment with a record from the future is kept until retention.ms after that "
                   "time."),
        "Kafka TopicConfig, message.timestamp.after.max.ms; KIP-937",
        TOPIC_CONFIG,
    ),
    Lever(
        _TOPIC, "message.timestamp.type", _timestamp_types,
        costs(more="Meaning: the timestamp is the time at which the broker received the record. "
                   "The time of the event must be in the record itself."),
        "Kafka TopicConfig, message.timestamp.type; KIP-32",
        TOPIC_CONFIG,
    ),
    Lever(
        _TOPIC, BEFORE, _any_age(BEFORE),
        costs(more="Meaning: a record with a timestamp of long ago is accepted, and retention may "
                   "delete it soon."),
        "Kafka TopicConfig, message.timestamp.before.max.ms; KIP-937",
        TOPIC_CONFIG,
    ),
    Lever(
        _TOPIC, DIFFERENCE, _any_age(DIFFERENCE),
        costs(more="Meaning: a record with a timestamp of long ago, or far ahead, is accepted, "
                   "and retention may delete it early or late."),
        "Kafka TopicConfig, message.timestamp.difference.max.ms; KIP-32",
        TOPIC_CONFIG,
    ),
    Lever(
        _BROKER, _OFFSETS, not_spark(_offset_copies),
        costs(latency="a commit waits for all replicas in sync, no longer for one broker.",
              throughput="almost none; each commit is copied.",
              disk="almost none; the topic is compacted."),
        "Kafka GroupCoordinatorConfig, offsets.topic.replication.factor; KIP-455",
        Procedure(
            Restart.NOTHING,
            "The setting is used once, when __consumer_offsets is created. An existing topic "
            "needs a plan for kafka-reassign-partitions.sh --execute, while groups run.",
            "kafka-topics.sh --describe --topic __consumer_offsets shows the Replicas and Isr.",
        ),
    ),
    Lever(
        Component.APPLICATION, _OFFSETS_LEAST, not_spark(_offset_minimums),
        costs(availability="while fewer of its copies are in sync, groups cannot commit and "
                           "members cannot join."),
        "Kafka design.md, Availability and Durability Guarantees",
        Procedure(
            Restart.NOTHING,
            "kafka-configs.sh --alter --entity-type topics --entity-name __consumer_offsets "
            "--add-config min.insync.replicas=N, while groups run and every replica is in sync.",
            "kafka-configs.sh --describe --all --entity-type topics --entity-name "
            "__consumer_offsets shows min.insync.replicas.",
            after=(_OFFSETS,),
        ),
    ),
    Lever(
        _BROKER, "offsets.commit.required.acks", not_spark(_commit_acks),
        costs(latency="a commit waits for all replicas in sync, no longer for one broker."),
        "Kafka GroupCoordinatorConfig, offsets.commit.required.acks; KIP-1041",
        BROKER_FILE,
    ),
    Lever(
        _BROKER, "unclean.leader.election.enable",
        becomes(_BROKER, "unclean.leader.election.enable", False),
        costs(availability="while every in-sync replica is down, each topic without a setting of "
              "its own waits for one of them."),
        "Kafka design.md, Unclean leader election; apache/kafka#16866",
        BROKER_FILE,
    ),
    Lever(
        _BROKER, STATE_FACTOR, not_spark(_state_copies),
        costs(latency="each step of a transaction waits for the replicas in sync.",
              disk="almost none; the topic is compacted."),
        "Kafka TransactionLogConfig, transaction.state.log.replication.factor; KIP-98; KIP-455",
        Procedure(
            Restart.BROKERS,
            "The line in every broker's file is used once, when __transaction_state is created. "
            "An existing topic needs a plan for kafka-reassign-partitions.sh --execute, while "
            "transactions run.",
            "kafka-topics.sh --describe --topic __transaction_state shows the Replicas and Isr.",
        ),
    ),
    Lever(
        _BROKER, STATE_MINIMUM, not_spark(_state_minimums),
        costs(availability="while fewer of its copies are in sync, no transaction can begin or "
                           "end."),
        "Kafka TransactionLogConfig, transaction.state.log.min.isr; KIP-98",
        Procedure(
            Restart.BROKERS,
            "The line in every broker's file is used once, when __transaction_state is created. "
            "An existing topic has its own: kafka-configs.sh --alter --entity-type topics "
            "--entity-name __transaction_state --add-config min.insync.replicas=N.",
            "kafka-configs.sh --describe --all --entity-type topics --entity-name "
            "__transaction_state shows min.insync.replicas.",
            after=(STATE_FACTOR,),
        ),
    ),
    *(
        Lever(
            _BROKER, name, _expirations(name),
            costs(disk="almost none; a line per producer in each partition's snapshots.",
                  more="Memory: a broker remembers each producer for this time, in each "
                       "partition."),
            f"Kafka ConfigDef, {name}; KIP-854",
            BROKER_FILE,
        )
        for name in ("producer.id.expiration.ms", "transactional.id.expiration.ms")
    ),
    Lever(
        _BROKER, "offsets.retention.minutes", not_spark(_offset_retentions),
        costs(disk="almost none; one small record for each group and partition."),
        "Kafka ConfigDef, offsets.retention.minutes; KIP-186",
        BROKER_FILE,
    ),
)  # fmt: skip
