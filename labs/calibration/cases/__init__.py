"""For each scenario, settings that show its anomaly, and settings that prevent it.

The page of scenarios offers these cases to visitors, the tests run most of them once, and
`benchmarks.scenarios` runs each under many seeds.
"""

from __future__ import annotations

from advisor.reasoning.guarantees import Anomaly
from labs.calibration.cases.case import (
    ARMS,
    COMMIT_AFTER,
    EARLIEST,
    IDEMPOTENT_SINK,
    IN_TRANSACTIONS,
    LATEST,
    TRANSACTIONAL_OFFSETS,
    TWO_COPIES,
    Case,
    Settings,
)
from labs.calibration.cases.internal_state import INTERNAL_STATE
from labs.calibration.cases.streams import STREAMS_CASES
from labs.engine.scenarios.quota_throttled import BYTES_PER_S

__all__ = ["ARMS", "CASES", "EARLIEST", "TWO_COPIES", "Case"]

CONSUMER_AWAY: Settings = COMMIT_AFTER | {"application__outage_ms": 864_000_000}
SPARK: Settings = {
    "family": "spark",
    "consumer__startingOffsets": "earliest",
    "topic__min_insync_replicas": 2,
}
NIGHTLY_OUTAGE: Settings = {
    "consumer__maxOffsetsPerTrigger": 200,
    "application__outage_ms": 32_400_000,
}
ASYNCHRONOUS: Settings = {
    "application__processing": "asynchronous",
    "consumer__enable_auto_commit": False,
}
STRETCHED: Settings = EARLIEST | {
    "brokers": 4, "topic__replication_factor": 4, "application__racks": 2,
    "application__metadata_racks": 3,  # a run's controllers keep their disks
}  # fmt: skip
SOURCE_TIMESTAMPS: Settings = {"application__timestamps": "from-source"}
IMPATIENT: Settings = {
    "producer__delivery_timeout_ms": 1500,
    "producer__request_timeout_ms": 1000,
}

CLOCK_AHEAD: Settings = {"application__clock_skew_ms": 7_200_000}
QUOTA: Settings = {"application__producer_byte_rate": BYTES_PER_S}

CASES = [
    Case(
        "behind", "leader-killed-followers-behind", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"producer__acks": "1"},
        TWO_COPIES,
    ),
    Case(
        "unclean", "isr-shrunk-leader-killed", "at-least-once", Anomaly.LOST_WRITE,
        {"topic__unclean_leader_election_enable": True, "producer__enable_idempotence": False},
        TWO_COPIES,
    ),
    Case(
        "acks-1", "isr-shrunk-leader-killed", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"producer__acks": "1"},
        EARLIEST,
    ),
    Case(
        "one-copy", "leader-disk-lost", "at-least-once", Anomaly.LOST_WRITE,
        {"topic__min_insync_replicas": 1},
        TWO_COPIES,
        tested=True,
    ),
    Case(
        "impatient", "brokers-below-min-isr", "at-least-once", Anomaly.GIVEN_UP,
        TWO_COPIES | {"producer__delivery_timeout_ms": 4000, "producer__request_timeout_ms": 2000},
        TWO_COPIES,
    ),
    Case(
        "never-flushed", "all-replicas-power-cut", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES,
        TWO_COPIES | {"topic__flush_messages": 1},
    ),
    Case(
        "acks-0", "leader-killed", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"producer__acks": "0"},
        TWO_COPIES,
    ),
    Case(
        "two-leaders", "leader-cut-off", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"producer__acks": "1"},
        TWO_COPIES,
        tested=True,
    ),
    Case(
        "blind-retry", "acknowledgement-lost", "exactly-once", Anomaly.DUPLICATE,
        TWO_COPIES | {"producer__enable_idempotence": False},
        TWO_COPIES,
    ),
    Case(
        "plain-sink", "consumer-killed-before-commit", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        COMMIT_AFTER,
        IDEMPOTENT_SINK,
        tested=True,
    ),
    Case(
        "commits-first", "consumer-killed-before-processing", "at-least-once",
        Anomaly.EFFECT_MISSING,
        COMMIT_AFTER | {"application__commit": "before-processing"},
        COMMIT_AFTER,
        {"standing_s": 0.2},
    ),
    Case(
        "commits-as-done", "consumer-killed-before-processing", "at-least-once",
        Anomaly.EFFECT_MISSING,
        COMMIT_AFTER | ASYNCHRONOUS | {"application__commit_order": "as-done"},
        COMMIT_AFTER | ASYNCHRONOUS | {"application__commit_order": "in-order"},
        {"standing_s": 2.0},
    ),
    Case(
        "forgets", "producer-killed", "at-least-once", Anomaly.GIVEN_UP,
        COMMIT_AFTER | {"application__restart": "forgets"},
        COMMIT_AFTER | {"application__restart": "resumes"},
    ),
    Case(
        "works-too-long", "rebalance-during-processing", "exactly-once",
        Anomaly.EFFECT_DUPLICATED,
        COMMIT_AFTER | {"consumer__max_poll_interval_ms": 4000},
        IDEMPOTENT_SINK | {"consumer__max_poll_interval_ms": 4000},
        {"working_s": 6.0, "healed_s": 1.0},
    ),
    Case(
        "reads-uncommitted", "transaction-left-open", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        COMMIT_AFTER | IN_TRANSACTIONS | {"consumer__isolation_level": "read_uncommitted"},
        COMMIT_AFTER | IN_TRANSACTIONS | {"consumer__isolation_level": "read_committed"},
        tested=True,
    ),
    Case(
        "sends-again", "sends-time-out", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        COMMIT_AFTER | IMPATIENT | {"application__resend": "on-error"},
        IDEMPOTENT_SINK,
    ),
    Case(
        "zombie", "transactional-id-shared", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        COMMIT_AFTER,
        TRANSACTIONAL_OFFSETS,
    ),
    Case(
        "goes-on-behind", "aborted-input-not-read-again", "at-least-once", Anomaly.EFFECT_MISSING,
        TRANSACTIONAL_OFFSETS | {"application__abort": "continues"},
        TRANSACTIONAL_OFFSETS,
    ),
    Case(
        "results-uncommitted", "consumer-killed-before-commit", "exactly-once",
        Anomaly.EFFECT_DUPLICATED,
        TRANSACTIONAL_OFFSETS | {"consumer__isolation_level": "read_uncommitted"},
        TRANSACTIONAL_OFFSETS,
    ),
    Case(
        "deleted", "offset-out-of-range", "at-least-once", Anomaly.EFFECT_MISSING,
        LATEST,
        COMMIT_AFTER,
    ),
    Case(
        "no-position", "no-committed-offset", "at-least-once", Anomaly.EFFECT_MISSING,
        LATEST,
        COMMIT_AFTER,
    ),
    Case(
        "finds-it-later", "partition-added", "at-least-once", Anomaly.EFFECT_MISSING,
        LATEST,
        COMMIT_AFTER,
    ),
    Case(
        "closes", "exception-then-close", "at-least-once", Anomaly.EFFECT_MISSING,
        EARLIEST | {"application__processing_errors": "close"},
        EARLIEST,
    ),
    Case(
        "kept-too-short", "retention-overtakes-reader", "at-least-once", Anomaly.EFFECT_MISSING,
        CONSUMER_AWAY,
        CONSUMER_AWAY | {"topic__retention_ms": 2_592_000_000},
    ),
    Case(
        "too-little-room", "retention-overtakes-reader", "at-least-once", Anomaly.EFFECT_MISSING,
        CONSUMER_AWAY | {"topic__retention_ms": -1, "topic__retention_bytes": 1_000_000},
        CONSUMER_AWAY | {"topic__retention_ms": -1},
    ),
    Case(
        "slow-followers", "followers-slow", "exactly-once", Anomaly.DUPLICATE,
        TWO_COPIES | {"producer__enable_idempotence": False, "producer__request_timeout_ms": 1000},
        TWO_COPIES,
    ),
    Case(
        "one-copy-away", "only-replica-down", "at-least-once", Anomaly.UNAVAILABLE,
        EARLIEST | {"topic__replication_factor": 1},
        TWO_COPIES,
        over_ms=11_000,
    ),
    Case(
        "stale-leads", "unclean-election", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES
        | {"topic__unclean_leader_election_enable": True, "producer__enable_idempotence": False},
        TWO_COPIES,
        acts_since="3.9",  # KRaft controllers ignore it before (KAFKA-12670)
    ),
    Case(
        "disk-fails", "leader-disk-fails", "at-least-once", Anomaly.LOST_WRITE,
        {"topic__min_insync_replicas": 1},
        TWO_COPIES,
    ),
    Case(
        "nobody-eligible", "followers-killed-leader-lost", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"application__disk_lost": "returns-empty"},
        TWO_COPIES,
    ),
    Case(
        "directory-fails", "log-directory-fails", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"producer__acks": "1"},
        TWO_COPIES,
    ),
    Case(
        "copy-removed", "reassignment-during-failure", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"producer__acks": "0"},
        TWO_COPIES,
    ),
    Case(
        "rack", "rack-lost", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"application__racks": 3, "producer__acks": "1"},
        TWO_COPIES | {"application__racks": 3},
    ),
    Case(
        "two-sites", "rack-lost", "at-least-once", Anomaly.LOST_WRITE,
        STRETCHED | {"topic__min_insync_replicas": 2},
        STRETCHED | {"topic__min_insync_replicas": 3},
    ),
    Case(
        "no-controller", "controllers-lost", "at-least-once", Anomaly.UNAVAILABLE,
        TWO_COPIES,
        None,  # acks=all also waits for the controllers
        over_ms=4000,
    ),
    Case(
        "static-member", "static-member-lost", "at-least-once", Anomaly.BLOCKED,
        COMMIT_AFTER | {"consumer__group_instance_id": "reader-1"},
        COMMIT_AFTER,
        over_ms=2000,
    ),
    Case(
        "batch-again", "spark-restarted", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        SPARK,
        SPARK | {"application__sink": "idempotent"},
        tested=True,
    ),
    Case(
        "limited", "query-falls-behind", "at-least-once", Anomaly.EFFECT_MISSING,
        SPARK | NIGHTLY_OUTAGE | {"topic__retention_ms": 14_400_000},
        # A day would suffice, but lasts 72 s here: on a busy machine a query starts too late.
        SPARK | NIGHTLY_OUTAGE | {"topic__retention_ms": 604_800_000},
    ),
    Case(
        "nobody-looks", "delivery-error-ignored", "at-least-once", Anomaly.GIVEN_UP,
        EARLIEST | {"application__delivery_errors": "ignored"},
        EARLIEST,
    ),
    Case(
        "batches-too-large", "record-too-large", "at-least-once", Anomaly.GIVEN_UP,
        EARLIEST | {"family": "librdkafka", "topic__max_message_bytes": 20_000},
        EARLIEST
        | {"family": "librdkafka", "topic__max_message_bytes": 20_000,
           "producer__batch_size": 20_000},
    ),
    Case(
        "one-too-large", "record-too-large", "at-least-once", Anomaly.GIVEN_UP,
        EARLIEST | {"application__largest_message_bytes": 2_000_000},
        EARLIEST
        | {"application__largest_message_bytes": 2_000_000,
           "producer__max_request_size": 2_000_082, "topic__max_message_bytes": 2_000_082},
    ),
    Case(
        "blocks-too-short", "producer-buffer-full", "at-least-once", Anomaly.GIVEN_UP,
        EARLIEST | {"producer__max_block_ms": 1000},
        EARLIEST,
    ),
    Case(
        "held-back", "quota-throttled", "at-least-once", Anomaly.GIVEN_UP,
        EARLIEST | IMPATIENT | QUOTA,
        EARLIEST | QUOTA | {"producer__buffer_memory": 1_000_000},
    ),
    Case(
        "old-timestamps", "foreign-timestamps", "at-least-once", Anomaly.EFFECT_MISSING,
        COMMIT_AFTER | SOURCE_TIMESTAMPS,
        COMMIT_AFTER | SOURCE_TIMESTAMPS | {"topic__message_timestamp_type": "LogAppendTime"},
    ),
    Case(
        "clock-ahead", "clocks-differ", "at-least-once", Anomaly.GIVEN_UP,
        COMMIT_AFTER | CLOCK_AHEAD | {"topic__message_timestamp_after_max_ms": 3_600_000},
        COMMIT_AFTER | CLOCK_AHEAD | {"topic__message_timestamp_type": "LogAppendTime"},
    ),
    Case(
        "passes-over", "unprocessable-message", "at-least-once", Anomaly.EFFECT_MISSING,
        COMMIT_AFTER | {"application__processing_errors": "skip"},
        COMMIT_AFTER,
    ),
    Case(
        "compacted", "log-compaction", "at-least-once", Anomaly.EFFECT_MISSING,
        COMMIT_AFTER | {"topic__cleanup_policy": "compact"},
        COMMIT_AFTER,
    ),
    Case(
        "keys-move", "keys-moved", "at-least-once", Anomaly.KEY_REORDERED,
        COMMIT_AFTER,
        None,  # no setting keeps a key in its partition when partitions are added
    ),
    *INTERNAL_STATE,
    Case(
        "starts-at-the-end", "spark-checkpoint-lost", "at-least-once", Anomaly.EFFECT_MISSING,
        SPARK | {"consumer__startingOffsets": "latest", "application__checkpoint": "local"},
        SPARK | {"consumer__startingOffsets": "latest", "application__checkpoint": "durable"},
    ),
    Case(
        "starts-over", "spark-checkpoint-lost", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        SPARK | {"application__checkpoint": "local"},
        SPARK | {"application__checkpoint": "durable", "application__sink": "idempotent"},
    ),
    Case(
        "task-again", "spark-task-retried", "exactly-once", Anomaly.DUPLICATE,
        SPARK,
        None,  # no setting removes the rows of a second attempt
    ),
    Case(
        "twice-at-once", "spark-speculation", "exactly-once", Anomaly.DUPLICATE,
        SPARK | {"application__speculation": True},
        SPARK,
    ),
    *STREAMS_CASES,
]  # fmt: skip
