"""What `acks` promises: 0, 1 and all under one failure.

Sources: Kafka 4.3 documentation, producer configuration `acks` and topic configuration
`min.insync.replicas`; replication design (the ISR and clean leader election); KIP-966 for what
an election may choose from. The recipe was tried by hand: followers stopped for a second, the
leader killed, followers continued.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.lessons import Lesson, LessonArm, Outcome, Passage

_COMMON: Mapping[str, str] = {
    "family": "java",
    "version": "4.3",
    "kafka": "4.3",
    "brokers": "3",
    "topic.replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "need.guarantee": "at-least-once",
    "need.survive": "1",
}


def _arm(acks: str, meaning: str) -> LessonArm:
    return LessonArm(f"acks-{acks}", f"acks={acks}", meaning, {**_COMMON, "producer.acks": acks})


def _counted(outcome: Outcome) -> str:
    return f"{outcome.lost:,} of {outcome.acknowledged:,}"


def _not_judged(heading: str) -> Passage:
    return Passage(heading, ("This arm could not be judged in your run, so it shows nothing.",))


def _zero(outcome: Outcome) -> Passage:
    heading = "acks=0: “sent” means handed to the network"
    if outcome.answer is None:
        return _not_judged(heading)
    if outcome.lost:
        seen = (
            f"{_counted(outcome)} messages that the client reported as sent are not in the log. "
            "Two kinds are among them: those that the dead leader alone had, and those that were "
            "on their way to it and never arrived."
        )
    else:
        seen = (
            "Your run lost none, which acks=0 allows but does not promise: with other timing the "
            "same settings lose messages."
        )
    return Passage(
        heading,
        (
            "The client does not wait for an answer. It counts a message as a success as soon as "
            "it has been written to the connection, so it cannot notice, retry or tell you.",
            seen,
        ),
    )


def _one(outcome: Outcome) -> Passage:
    heading = "acks=1: the leader has it, and perhaps nobody else"
    if outcome.answer is None:
        return _not_judged(heading)
    if outcome.lost:
        seen = (
            f"{_counted(outcome)} acknowledged messages are gone. They were in the leader's log "
            "only; the followers were stopped and had not copied them. A follower that was still "
            "counted as in sync became leader, and the returning old leader cut its own log back "
            "to match. Every broker did what it is meant to do, and no error was reported."
        )
    else:
        seen = (
            "Your run lost none: the followers had copied what was acknowledged before the leader "
            "died. The window between the acknowledgement and the copy is what acks=1 leaves "
            "open; it is narrow in a healthy cluster and wide in one that struggles."
        )
    return Passage(
        heading,
        ("The leader answers when it has appended the message to its own log.", seen),
    )


def _all(outcome: Outcome) -> Passage:
    heading = "acks=all: everyone who may become leader has it"
    if outcome.answer is None:
        return _not_judged(heading)
    if outcome.lost:
        seen = (
            f"{_counted(outcome)} acknowledged messages are gone in your run. With a clean "
            "election and min.insync.replicas=2 that contradicts what Kafka promises and what this "
            "lab teaches. Keep the ledger: the run or the lesson has a fault worth reporting."
        )
    else:
        seen = (
            f"{_counted(outcome)} acknowledged messages are gone in your run. While the followers "
            "were stopped the leader acknowledged nothing: look at the gap in the plot. The client "
            "kept those messages and sent them to the new leader."
        )
    return Passage(
        heading,
        (
            "The leader answers when every replica that is in sync has the message, and with "
            "min.insync.replicas=2 it refuses to write with fewer than two. Only a replica that is "
            "in sync may become leader, so the next leader has every acknowledged message.",
            seen,
        ),
    )


def explain(outcomes: Mapping[str, Outcome]) -> tuple[Passage, ...]:
    """The explanation in this run's numbers; it holds its ground when a run surprises."""
    unjudged = Outcome("unknown", None, None)
    return (
        _zero(outcomes.get("acks-0", unjudged)),
        _one(outcomes.get("acks-1", unjudged)),
        _all(outcomes.get("acks-all", unjudged)),
        Passage(
            "What it costs",
            (
                "acks=all waits for a copy to cross the network, and it stops writing when fewer "
                "than two replicas are in sync. The gap in the plot is that price: messages wait "
                "in the client instead of being lost on a broker.",
                "It also protects against one lost broker, not against two at once, and it says "
                "nothing about what your consumer does with a message.",
            ),
        ),
    )


LESSON = Lesson(
    name="what-an-acknowledgement-means",
    order=1,
    title="What an acknowledgement means",
    summary="Three producers, one failure. Which of them may say “sent” and be believed?",
    minutes=6,
    scenario="leader-killed-followers-behind",
    want="at-least-once",
    arms=(
        _arm("0", "The client does not wait for the broker."),
        _arm("1", "The leader's log is enough."),
        _arm("all", "Every in-sync replica has to have it; two at least."),
    ),
    story=(
        "A shop writes every order to Kafka before it thanks the customer. The topic has three "
        "copies on three brokers. One is the leader: it takes the writes, and the two followers "
        "copy from it.",
        "One night the followers stall for a moment. Nobody is paged: both are still counted as in "
        "sync. In that moment the machine with the leader dies. A follower takes over within "
        "seconds, the dead broker comes back, and every chart is green again.",
        "In the morning customers hold confirmations for orders that nobody can find. The "
        "application logged no error: for each of these orders Kafka had said “acknowledged”. "
        "What had it promised?",
    ),
    question=(
        "The client was told that a message is sent. When all brokers are back, is any such "
        "message missing from the log?"
    ),
    notice=(
        "Both followers are stopped (SIGSTOP) while they still count as in sync.",
        "The leader is killed (kill -9) before they go on.",
        "With acks=all, watch the acknowledged messages a second during the stall.",
    ),
    explain=explain,
    take_home="acks-all",
    take_home_text=(
        "acks=all on the producer, three copies, and min.insync.replicas=2 on the topic belong "
        "together: with one missing, the acknowledgement means less than it says.",
        "Leave unclean.leader.election.enable at false, and give delivery.timeout.ms more time "
        "than a fail-over takes, so that a pause stays a pause.",
    ),
)
