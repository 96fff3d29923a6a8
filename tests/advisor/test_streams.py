"""Kafka Streams: the anomalies on both sides of the deciding settings, and the changes."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from advisor import services
from advisor.catalog import Component, Family, versions
from advisor.intake import Product, read
from advisor.reasoning.assess import assess
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee
from advisor.reasoning.recommend import recommend
from labs.engine.workloads import ArmContext, ProduceConsume
from tests.advisor.pipelines import HARMLESS, A, assessed, described, permits
from tests.advisor.walking import walk

STREAMS = {
    "family": "streams",
    "topic.replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "streams.replication.factor": "3",
    "streams.topic.min.insync.replicas": "2",
    "application.offsets.topic.min.insync.replicas": "2",
}
"""At-least-once, with state that survives the loss of one broker."""

EOS = STREAMS | {"streams.processing.guarantee": "exactly_once_v2"}
STOP = {"consumer.auto.offset.reset": "none"}
CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler"
STATE_GONE = {A.STATE_LOST, A.EFFECT_MISSING}
DUPLICATED = {A.DUPLICATE, A.EFFECT_DUPLICATED}

CASES = [
    # A crash: work since the last commit is repeated or aborted (R-S1, R-S2).
    ("streams-instance-killed", STREAMS, DUPLICATED),
    ("streams-instance-killed", EOS, set()),
    ("streams-instance-killed", STREAMS | {"application.sink": "idempotent"}, DUPLICATED),
    ("streams-instance-killed",
     STREAMS | {"application.sink": "idempotent", "application.state": "none"}, {A.DUPLICATE}),
    ("consumer-killed-before-commit", STREAMS, {A.REDELIVERY, A.EFFECT_DUPLICATED}),
    ("consumer-killed-before-commit", EOS, {A.REDELIVERY}),
    ("consumer-killed-before-processing", STREAMS, set()),
    # State is restored from its changelog, or lost (R-S3, R-S4, R-S8).
    ("streams-state-lost", STREAMS, set()),
    ("streams-state-lost", STREAMS | {"application.state": "unlogged"}, STATE_GONE),
    ("streams-internal-topics-lost", STREAMS, set()),
    ("streams-internal-topics-lost", STREAMS | {"streams.replication.factor": "-1"}, STATE_GONE),
    ("streams-internal-topics-lost", EOS | {"streams.replication.factor": "-1"}, STATE_GONE),
    ("streams-internal-topics-lost", STREAMS | {"streams.topic.min.insync.replicas": "1"},
     STATE_GONE),
    ("streams-internal-topics-lost", STREAMS | {
        "streams.replication.factor": "-1", "broker.default.replication.factor": "3"}, set()),
    ("streams-internal-topics-lost", STREAMS | {"need.survive": "2", "brokers": "5"}, STATE_GONE),
    ("streams-internal-topics-lost", STREAMS | {"producer.acks": "1"}, STATE_GONE),
    ("streams-internal-topics-lost",
     STREAMS | {"streams.replication.factor": "1", "application.state": "none"}, set()),
    # Handlers (R-S5), upstream (R-S6), effects elsewhere (R-S9), readers (R-S10).
    ("unprocessable-message", STREAMS, set()),
    ("unprocessable-message",
     EOS | {"streams.deserialization.exception.handler": CONTINUE}, {A.EFFECT_MISSING}),
    ("unprocessable-message",
     STREAMS | {"version": "3.3", "streams.default.deserialization.exception.handler": CONTINUE},
     {A.EFFECT_MISSING}),
    ("delivery-error-ignored", STREAMS, set()),
    ("delivery-error-ignored",
     STREAMS | {"streams.production.exception.handler": "com.example.Drop"}, {A.GIVEN_UP}),
    ("transaction-aborted", STREAMS, set()),
    ("transaction-aborted", STREAMS | {"application.upstream": "transactional"},
     {A.ABORTED_READ, A.EFFECT_DUPLICATED}),
    ("transaction-aborted", EOS | {"application.upstream": "transactional"}, set()),
    ("streams-side-effects-repeated", EOS, set()),
    ("streams-side-effects-repeated", EOS | {"application.sink": "plain"}, {A.EFFECT_DUPLICATED}),
    ("streams-output-read-uncommitted", STREAMS, set()),
    ("streams-output-read-uncommitted", EOS, {A.ABORTED_READ, A.EFFECT_DUPLICATED}),
    ("streams-output-read-uncommitted", EOS | {"application.readers": "read_committed"}, set()),
    # acks=1 disables idempotence, unless exactly-once forces it (E21).
    ("acknowledgement-lost", STREAMS, set()),
    ("acknowledgement-lost", STREAMS | {"producer.acks": "1"}, {A.DUPLICATE, A.REORDERED}),
    ("acknowledgement-lost", EOS | {"producer.enable.idempotence": "false"}, set()),
    # Committed state stays, with exactly-once as well, when the input is read again.
    ("no-committed-offset", EOS | {"application.sink": "idempotent"},
     {A.REDELIVERY, A.EFFECT_DUPLICATED}),
    ("no-committed-offset", EOS | STOP, set()),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_an_event_permits_these_anomalies(
    event: str, fields: dict[str, str], expected: set[Anomaly]
):
    assert permits(described(fields), event) - HARMLESS == expected


WAITS = [
    ("streams-state-lost", STREAMS, "num.standby.replicas=0"),
    ("streams-state-lost", STREAMS | {"streams.num.standby.replicas": "1"},
     "acceptable.recovery.lag=10000"),
    ("streams-state-lost", EOS, "the state on disk is wiped"),
    ("streams-state-lost", STREAMS | {"streams.default.dsl.store": "in_memory"},
     "default.dsl.store=in_memory"),
    ("transaction-hanging", EOS, "20,000 ms"),
    ("unprocessable-message", STREAMS, "deserialization.exception.handler=LogAndFail"),
    ("controllers-lost", STREAMS | {"application.controllers": "3"}, "1 may be down"),
    ("controllers-lost", STREAMS | {"application.controllers": "5"}, "2 may be down"),
    ("group-coordinator-away", {"broker.offsets.topic.replication.factor": "1"},
     "until that broker is back"),
    ("group-coordinator-away", {"family": "librdkafka", "consumer.group.protocol": "consumer"},
     "continue to fetch"),
    ("static-member-lost",
     {"consumer.group.instance.id": "r", "consumer.group.protocol": "consumer"},
     "group.consumer.session.timeout.ms=45000"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "message"), WAITS)
def test_a_standstill_names_the_deciding_setting(event: str, fields: dict[str, str], message: str):
    permitted = assessed(described(fields), event).permits
    assert any(message in permitted[anomaly] for anomaly in HARMLESS & permitted.keys())


def changes(fields: dict[str, str]) -> dict[str, object]:
    recommendation = recommend(described(fields))
    assert not recommendation.impossible
    return {
        f"{change.component}.{change.setting}": change.after for change in recommendation.changes
    }


@pytest.mark.parametrize(("fields", "expected"), [
    (STREAMS, {}),
    ({**STREAMS, "streams.replication.factor": "-1"}, {"streams.replication.factor": 3}),
    ({**STREAMS, "need.guarantee": "exactly-once"},
     {"streams.processing.guarantee": "exactly_once_v2", "consumer.auto.offset.reset": "none"}),
    ({**STREAMS, "version": "2.8", "producer.acks": "all", "need.guarantee": "exactly-once"},
     {"streams.processing.guarantee": "exactly_once_beta", "consumer.auto.offset.reset": "none"}),
    (STREAMS | STOP | {"need.guarantee": "exactly-once", "streams.commit.interval.ms": "30000"},
     {"streams.processing.guarantee": "exactly_once_v2", "streams.commit.interval.ms": 100}),
    (STREAMS | STOP | {"need.guarantee": "exactly-once", "producer.transaction.timeout.ms": "9"},
     {"streams.processing.guarantee": "exactly_once_v2",
      "producer.transaction.timeout.ms": 60_000}),
    (STREAMS | {"application.state": "unlogged"}, {"application.state": "logged"}),
    (EOS | STOP | {"need.guarantee": "exactly-once", "application.readers": "read_uncommitted"},
     {"application.readers": "read_committed"}),
])  # fmt: skip
def test_these_changes_are_recommended(fields: dict[str, str], expected: dict[str, object]):
    assert changes(fields) == expected


def test_effects_outside_kafka_are_never_exactly_once():
    recommendation = recommend(
        described(STREAMS | {"need.guarantee": "exactly-once", "application.sink": "plain"})
    )
    [impossible] = recommendation.impossible
    assert "a Kafka transaction takes back only what is in Kafka" in impossible.why
    assert impossible.nearest.startswith("at-least-once, with 1 broker lost for good. Make the")
    assert recommendation.changes == ()


def test_with_two_racks_records_are_safe_and_writes_wait():
    """The event says which number of racks would allow both."""
    third_place = {"application.metadata.racks": "3"}
    fields = STREAMS | third_place | {"application.racks": "2", "topic.min.insync.replicas": "3"}
    lost = assessed(described(fields), "rack-lost")
    assert set(lost.permits) == {A.UNAVAILABLE}
    assert "3 racks or more. With 2, no settings both" in lost.event.beyond_settings


def test_exactly_once_depends_on_the_isolation_level_of_the_readers():
    pipeline = described(EOS | STOP)
    assert assess(pipeline).guarantees[Boundary.END_TO_END] is Guarantee.EXACTLY_ONCE
    assert "S005" in {finding.rule.code for finding in assess(pipeline).findings}
    uncommitted = described(EOS | STOP | {"application.readers": "read_uncommitted"})
    assert assess(uncommitted).guarantees[Boundary.END_TO_END] is not Guarantee.EXACTLY_ONCE


def test_settings_that_streams_overrides_are_effective_and_reported():
    fields = {
        "producer.enable.idempotence": "false",
        "consumer.isolation.level": "read_uncommitted",
    }
    pipeline = described(EOS | fields)
    assert pipeline.flag(Component.PRODUCER, "enable.idempotence")
    assert pipeline.text(Component.CONSUMER, "isolation.level") == "read_committed"
    [finding] = [item for item in assess(pipeline).findings if item.rule.code == "S003"]
    assert "enable.idempotence=false becomes true" in finding.message
    at_least_once = described(STREAMS | fields)
    assert not at_least_once.flag(Component.PRODUCER, "enable.idempotence")


def test_every_line_of_streams_gets_changes():
    for version in versions(Family.STREAMS):
        assert services.advise(described({"family": "streams", "version": version}))["changes"]


def test_a_workload_with_other_clients_says_that_streams_is_not_run(tmp_path):
    arm = services.in_force(described(STREAMS))
    assert arm["streams"]["processing.guarantee"] == "at_least_once"
    clients = ProduceConsume(ArmContext(arm, "127.0.0.1:1", "t", 1, *[tmp_path] * 4))
    assert clients.differences[0].startswith("Kafka Streams itself is not run")
    plain = services.in_force(described({"family": "java"}))
    assert "streams" not in plain
    lines = ProduceConsume(ArmContext(plain, "b", "t", 1, *[tmp_path] * 4)).differences
    assert not any("Streams" in name or "group.protocol" in name for name in lines)


@pytest.mark.django_db
def test_the_questionnaire_has_questions_for_streams(client: Client):
    slug = walk(
        client, client={"family": "streams"}, topic={"topic.replication.factor": "3"},
        streams={"streams.processing.guarantee": "exactly_once_v2"},
    )  # fmt: skip
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    assert "the lab runs Kafka Streams" in html
    assert "streams.properties" in html
    assert "producer.properties" not in html
    page = client.get(reverse("advisor:describe", args=["client"])).content.decode()
    assert "Streams application" in page
    assert ">Consumer<" not in page


@pytest.mark.parametrize("new_first", [True, False])
@pytest.mark.parametrize(("new", "old"), [
    ("LogAndContinueExceptionHandler", "LogAndFailExceptionHandler"),
    ("LogAndFailExceptionHandler", "LogAndContinueExceptionHandler"),
])  # fmt: skip
def test_the_new_name_of_a_handler_takes_precedence_in_any_order(
    new: str, old: str, new_first: bool
) -> None:
    """StreamsConfig, deserializationExceptionHandler: the old name counts only without the new."""
    handler, errors = "deserialization.exception.handler", "org.apache.kafka.streams.errors"
    lines = [f"{handler}={errors}.{new}", f"default.{handler}={errors}.{old}"]
    text = "\n".join(lines if new_first else reversed(lines))
    product = Product(Family.STREAMS, "4.3", "4.3")
    settings = read(text, product, "streams-properties").settings
    assert settings[f"streams.{handler}"] == f"{errors}.{new}"
