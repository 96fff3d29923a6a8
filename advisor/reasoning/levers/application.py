"""Levers of the team's own code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from advisor.catalog import Component, Family, Value
from advisor.reasoning.behaviour.group import THREADS_ORDER, Commit, Group
from advisor.reasoning.behaviour.keys import OWN, own_class
from advisor.reasoning.behaviour.quota import NAME as QUOTA
from advisor.reasoning.behaviour.quota import sufficient_quota
from advisor.reasoning.failures.commits_out_of_order import NAME as ORDER
from advisor.reasoning.failures.topic_recreated import NAME as RECREATED
from advisor.reasoning.levers.lever import (
    Lever,
    Procedure,
    Restart,
    becomes,
    costs,
    not_engines,
    not_streams,
    only,
    only_from,
    price_text,
)
from advisor.reasoning.pipeline import Pipeline


def _commits(pipeline: Pipeline) -> Sequence[Value]:
    """A commit after processing if the code commits before it.

    A commit before processing is offered only if a skip is already possible, because elsewhere it
    would trade a repeat for a loss.
    """
    group = Group.of(pipeline)
    if group is None or group.skip_reason() is None:
        return ()
    return ["after-processing"] if group.commit is Commit.BEFORE else ["before-processing"]


def _commits_before_processing(pipeline: Pipeline) -> Sequence[Value]:
    """A commit before processing, which prevents repeats.

    Not with a framework, which commits by itself.
    """
    group = Group.of(pipeline)
    if group is None or group.skip_reason() is not None or group.repeat_reason() is None:
        return ()
    by_code = pipeline.family is not Family.JAVA or (
        pipeline.text(Component.APPLICATION, "framework") == "none"
    )
    return ["before-processing"] if by_code else ()


def _commit_price(before: Pipeline, after: Pipeline) -> str:
    throughput = "a synchronous commit adds a round trip to the coordinator to each batch."
    if after.text(Component.APPLICATION, "commit") == "before-processing":
        return price_text(
            throughput=throughput,
            more="Code: one commit for each batch of records, before it is processed. Loss: what "
            "was committed and not yet processed when a reader dies is never processed.",
        )
    return price_text(
        throughput=throughput,
        more="Code: one commit for each batch of records, after it is processed.",
    )


def _orders(pipeline: Pipeline) -> Sequence[Value]:
    """Commits in order; of use only if threads finish out of order."""
    group = Group.of(pipeline)
    order = pipeline.text(Component.APPLICATION, ORDER)
    return ["in-order"] if group and group.asynchronous and order != "in-order" else []


def _orders_of_keys(pipeline: Pipeline) -> Sequence[Value]:
    group = Group.of(pipeline)
    return ["by-key"] if group and group.unordered else []


def _partitioners(pipeline: Pipeline) -> Sequence[Value]:
    choice = pipeline.text(Component.APPLICATION, OWN) if own_class(pipeline) else "by-key"
    return ["by-key"] if choice != "by-key" else []


def _quotas(pipeline: Pipeline) -> Sequence[Value]:
    wanted = sufficient_quota(pipeline)
    return [] if wanted is None else [wanted]


def _recreations(pipeline: Pipeline) -> Sequence[Value]:
    procedure = pipeline.text(Component.APPLICATION, RECREATED)
    return {"while-running": ["clients-stopped", "never"], "clients-stopped": ["never"]}.get(
        procedure, ()
    )


def _recreation_price(before: Pipeline, after: Pipeline) -> str:
    if after.text(Component.APPLICATION, RECREATED) == "never":
        return price_text(more="Work: the new topic has a new name, which every client must use.")
    return price_text(
        availability="nothing is sent or read from the stop of the first producer to the start of "
        "the last reader."
    )


def _release(restart: Restart, verify: str) -> Procedure:
    return Procedure(restart, "A release of your code; restart its instances one by one.", verify)


_lever = partial(Lever, Component.APPLICATION)
_becomes = partial(becomes, Component.APPLICATION)
_from = partial(only_from, Component.APPLICATION)
_SENDER_RELEASE = _release(
    Restart.PRODUCERS,
    "Stop a test cluster's brokers for longer than delivery.timeout.ms: every record is either in "
    "the log afterwards or among the failures that your code recorded.",
)
_READER_RELEASE = _release(
    Restart.CONSUMERS,
    "Kill a reader of a test system (kill -9) in the middle of its work, start it again, and "
    "compare what its sink has with what was sent.",
)

LEVERS = (
    _lever(
        "commit", _commits,
        _commit_price,
        "Kafka design.md, Message Delivery Semantics",
        _READER_RELEASE,
        trades=not_engines(_commits_before_processing),
    ),
    _lever(
        ORDER, not_engines(_orders),
        costs(more=(
            "Code: commit the offset before the first record that is not yet processed. Memory: "
            "offsets after a slow record are kept until it is processed."
        )),
        "KafkaConsumer javadoc, Multi-threaded Processing; Spring asyncAcks",
        _READER_RELEASE,
    ),
    _lever(
        THREADS_ORDER, not_engines(_orders_of_keys),
        costs(throughput="a key whose messages take long holds up those of its thread.",
              more="Code: a queue for each thread, chosen by the key or the partition."),
        "KafkaConsumer javadoc, Multi-threaded Processing",
        _READER_RELEASE,
    ),
    _lever(
        "processing", not_engines(_becomes("processing", "synchronous")),
        costs(throughput=(
            "one batch is processed before the next is polled; instead, run more members of the "
            "group, up to one for each partition."
        )),
        "KafkaConsumer javadoc, Detecting Consumer Failures",
        _READER_RELEASE,
    ),
    _lever(
        "processing.errors", _becomes("processing.errors", "retry"),
        costs(availability=(
            "a message that can never be processed blocks its partition until somebody acts; a "
            "dead-letter topic prevents that."
        )),
        "KafkaConsumer javadoc, Automatic Offset Committing",
        _READER_RELEASE,
    ),
    _lever(
        "dead.letter", not_engines(_from("dead.letter", "unacknowledged", "acknowledged")),
        costs(latency=(
            "a message that goes to the dead-letter topic delays its partition by one send."
        ),
              availability="a dead-letter topic that accepts nothing stops the partition."),
        "spring-kafka DeadLetterPublishingRecoverer (failIfSendResultIsError)",
        _READER_RELEASE,
    ),
    _lever(
        "retry.topics", not_engines(_from("retry.topics", True, False)),
        costs(availability="a message that fails blocks its partition until its tries are over."),
        "Spring for Apache Kafka reference, Non-Blocking Retries",
        _READER_RELEASE,
    ),
    _lever(
        "abort", not_engines(_becomes("abort", "rewinds")),
        costs(more="Code: after an abort, seek() to the committed offsets before the next "
              "poll()."),
        "Kafka design.md, Using Transactions",
        _READER_RELEASE,
    ),
    _lever(
        "delivery.errors", not_engines(_becomes("delivery.errors", "handled")),
        costs(more="Code: a callback on every send that keeps what failed, to send it again, or "
              "ends the program; and a flush before the end."),
        "KafkaProducer javadoc, send()",
        _SENDER_RELEASE,
    ),
    _lever(
        "resend", not_engines(_becomes("resend", "never")),
        costs(more=(
            "Work: the client's own retries do it until delivery.timeout.ms; for what fails after "
            "that, somebody must check whether it is in the log."
        )),
        "KafkaProducer javadoc, idempotent producer (avoid application level re-sends)",
        _SENDER_RELEASE,
    ),
    _lever(
        "restart", not_engines(_from("restart", "forgets", "resumes")),
        costs(disk="almost none; one position in the input is stored.",
              more=(
                  "Code: store the position after its records were acknowledged; after a crash, "
                  "the records after it are sent a second time."
              )),
        "Kafka design.md, Message Delivery Semantics",
        _SENDER_RELEASE,
    ),
    _lever(
        OWN, _partitioners,
        costs(throughput="the busiest key determines the load of its partition.",
              more=(
                  "Code: a partitioner.class that chooses the partition by the key alone. If "
                  "it does so already, state that, and nothing has to change. Or remove the line."
              )),
        "Kafka Partitioner javadoc; KIP-794",
        _SENDER_RELEASE,
    ),
    _lever(
        QUOTA, _quotas,
        costs(throughput="other clients have that much less of each broker's disk and network."),
        "KIP-13; Kafka operations, Setting quotas",
        Procedure(
            Restart.NOTHING,
            "kafka-configs.sh --alter --entity-type users or clients --add-config "
            "producer_byte_rate=…; it takes effect immediately.",
            "kafka-configs.sh --describe shows it; produce-throttle-time-avg of the producer is 0.",
        ),
    ),
    _lever(
        RECREATED, _recreations, _recreation_price,
        "Kafka GroupCoordinator, onPartitionsDeleted; KIP-516",
        Procedure(
            Restart.PRODUCERS,
            "Stop the producers, each with flush() and close(); wait until every group's lag is 0 "
            "and stop the readers; delete the topic, create it with its settings or under another "
            "name, and start the readers first.",
            "kafka-topics.sh --describe shows another TopicId, and the copies and settings that "
            "the topic had; kafka-consumer-groups.sh --describe shows the group at the start.",
        ),
    ),
    _lever(
        "sink", not_streams(_becomes("sink", "idempotent")),
        costs(throughput="each effect is looked up by its key, or committed with its offset.",
              disk="the key of each effect, or one offset per partition, in the sink.",
              more="Code: each effect is keyed by the message (an upsert by its key, or the offset "
              "or batchId stored in the same database transaction)."),
        "Kafka design.md, Message Delivery Semantics; Spark foreachBatch",
        _READER_RELEASE,
    ),
    _lever(
        "checkpoint", only(Family.SPARK, _from("checkpoint", "local", "durable")),
        costs(latency="each batch writes its offsets to a storage over the network.",
              disk="the same small files per batch, on that storage."),
        "Spark structured-streaming-programming-guide.md, recovering from failures",
        _release(
            Restart.CONSUMERS,
            "Stop the query, copy the whole folder of the checkpoint to its new place, start the "
            "query with it: it continues at the offsets where it stopped.",
        ),
    ),
    _lever(
        "trigger", only(Family.SPARK, _becomes("trigger", "micro-batch")),
        costs(latency="a batch is processed and written to the checkpoint before the next begins."),
        "Spark performance-tips.md; Spark real-time-mode.md",
        _release(
            Restart.CONSUMERS,
            "Kill the query (kill -9) between its sink and its checkpoint, start it again, and see "
            "the same batchId with the same offsets.",
        ),
    ),
    _lever(
        "speculation", only(Family.SPARK, _becomes("speculation", False)),
        costs(latency="one slow machine delays its batch."),
        "Spark configuration.md, spark.speculation",
        _release(Restart.CONSUMERS, "The Environment page of the query's web interface shows it."),
    ),
)  # fmt: skip
