"""The questionnaire as data: its steps, its questions, and the words for their choices.

A question about a setting has its default, choices and explanation from the catalog, and is shown
only if this client family and version has that setting. To add a question for a setting, add its
name to a step. The step of a Streams application is in `question_streams`.
"""

from __future__ import annotations

from collections.abc import Mapping

from advisor.catalog import Family
from advisor.questions.question import Question, Step
from advisor.questions.question_streams import STREAMS

FAMILIES: Mapping[Family, tuple[str, str]] = {
    Family.JAVA: ("Java client", "Also inside Spring Kafka, Quarkus and Flink"),
    Family.LIBRDKAFKA: ("librdkafka", "Confluent's clients for Python, Go, .NET and JavaScript"),
    Family.SPARK: (
        "Spark Structured Streaming",
        "Spark's Kafka source and sink, on the Java client 3.9",
    ),
    Family.STREAMS: (
        "Kafka Streams",
        "An application with its own consumers, producers and state; also inside Spring",
    ),
}
"""The name of each family on pages, and other clients that use it."""

GUARANTEE_CHOICES = (
    ("at-least-once", "At least once"),
    ("exactly-once", "Exactly once"),
    ("at-most-once", "At most once"),
)

_CLIENTS = frozenset(Family) - {Family.STREAMS}
"""Families whose producer and consumer the team configures itself."""

CLIENT = Step(
    "client",
    "What you run",
    "Defaults differ between clients and between versions, so this comes first.",
    (
        Question("family", "Which client do you use?"),
        *(Question(f"version.{family}", "Version") for family in Family),
        Question(
            "kafka",
            "Which version do your brokers run?",
            "Kafka, or the version of Kafka that your service is compatible with.",
        ),
    ),
)

TOPIC = Step(
    "topic",
    "Topic and brokers",
    "How many copies of a message there are, and when a broker may acknowledge it.",
    (
        Question("brokers", "How many brokers?", "In this one cluster."),
        Question(
            "topic.replication.factor",
            hint="kafka-topics.sh --describe shows your topic's as ReplicationFactor. If this "
            "stays empty, the brokers' default is assumed, and the advice says so.",
        ),
        Question("topic.min.insync.replicas"),
        Question("topic.unclean.leader.election.enable"),
        Question("topic.cleanup.policy"),
        Question(
            "application.history",
            "If the topic is compacted, what do its readers need?",
            words=(
                ("latest", "The latest message of each key"),
                ("every", "Every message"),
            ),
        ),
        Question("application.racks", "In how many racks or zones are the brokers?"),
        Question(
            "application.metadata.mode",
            "Who keeps the cluster's metadata?",
            words=(("kraft", "Kafka's own controllers (KRaft)"), ("zookeeper", "ZooKeeper")),
        ),
        Question("application.controllers", "How many controllers?"),
        Question(
            "application.metadata.racks",
            "In how many racks are the controllers (or ZooKeeper's servers)?",
        ),
        Question("application.zookeeper.servers", "How many servers does ZooKeeper have?"),
        Question(
            "application.metadata.disk.lost",
            "A controller or ZooKeeper server lost its disk: what happens?",
            words=(
                ("rebuilt", "An operator brings it back while the others are up"),
                ("returns-empty", "It comes back by itself, with an empty disk, and votes"),
                (
                    "each-restart",
                    "The same at each restart: its disk is in memory, or ends with its pod",
                ),
            ),
        ),
        Question(
            "application.disk.lost",
            "A broker lost its disk: what happens?",
            words=(
                ("replica-elected", "An operator first elects the replica with the newest log"),
                ("returns-empty", "It comes back by itself, with an empty disk"),
                (
                    "each-restart",
                    "The same at each restart: its logs are in memory, or end with its pod",
                ),
            ),
        ),
        Question(
            "application.topic.recreated",
            "Is the topic ever deleted and created again?",
            "Under the same name, to empty it or to change it.",
            words=(
                ("never", "Never"),
                ("clients-stopped", "After all its clients were stopped"),
                ("while-running", "While clients run"),
            ),
        ),
        Question(
            "application.replicas.moved",
            "When are replicas moved to other brokers?",
            words=(
                ("in-sync-only", "Only while all replicas of the partition are in sync"),
                ("any-time", "Also while one of them is away"),
            ),
        ),
    ),
)

PRODUCER = Step(
    "producer",
    "Producer",
    "When a send counts as done, and what the client does when it does not succeed immediately.",
    (
        Question("producer.acks"),
        Question("producer.enable.idempotence"),
        Question("producer.retries"),
        Question("producer.max.in.flight.requests.per.connection"),
        Question("producer.delivery.timeout.ms"),
        Question("producer.request.timeout.ms"),
        Question("producer.linger.ms"),
        Question("producer.transactional.id"),
        Question("application.idle.ms", "How long may the producer have nothing to write?"),
        Question("producer.partitioner.class"),
        Question(
            "application.partitioner",
            "If that is a class of your own, how does it choose?",
            words=(
                ("by-key", "By the key alone"),
                ("other", "In another way, or not known"),
            ),
        ),
    ),
    _CLIENTS,
)

CONSUMER = Step(
    "consumer",
    "Consumer",
    "Where a reader starts, what it may see, and when it marks a message as done.",
    (
        Question(
            "application.commit",
            "When is a message marked as done?",
            words=(
                ("auto", "By the client, on a timer"),
                ("before-processing", "By my code, before processing"),
                ("after-processing", "By my code, after processing"),
                ("in-transaction", "In the producer's transaction"),
            ),
        ),
        Question(
            "consumer.enable.auto.commit",
            "Does the client commit on its timer as well?",
            "It does, unless this is false.",
            (("true", "Yes, as well"), ("false", "No, only my code commits")),
            follows="application.commit",
        ),
        Question("consumer.enable.auto.offset.store"),
        Question(
            "application.processing",
            "Who processes a message?",
            words=(
                ("synchronous", "The thread that polls, before it polls again"),
                ("parallel", "Several threads, before it polls again"),
                ("asynchronous", "Other threads, while it continues to poll"),
            ),
        ),
        Question(
            "application.processing.order",
            "If several threads do, which one processes the messages of a key?",
            words=(
                ("any", "Whichever thread is free"),
                ("by-key", "One thread, in their order"),
            ),
        ),
        Question(
            "application.commit.order",
            "If other threads do, which offsets does your code commit?",
            words=(
                ("in-order", "Up to the first message that is not processed"),
                ("as-done", "The offset of each message when it is processed"),
            ),
        ),
        Question(
            "application.framework",
            "What polls for your code?",
            words=(
                ("none", "My own loop"),
                ("spring", "Spring for Apache Kafka, 2.5 or later"),
                ("spring-2.4", "Spring for Apache Kafka before 2.5"),
                ("spring-cloud-stream", "Spring Cloud Stream"),
                ("quarkus", "Quarkus (SmallRye)"),
                ("connect", "Kafka Connect"),
            ),
        ),
        Question(
            "application.processing.errors",
            "What if a message cannot be processed?",
            words=(
                ("retry", "It is tried again"),
                ("close", "The consumer is closed"),
                ("skip", "The code continues without it"),
            ),
        ),
        Question("consumer.auto.offset.reset"),
        Question("consumer.isolation.level"),
        Question("consumer.startingOffsets"),
        Question("consumer.failOnDataLoss"),
        Question(
            "application.checkpoint",
            "Where is the query's checkpoint?",
            words=(
                ("durable", "On storage that outlives every machine"),
                ("local", "On one machine's own disk"),
            ),
        ),
        Question(
            "application.trigger",
            "How does the query record its progress?",
            words=(
                ("micro-batch", "Batch by batch"),
                ("async-progress", "Asynchronously (asyncProgressTrackingEnabled)"),
                ("continuous", "Trigger.Continuous"),
                ("real-time", "Trigger.RealTime"),
            ),
        ),
        Question("consumer.group.protocol"),
        Question("application.outage.ms", "How long may the readers be away?"),
    ),
    _CLIENTS,
)

NEEDS = Step(
    "needs",
    "What you need",
    "The guarantee that the settings are judged by. More questions are about your own code.",
    (
        Question(
            "need.guarantee",
            "Which guarantee do you need?",
            "At least once: nothing is lost, but something may arrive twice. At most once: nothing "
            "arrives twice, but something may be lost. Exactly once: neither happens.",
            GUARANTEE_CHOICES,
        ),
        Question(
            "need.survive",
            "How many brokers may fail for good?",
            "With their disks, at the worst moment. Every acknowledged message must still exist.",
        ),
        Question(
            "need.ordering",
            "Must one producer's messages stay in order?",
            "Within a partition, and for each key as far as settings can keep it.",
            (("off", "No"), ("on", "Yes")),
        ),
        Question(
            "application.delivery.errors",
            "Does your code act on delivery errors?",
            words=(
                ("handled", "Yes, at every failed send"),
                ("ignored", "No, it only logs them, or not sure"),
            ),
        ),
        Question(
            "application.resend",
            "Does your code send again after an error?",
            words=(("never", "No"), ("on-error", "Yes, once more")),
        ),
        Question(
            "application.restart",
            "What does your sending code do after a crash?",
            words=(
                ("resumes", "Sends again what has no acknowledgement"),
                ("forgets", "Nothing: what it held is lost"),
            ),
        ),
        Question(
            "application.timestamps",
            "Which timestamps does your code set?",
            words=(
                ("now", "The time of sending"),
                ("from-source", "Older ones, as in replays and backfills"),
            ),
        ),
        Question(
            "application.sink",
            "What if a result is written twice?",
            words=(
                ("topics", "Results go to Kafka topics only"),
                ("plain", "It counts twice"),
                ("idempotent", "The second changes nothing"),
            ),
        ),
        Question("application.rate", "How many messages are sent in a second?"),
        Question("application.message.bytes", "How large is a message?"),
        Question("application.largest.message.bytes", "How large is the largest message?"),
    ),
)

DECIDES = frozenset({
    "kafka", "brokers", "topic.replication.factor", "topic.min.insync.replicas", "producer.acks",
    "application.commit", "consumer.enable.auto.commit", "application.checkpoint",
    "streams.processing.guarantee", "need.guarantee", "need.survive",
})  # fmt: skip
"""The questions that decide most, besides that for the client; the others are collapsed."""

STEPS = (CLIENT, TOPIC, PRODUCER, CONSUMER, STREAMS, NEEDS)
"""Every page; `steps` returns those of one client family."""

DEFAULTS: Mapping[str, str] = {
    "family": "java",
    "version.java": "4.3",
    "brokers": "3",
    "need.guarantee": "at-least-once",
    "need.survive": "1",
    "need.ordering": "off",
}
"""Initial values of an empty questionnaire, where no product has a default."""


def step(slug: str) -> Step:
    """Returns the step with that name. Raises `KeyError` if there is none."""
    return {step.slug: step for step in STEPS}[slug]


def steps(family: Family) -> tuple[Step, ...]:
    """Returns the pages for this client."""
    return tuple(step for step in STEPS if family in step.families)


def neighbours(current: Step, family: Family) -> tuple[Step | None, Step | None]:
    """Returns the previous and the next step, also for a step of another family."""
    index, pages = STEPS.index(current), steps(family)
    before = [step for step in pages if STEPS.index(step) < index]
    after = [step for step in pages if STEPS.index(step) > index]
    return (before[-1] if before else None, after[0] if after else None)


def question_of(field: str, family: Family) -> Question | None:
    """Returns the question for a field, or None."""
    for step in steps(family):
        for question in step.questions:
            if question.name == field:
                return question
    return None


def step_of(field: str, family: Family) -> Step | None:
    """Returns the step with the question for a field, or None (for a field of a saved pipeline)."""
    for step in steps(family):
        if any(question.name == field for question in step.questions):
            return step
    return None
