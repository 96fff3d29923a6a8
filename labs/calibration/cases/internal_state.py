"""Cases about the brokers' own state: committed offsets, transactions, members, producer ids."""

from __future__ import annotations

from advisor.reasoning.guarantees import Anomaly
from labs.calibration.cases.case import (
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

CONSUMER_PROTOCOL: Settings = {"consumer__group_protocol": "consumer"}
ONE_COPY_OF_OFFSETS: Settings = {"broker__offsets_topic_replication_factor": 1}
ONE_COPY_OF_TRANSACTIONS: Settings = {
    "broker__transaction_state_log_replication_factor": 1,
    "broker__transaction_state_log_min_isr": 1,
}
READ_COMMITTED: Settings = (
    COMMIT_AFTER | IN_TRANSACTIONS | {"consumer__isolation_level": "read_committed"}
)

INTERNAL_STATE = [
    Case(
        "static-by-brokers", "static-member-lost", "at-least-once", Anomaly.BLOCKED,
        COMMIT_AFTER | CONSUMER_PROTOCOL | {"consumer__group_instance_id": "reader-1"},
        COMMIT_AFTER | CONSUMER_PROTOCOL,
        # A static member blocks for a session of 3,000 less a heartbeat of 500, a dynamic one for
        # two heartbeats.
        over_ms=2000,
        since="4.0",  # older brokers do not accept group.protocol=consumer
    ),
    Case(
        "offsets-lost", "offsets-topic-lost", "at-least-once", Anomaly.EFFECT_MISSING,
        LATEST | ONE_COPY_OF_OFFSETS,
        LATEST | {"application__offsets_topic_min_insync_replicas": 2},
    ),
    Case(
        "no-coordinator", "group-coordinator-away", "at-least-once", Anomaly.BLOCKED,
        IDEMPOTENT_SINK | ONE_COPY_OF_OFFSETS,
        IDEMPOTENT_SINK,
        over_ms=11_000,
    ),
    Case(
        "gives-up-its-part", "group-coordinator-away", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        EARLIEST | ONE_COPY_OF_OFFSETS,
        IDEMPOTENT_SINK | ONE_COPY_OF_OFFSETS,
    ),
    Case(
        "transactions-lost", "transaction-log-lost", "at-least-once", Anomaly.BLOCKED,
        READ_COMMITTED | ONE_COPY_OF_TRANSACTIONS,
        READ_COMMITTED,
        over_ms=11_000,
    ),
    Case(
        "last-power", "last-replica-loses-power", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"application__eligible_leader_replicas_version": 0},
        TWO_COPIES,
    ),
    Case(
        "does-not-wait", "rolling-restart", "at-least-once", Anomaly.LOST_WRITE,
        TWO_COPIES | {"producer__acks": "1"},
        TWO_COPIES,
        tested=False,
    ),
    Case(
        "does-not-wait-unclean", "rolling-restart", "at-least-once", Anomaly.LOST_WRITE,
        {"topic__unclean_leader_election_enable": True, "producer__enable_idempotence": False},
        TWO_COPIES,
        tested=False,
    ),
    Case(
        "forgotten", "producer-state-expired", "exactly-once", Anomaly.DUPLICATE,
        {"broker__producer_id_expiration_ms": 60_000},
        EARLIEST,
    ),
    Case(
        "offsets-expire", "group-offsets-expired", "at-least-once", Anomaly.EFFECT_MISSING,
        LATEST | {"application__outage_ms": 864_000_000},
        LATEST | {"application__outage_ms": 86_400_000},
    ),
    Case(
        "idle-too-long", "transactional-id-expired", "exactly-once", Anomaly.BLOCKED,
        TRANSACTIONAL_OFFSETS | {"application__idle_ms": 864_000_000},
        TRANSACTIONAL_OFFSETS | {"application__idle_ms": 86_400_000},
        over_ms=2500,
    ),
    Case(
        "deleted-in-use", "topic-recreated", "at-least-once", Anomaly.EFFECT_MISSING,
        COMMIT_AFTER | {"application__topic_recreated": "while-running"},
        COMMIT_AFTER | {"application__topic_recreated": "clients-stopped"},
    ),
    Case(
        "deleted-at-rest", "topic-recreated", "at-least-once", Anomaly.EFFECT_MISSING,
        LATEST | {"application__topic_recreated": "clients-stopped"},
        COMMIT_AFTER | {"application__topic_recreated": "clients-stopped"},
    ),
]  # fmt: skip
