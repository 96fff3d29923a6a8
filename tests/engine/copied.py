"""Lines as TransactionalMessageCopier's clients log them, made for tests."""

from __future__ import annotations

ASSIGNED = "1 INFO ConsumerCoordinator [Consumer groupId=app] Adding newly assigned partitions: "
COMMITTED = (
    "7 DEBUG TransactionManager [Producer clientId=p] Transition from state "
    "COMMITTING_TRANSACTION to READY"
)


def placed(partition: int, offset: int) -> str:
    return (
        f"2 INFO SubscriptionState [Consumer groupId=app] Resetting offset for partition "
        f"orders-{partition} to position FetchPosition{{offset={offset}, offsetEpoch="
    )


def turned(before: str, after: str, time_ns: int = 3) -> str:
    return (
        f"{time_ns} DEBUG TransactionManager [Producer clientId=p] Transition from state {before} "
        f"to {after} "
    )


BEGUN = turned("READY", "IN_TRANSACTION")
COMMITS = turned("IN_TRANSACTION", "COMMITTING_TRANSACTION")


def copied(partition: int, value: int, time_ns: int = 4) -> str:
    return (
        f"{time_ns} TRACE KafkaProducer [Producer clientId=p] Attempting to append record "
        f"ProducerRecord(topic=orders-made, partition={partition}, headers=RecordHeaders(headers = "
        f"[], isReadOnly = false), key=null, value={value}, timestamp=null) with callback null to "
        f"topic orders-made partition {partition}"
    )


def joined(**offsets: int) -> str:
    """`joined(_0=20)`: the offset of partition 0."""
    text = ", ".join(
        f"orders-{name[1:]}=OffsetAndMetadata{{offset={offset}, leaderEpoch=null, metadata=''}}"
        for name, offset in offsets.items()
    )
    return (
        f"5 DEBUG TransactionManager [Producer clientId=p] Begin adding offsets {{{text}}} for "
        "consumer group GroupMetadata(groupId = app, generationId = 1) to transaction"
    )
