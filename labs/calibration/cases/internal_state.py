"""Cases about the brokers' own state: committed offsets, transactions, members, producer ids."""

from __future__ import annotations

from advisor.reasoning.guarantees import Anomaly
from labs.calibration.cases.case import (
    AFTER,
    EARLIEST,
    IN_TRANSACTIONS,
    LATEST,
    OFFSETS_TOO,
    SAFE,
    TWO_COPIES,
    Case,
    Settings,
)

BY_BROKERS: Settings = {"consumer__group_protocol": "consumer"}
ONE_COPY_OF_OFFSETS: Settings = {"broker__offsets_topic_replication_factor": 1}
ONE_COPY_OF_TRANSACTIONS: Settings = {
    "broker__transaction_state_log_replication_factor": 1,
    "broker__transaction_state_log_min_isr": 1,
}
COMMITTED: Settings = AFTER | IN_TRANSACTIONS | {"consumer__isolation_level": "read_committed"}

INTERNAL_STATE = [
    Case(
        "static-by-brokers", "static-member-lost", "at-least-once", Anomaly.BLOCKED,
        AFTER | BY_BROKERS | {"consumer__group_instance_id": "reader-1"},
        AFTER | BY_BROKERS,
        # Below a session of 3,000 less a heartbeat of 500; without a name, two heartbeats.
        over_ms=2000,
        since="4.0",  # brokers before do not take group.protocol=consumer
    ),
    Case(
        "offsets-lost", "offsets-topic-lost", "at-least-once", Anomaly.EFFECT_MISSING,
        LATEST | ONE_COPY_OF_OFFSETS,
        LATEST | {"application__offsets_topic_min_insync_replicas": 2},
    ),
    Case(
        "no-coordinator", "group-coordinator-away", "at-least-once", Anomaly.BLOCKED,
        SAFE | ONE_COPY_OF_OFFSETS,
        SAFE,
        over_ms=11_000,
    ),
    Case(
        "gives-up-its-part", "group-coordinator-away", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        EARLIEST | ONE_COPY_OF_OFFSETS,
        SAFE | ONE_COPY_OF_OFFSETS,
    ),
    Case(
        "transactions-lost", "transaction-log-lost", "at-least-once", Anomaly.BLOCKED,
        COMMITTED | ONE_COPY_OF_TRANSACTIONS,
        COMMITTED,
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
        OFFSETS_TOO | {"application__idle_ms": 864_000_000},
        OFFSETS_TOO | {"application__idle_ms": 86_400_000},
        over_ms=2500,
    ),
    Case(
        "deleted-in-use", "topic-recreated", "at-least-once", Anomaly.EFFECT_MISSING,
        AFTER | {"application__topic_recreated": "while-running"},
        AFTER | {"application__topic_recreated": "clients-stopped"},
    ),
    Case(
        "deleted-at-rest", "topic-recreated", "at-least-once", Anomaly.EFFECT_MISSING,
        LATEST | {"application__topic_recreated": "clients-stopped"},
        AFTER | {"application__topic_recreated": "clients-stopped"},
    ),
]  # fmt: skip
