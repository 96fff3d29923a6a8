"""All parts of an answer agree: verdict, changes, impossible wishes and sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor import services
from advisor.intake.inputs import Inputs
from advisor.known_bugs import known_bugs
from advisor.pages import presentation
from advisor.reasoning.answer import Answer, answer
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import recommend
from advisor.reports.sarif import sarif
from advisor.reports.text import report
from tests.advisor.pipelines import SAFE, broken, described, pipelines

WHOLE_SPACE = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)


def check(pipeline: Pipeline) -> Answer:
    """Asserts that every part of the answer agrees with the judgement. Returns the answer."""
    result = answer(pipeline)
    judgement, wanted = result.judgement, result.wanted
    in_scope = [failure for failure in judgement.failures if failure.in_scope]
    forbidden = [failure for failure in in_scope if judgement.forbids & failure.permits.keys()]

    assert bool(forbidden) == broken(pipeline)
    assert judgement.met == (judgement.works and not forbidden)
    assert judgement.met == (judgement.works and not wanted.changes and not wanted.impossible)
    holds = judgement.met and not known_bugs(result).breaking
    assert services.to_json(result)["met"] == holds
    assert report(result).startswith("YES") == holds
    assert ("with these settings" in presentation.sentence(judgement)) == (not judgement.met)
    permitted = judgement.forbids | {"duplicate", "redelivery"}
    if any(permitted & failure.permits.keys() for failure in in_scope):
        assert "in each of" not in judgement.summary
    if not wanted.refused:
        assert not broken(recommend(pipeline).pipeline)
    return result


@pytest.mark.wide
@given(pipelines(), st.integers(0, 3))
@WHOLE_SPACE
def test_the_parts_of_an_answer_do_not_contradict_each_other(
    pipeline: Pipeline, survive: int
) -> None:
    check(replace(pipeline, requirement=replace(pipeline.requirement, survive=survive)))


def test_a_known_bug_that_breaks_the_wish_is_in_every_format() -> None:
    """JSON once said that the wish is met, while the text and the exit code said no."""
    fields = {
        "family": "streams", "version": "2.8", "kafka": "4.0", "need.survive": "0",
        "application.disk.lost": "returns-empty",
    }  # fmt: skip
    answer = check(described(fields))

    assert answer.judgement.met
    assert not services.to_json(answer)["met"]


ONCE = SAFE | {
    "application.sink": "idempotent",
    "application.commit": "after-processing",
    "consumer.enable.auto.commit": "false",
}


def test_duplicates_that_the_sink_absorbs_need_no_change() -> None:
    duplicated = {"producer.enable.idempotence": "false", "need.guarantee": "exactly-once"}
    answer = check(described(ONCE | duplicated))

    assert answer.judgement.met
    assert "in the log twice in" in answer.judgement.summary
    assert answer.judgement.summary.endswith("the sink applies each of them once.")


@pytest.mark.parametrize("guarantee", ["exactly-once", "at-least-once"])
def test_exactly_once_with_an_idempotent_sink_of_spark_is_possible(guarantee: str) -> None:
    fields = {
        "family": "spark", "topic.replication.factor": "3", "topic.min.insync.replicas": "2",
        "consumer.startingOffsets": "earliest", "application.sink": "idempotent",
    }  # fmt: skip
    assert check(described(fields | {"need.guarantee": guarantee})).judgement.met


def test_the_sentence_names_lost_order_if_ordering_is_needed() -> None:
    lifo = {"family": "librdkafka", "producer.queuing.strategy": "lifo"}
    lifo["producer.enable.idempotence"] = "false"
    answer = check(described(ONCE | lifo | {"need.ordering": "on"}))

    assert not answer.judgement.met
    assert "out of order" in answer.judgement.summary


def test_aborted_reads_do_not_break_at_most_once() -> None:
    """Only exactly-once forbids reading a part of a transaction."""
    uncommitted_reads = {
        "producer.transactional.id": "orders-1", "consumer.isolation.level": "read_uncommitted",
        "need.guarantee": "at-most-once",
    }  # fmt: skip
    answer = check(described(ONCE | uncommitted_reads))

    assert answer.judgement.met
    assert presentation.sentence(answer.judgement) == (
        "You need at most once, and these settings give it."
    )


SHORT = {"producer.request.timeout.ms": "1"}
LRK = {"family": "librdkafka", "topic.replication.factor": "3"}
TWO_OF_3 = {"topic.replication.factor": "3", "topic.min.insync.replicas": "2"}
ONE = {"brokers": "1", "broker.offsets.topic.replication.factor": "1"}
HOPELESS = [
    (SHORT, "producer.request.timeout.ms"),
    ({"producer.request.timeout.ms": "10"}, "producer.request.timeout.ms"),
    ({"producer.request.timeout.ms": "0", "producer.acks": "0"}, "producer.request.timeout.ms"),
    ({"family": "spark"} | SHORT, "producer.request.timeout.ms"),
    ({"family": "streams"} | SHORT, "producer.request.timeout.ms"),
    (LRK | SHORT | {"producer.enable.idempotence": "false"}, "producer.request.timeout.ms"),
    (LRK | {"producer.socket.timeout.ms": "10"}, "producer.socket.timeout.ms"),
    (
        LRK | {"producer.delivery.timeout.ms": "9", "producer.linger.ms": "0"},
        "producer.delivery.timeout.ms",
    ),
    ({"producer.buffer.memory": "16383"}, "producer.buffer.memory"),
    ({"producer.batch.size": "33554433"}, "producer.batch.size"),
    ({"producer.buffer.memory": "81", "producer.batch.size": "0"}, "producer.buffer.memory"),
    ({"producer.connections.max.idle.ms": "1"}, "producer.connections.max.idle.ms"),
    ({"consumer.connections.max.idle.ms": "0"}, "consumer.connections.max.idle.ms"),
    (LRK | {"broker.connections.max.idle.ms": "10"}, "broker.connections.max.idle.ms"),
    (
        {"consumer.fetch.min.bytes": "2", "consumer.fetch.max.wait.ms": "30000"},
        "consumer.fetch.max.wait.ms",
    ),
    ({"consumer.request.timeout.ms": "0"}, "consumer.request.timeout.ms"),
    ({"family": "streams", "consumer.request.timeout.ms": "1"}, "consumer.request.timeout.ms"),
    ({"family": "spark", "consumer.request.timeout.ms": "10"}, "consumer.request.timeout.ms"),
    (LRK | {"consumer.socket.timeout.ms": "10"}, "consumer.socket.timeout.ms"),
    ({"broker.socket.request.max.bytes": "97"}, "broker.socket.request.max.bytes"),
    ({"family": "spark", "producer.buffer.memory": "1"}, "producer.buffer.memory"),
    ({"producer.max.block.ms": "0", "producer.transactional.id": "t"}, "producer.max.block.ms"),
    ({"consumer.max.poll.interval.ms": "1"}, "consumer.max.poll.interval.ms"),
    ({"family": "streams", "consumer.max.poll.interval.ms": "1"}, "consumer.max.poll.interval.ms"),
    (
        {
            "consumer.session.timeout.ms": "10",
            "consumer.heartbeat.interval.ms": "1",
            "broker.group.min.session.timeout.ms": "1",
        },
        "consumer.session.timeout.ms",
    ),
]


@pytest.mark.wide
@pytest.mark.parametrize(("fields", "setting"), [
    ({"brokers": "1", "broker.offsets.topic.replication.factor": "3"},
     "broker.offsets.topic.replication.factor"),
    ({"brokers": "1"}, "broker.offsets.topic.replication.factor"),
    (
        LRK | {"brokers": "2", "topic.replication.factor": "2"},
        "broker.offsets.topic.replication.factor",
    ),
    (ONE | {"producer.transactional.id": "t"}, "broker.transaction.state.log.replication.factor"),
    ({"brokers": "2", "broker.offsets.topic.replication.factor": "2",
      "producer.transactional.id": "t", "broker.transaction.state.log.replication.factor": "3"},
     "broker.transaction.state.log.replication.factor"),
    ({"kafka": "3.5", "topic.replication.factor": "1", "topic.min.insync.replicas": "2"},
     "topic.min.insync.replicas"),
    ({"family": "streams", "kafka": "3.4", "version": "3.7",
      "streams.topic.min.insync.replicas": "2"}, "streams.topic.min.insync.replicas"),
    *HOPELESS,
])  # fmt: skip
@pytest.mark.parametrize("guarantee", ["none", "at-least-once", "exactly-once"])
def test_no_wish_is_met_if_nothing_can_work(
    fields: dict[str, str], setting: str, guarantee: str
) -> None:
    answer = check(described(fields | {"need.guarantee": guarantee, "need.survive": "0"}))
    advice = services.to_json(answer)

    assert not advice["met"]
    assert not advice["works"]
    assert [obstacle["setting"] for obstacle in advice["obstacles"]] == [setting]
    assert set(advice["guarantee"].values()) == {"none"}
    text = report(answer)
    assert text.startswith("CANNOT WORK: ")
    assert "No change is needed" not in text
    remedy = answer.judgement.obstacles[0].instead.split(",")[0]
    assert (remedy in " ".join(text.split())) != (f"  {setting}: " in text)
    assert presentation.sentence(answer.judgement).endswith("cannot work with these settings.")
    sarif_result = sarif(answer, Inputs())["runs"][0]["results"][0]
    assert sarif_result["ruleId"] == f"cannot-work/{setting.partition('.')[2]}"
    assert sarif_result["level"] == "error"


@pytest.mark.parametrize("fields", [
    {"family": "spark", "brokers": "1", "broker.offsets.topic.replication.factor": "3"},
    ONE,
    {"family": "spark", "brokers": "1"},
    ONE | {"broker.transaction.state.log.replication.factor": "3"},
    {"consumer.request.timeout.ms": "11"},
    {"producer.connections.max.idle.ms": "-1", "consumer.connections.max.idle.ms": "11"},
    {"consumer.fetch.max.wait.ms": "30000"},
    {"consumer.fetch.max.wait.ms": "29999", "consumer.fetch.min.bytes": "2"},
    LRK | {"consumer.socket.timeout.ms": "11"},
    {"broker.socket.request.max.bytes": "98"},
    {"topic.replication.factor": "1", "topic.min.insync.replicas": "2"},
    {"kafka": "3.5", "producer.acks": "1", "producer.enable.idempotence": "false",
     "topic.replication.factor": "1", "topic.min.insync.replicas": "2"},
    {"producer.request.timeout.ms": "11"},
    {"broker.broker.session.timeout.ms": "11"},
    TWO_OF_3 | {"broker.replica.lag.time.max.ms": "11",
                "broker.replica.fetch.wait.max.ms": "11"},
    TWO_OF_3 | {"broker.min.insync.replicas": "4"},
    TWO_OF_3 | {"kafka": "3.6", "broker.min.insync.replicas": "3"},
    TWO_OF_3 | {"kafka": "3.6", "broker.transaction.state.log.min.isr": "4"},
    LRK | SHORT | {"producer.enable.idempotence": "true"},
    {"family": "librdkafka"} | SHORT,
    LRK | {"producer.socket.timeout.ms": "11"},
    LRK | {"producer.delivery.timeout.ms": "0"},
    {"producer.buffer.memory": "16384"},
    {"producer.buffer.memory": "82", "producer.batch.size": "0"},
    {"producer.max.block.ms": "0"},
    {"consumer.max.poll.interval.ms": "11"},
])  # fmt: skip
def test_these_settings_can_work(fields: dict[str, str]) -> None:
    assert services.to_json(check(described(fields)))["works"]


def test_a_usual_value_that_the_brokers_refuse_is_not_proposed() -> None:
    """A session timeout of 1 ms cannot work, and these brokers allow no longer one."""
    result = check(described({
        "family": "librdkafka", "kafka": "3.2", "brokers": "1", "need.guarantee": "at-most-once",
        "broker.group.min.session.timeout.ms": "-2147483648",
        "broker.group.max.session.timeout.ms": "1", "consumer.session.timeout.ms": "1",
    }))  # fmt: skip
    assert not services.to_json(result)["works"]
