"""Matching advisories with a pipeline: hits, the weakened guarantee, and upgrades."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from advisor.advisories import (
    Certainty,
    Part,
    advisories,
    hits,
    match,
    part_versions,
    upgrades,
    weakened,
)
from advisor.advisories.releases import possible_releases, releases
from advisor.catalog import Family
from advisor.catalog.versions import kafka_versions, versions
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Boundary, Guarantee


def pipeline_of(**fields):
    pipeline, problems = from_fields({name.replace("__", "."): v for name, v in fields.items()})
    assert pipeline is not None, problems
    return pipeline


def hits_by_id(pipeline):
    return {hit.advisory.id: hit for hit in hits(pipeline)}


def advisory(name):
    return next(advisory for advisory in advisories() if advisory.id == name)


AUTO = {"version": "3.2.0", "kafka": "4.3", "consumer.enable.auto.commit": "true"}


def test_an_affected_release_with_the_settings_is_a_certain_hit():
    hit = hits_by_id(pipeline_of(**AUTO))["KAFKA-14024"]
    assert hit.certainty is Certainty.HIT
    assert not hit.unknown


@pytest.mark.parametrize(
    "other",
    [
        {"version": "3.2.1"},
        {"version": "3.3.0"},
        {"version": "3.1.2"},
        {"consumer.enable.auto.commit": "false"},
    ],
)
def test_another_release_or_another_setting_is_no_hit(other):
    assert "KAFKA-14024" not in hits_by_id(pipeline_of(**AUTO | other))


def test_a_release_line_without_a_patch_is_a_possible_hit():
    hit = hits_by_id(pipeline_of(**AUTO | {"version": "3.2"}))["KAFKA-14024"]
    assert hit.certainty is Certainty.POSSIBLE
    assert hit.unknown == ("the release of consumer 3.2 (3.2.0 have it)",)


def test_a_condition_that_no_setting_states_is_a_possible_hit():
    hit = hits_by_id(pipeline_of(version="4.3", kafka="2.8.0"))["KAFKA-18991"]
    assert hit.certainty is Certainty.POSSIBLE
    assert hit.unknown == ("leaders that change in quick succession",)


def test_a_bug_whose_features_are_absent_is_no_hit():
    assert "KAFKA-14055" not in hits_by_id(pipeline_of(version="4.3", kafka="3.2"))
    compacted = {"topic.cleanup.policy": "compact", "producer.transactional.id": "it"}
    assert "KAFKA-14055" in hits_by_id(pipeline_of(version="4.3", kafka="3.2", **compacted))


def test_a_pipeline_has_both_the_release_and_its_line():
    pipeline = pipeline_of(version="3.2.0", kafka="3.9.1")
    assert (pipeline.version, pipeline.kafka) == ("3.2", "3.9")
    running = part_versions(pipeline)
    assert (running[Part.PRODUCER], running[Part.BROKER]) == ("3.2.0", "3.9.1")


def test_connect_is_a_part_only_where_the_framework_is_connect():
    fields = {"version": "3.0", "kafka": "4.3"}
    assert Part.CONNECT not in part_versions(pipeline_of(**fields))
    assert Part.CONNECT in part_versions(
        pipeline_of(**fields, **{"application.framework": "connect"})
    )


@pytest.mark.wide
@pytest.mark.parametrize("family", Family)
def test_upgrades_exist_for_every_line_of_every_client_and_broker(family):
    for line in versions(family):
        for kafka in kafka_versions():
            pipeline = pipeline_of(family=family.value, version=line, kafka=kafka)
            concerned = hits(pipeline)
            for upgrade in upgrades(concerned, part_versions(pipeline), pipeline):
                assert upgrade.target or upgrade.remain


def test_the_smallest_upgrade_clears_all_hits():
    pipeline = pipeline_of(**AUTO)
    concerned = hits(pipeline)
    (upgrade,) = upgrades(concerned, part_versions(pipeline), pipeline)
    assert (upgrade.what, upgrade.running, upgrade.target) == ("Java clients", "3.2.0", "3.9.2")
    assert not upgrade.remain
    assert set(upgrade.clears) == {hit.advisory.id for hit in concerned}
    smaller = [release for release in releases(concerned[0].advisory.product)
               if Version("3.2.0") <= release < Version(upgrade.target)]  # fmt: skip
    for release in smaller:
        assert any(hit.advisory.affects(release) for hit in concerned) or any(
            match(advisory, dict.fromkeys(Part, str(release)), pipeline)
            for advisory in advisories()
            if advisory.part in (Part.PRODUCER, Part.CONSUMER)
        ), release


def test_no_hit_needs_no_upgrade():
    pipeline = pipeline_of(version="4.3.1", kafka="4.3.1")
    assert hits(pipeline) == ()
    assert upgrades((), part_versions(pipeline), pipeline) == ()


GUARANTEES = st.fixed_dictionaries({boundary: st.sampled_from(Guarantee) for boundary in Boundary})


@given(GUARANTEES, st.frozensets(st.sampled_from(Anomaly)))
def test_bugs_never_strengthen_a_guarantee(guarantees, anomalies):
    after = weakened(guarantees, anomalies)
    for boundary, guarantee in after.items():
        assert FORBIDS[guarantee] <= FORBIDS[guarantees[boundary]]
    assert not FORBIDS[after[Boundary.END_TO_END]] & anomalies


@given(GUARANTEES)
def test_a_guarantee_without_anomalies_stays_the_same(guarantees):
    assert weakened(guarantees, ()) == guarantees


@given(st.sampled_from(advisories()), st.data())
def test_a_release_matches_exactly_if_it_is_affected(case, data):
    release = data.draw(st.sampled_from(releases(case.product)))
    hit = match(case, {case.part: str(release)})
    assert (hit is not None) == case.affects(release)
    line = ".".join(map(str, release.release[: 3 if release.major == 0 else 2]))
    any_of_line = any(case.affects(one) for one in possible_releases(case.product, line))
    assert (match(case, {case.part: line}) is not None) == any_of_line


def test_measured_bugs_have_the_first_affected_and_fixed_releases_as_measured():
    for name, affected, fixed in (
        ("KAFKA-14055", "3.2.0", "3.2.1"),
        ("KAFKA-9254", "2.4.0", "2.4.1"),
        ("KAFKA-7672", "2.1.0", "2.2.0"),
        ("KAFKA-3919", "0.10.2.2", "0.11.0.0"),
    ):
        assert advisory(name).affects(Version(affected)), name
        assert not advisory(name).affects(Version(fixed)), name


@pytest.mark.parametrize(("stated", "concerned"), [
    ({}, False),
    ({"producer.max.request.size": "2097152"}, True),
    ({"producer.max.request.size": "2097152", "topic.max.message.bytes": "2097152"}, False),
    ({"topic.max.message.bytes": "2000"}, True),
])  # fmt: skip
def test_kafka_8202_needs_a_client_that_sends_records_above_the_topic_limit(stated, concerned):
    matching = {hit.advisory.id for hit in hits(pipeline_of(**stated))}
    assert ("KAFKA-8202" in matching) is concerned


def test_kip_966_concerns_brokers_before_4_1_that_return_with_an_empty_disk():
    def matching(kafka, **stated):
        return {hit.advisory.id for hit in hits(pipeline_of(kafka=kafka, **stated))}

    empty = {"application.disk.lost": "returns-empty"}
    assert "KIP-966" in matching("3.9", **empty)
    assert "KIP-966" not in matching("3.9")
    assert "KIP-966" not in matching("4.1", **empty)


IDEMPOTENT = {"producer.enable.idempotence": "true"}
IN_FLIGHT = "producer.max.in.flight.requests.per.connection"


@pytest.mark.parametrize(("family", "version", "stated", "expected"), [
    ("librdkafka", "2.16.0", IDEMPOTENT, True),
    ("librdkafka", "2.16.0", {}, False),
    ("librdkafka", "2.16.0", IDEMPOTENT | {IN_FLIGHT: "1"}, False),
    ("librdkafka", "2.16.0", IDEMPOTENT | {"producer.transactional.id": "orders"}, False),
    ("java", "4.3.1", IDEMPOTENT, False),
])  # fmt: skip
def test_librdkafka_4953_needs_idempotence_and_several_requests_in_flight(
    family, version, stated, expected
):
    pipeline = pipeline_of(family=family, version=version, **stated)
    assert ("librdkafka #4953" in {hit.advisory.id for hit in hits(pipeline)}) is expected


TRANSACTIONS = {"producer.transactional.id": "orders"}


@pytest.mark.parametrize(("client", "kafka", "expected", "unexpected"), [
    ({"version": "3.9.2"}, "4.3.1", {"KAFKA-14562"}, {"KIP-890", "librdkafka #5423"}),
    ({"version": "4.3.1"}, "3.9.2", {"KIP-890"}, {"KAFKA-14562", "librdkafka #5423"}),
    ({"version": "4.3.1"}, "4.3.1", set(), {"KIP-890", "KAFKA-14562", "librdkafka #5423"}),
    ({"family": "librdkafka", "version": "2.16.0"}, "4.3.1", {"librdkafka #5423"}, {"KIP-890"}),
])  # fmt: skip
def test_transactions_need_both_sides_of_kip_890(client, kafka, expected, unexpected):
    matching = {hit.advisory.id for hit in hits(pipeline_of(kafka=kafka, **client, **TRANSACTIONS))}
    assert expected <= matching
    assert not unexpected & matching
    assert not (expected | unexpected) & {
        hit.advisory.id for hit in hits(pipeline_of(kafka=kafka, **client))
    }


@pytest.mark.parametrize("stated", [
    {"producer.acks": "1"}, {"producer.retries": "0"}, {"producer.enable.idempotence": "true"},
    {"producer.max.in.flight.requests.per.connection": "10"}, TRANSACTIONS,
])  # fmt: skip
def test_kafka_13598_needs_idempotence_by_default(stated):
    assert "KAFKA-13598" in hits_by_id(pipeline_of(version="3.0.0", kafka="4.3.1"))
    assert "KAFKA-13598" not in hits_by_id(pipeline_of(version="3.0.0", kafka="4.3.1", **stated))


@pytest.mark.parametrize(("state", "certainty"), [
    ({}, Certainty.POSSIBLE), ({"application.state": "logged"}, Certainty.HIT),
    ({"application.state": "unlogged"}, None), ({"application.state": "none"}, None),
])  # fmt: skip
def test_a_bug_of_restored_state_needs_a_changelog(state, certainty):
    streams = {"family": "streams", "version": "4.1.2", "kafka": "4.3.1",
               "streams.processing.guarantee": "exactly_once_v2"}  # fmt: skip
    hit = hits_by_id(pipeline_of(**streams, **state)).get("KAFKA-20685")
    assert (hit and hit.certainty) == certainty


def test_eligible_leader_replicas_clear_kip_966():
    empty = {"kafka": "4.0.0", "application.disk.lost": "returns-empty"}
    on = {"application.eligible.leader.replicas.version": "1"}
    assert "KIP-966" in hits_by_id(pipeline_of(**empty))
    assert "KIP-966" not in hits_by_id(pipeline_of(**empty, **on))


@pytest.mark.parametrize(("name", "line", "last_with_it"), [
    ("KAFKA-13563", "2.6", "2.6.3"), ("KAFKA-9835", "2.2", "2.2.2"),
    ("KAFKA-13794", "2.3", "2.3.1"),
])  # fmt: skip
def test_an_upgrade_is_later_than_the_last_affected_release_of_the_line(name, line, last_with_it):
    """The first releases of the line are not affected, but they are not an upgrade."""
    running = {advisory(name).part: line}
    hit = match(advisory(name), running)
    assert hit
    (upgrade,) = upgrades([hit], running)
    assert Version(upgrade.target) > Version(last_with_it)
    assert not advisory(name).affects(Version(upgrade.target))


def test_later_releases_with_another_bug_are_excluded_from_the_upgrade():
    pipeline = pipeline_of(version="3.9.0", kafka="4.3.1")
    (upgrade,) = upgrades(hits(pipeline), part_versions(pipeline), pipeline)
    assert upgrade.target == "3.9.2"
    assert upgrade.but_not == ("4.0.0", "4.0.1", "4.1.0", "4.1.1")  # KAFKA-19012


@pytest.mark.parametrize(("name", "kafka", "fixed"), [
    ("KAFKA-17062", "3.8.0", "3.8.1"), ("KAFKA-20732", "4.1.1", "4.4.0"),
])  # fmt: skip
def test_a_bug_of_size_retention_needs_a_retention_size(name, kafka, fixed):
    tiered = {"kafka": kafka, "topic.remote.storage.enable": "true"}
    by_size = {"topic.retention.bytes": "1000000"}
    assert name in hits_by_id(pipeline_of(**tiered, **by_size))
    assert name not in hits_by_id(pipeline_of(**tiered))
    assert name not in hits_by_id(pipeline_of(kafka=kafka, **by_size))
    assert not advisory(name).affects(Version(fixed))


@pytest.mark.parametrize(("name", "fields"), [
    ("KAFKA-17801", {"kafka": "3.8.1", "topic.remote.storage.enable": "true"}),
    ("KAFKA-13727", {"kafka": "3.1.0", "topic.cleanup.policy": "compact"}),
])  # fmt: skip
def test_a_bug_of_read_committed_needs_transactions_and_read_committed(name, fields):
    sent = {**TRANSACTIONS, **fields}
    assert name in hits_by_id(pipeline_of(**sent, **{"consumer.isolation.level": "read_committed"}))
    assert name not in hits_by_id(
        pipeline_of(**sent, **{"consumer.isolation.level": "read_uncommitted"})
    )
    assert name not in hits_by_id(
        pipeline_of(**fields, **{"consumer.isolation.level": "read_committed"})
    )


def test_kafka_20254_needs_the_streams_protocol_on_4_2_0():
    streams = {"family": "streams", "version": "4.2", "streams.group.protocol": "streams"}
    assert "KAFKA-20254" in hits_by_id(pipeline_of(kafka="4.2.0", **streams))
    assert "KAFKA-20254" not in hits_by_id(pipeline_of(kafka="4.2.1", **streams))
    classic = streams | {"streams.group.protocol": "classic"}
    assert "KAFKA-20254" not in hits_by_id(pipeline_of(kafka="4.2.0", **classic))


def test_one_broker_has_no_replication_bugs():
    fields = {"kafka": "3.9.0", "application.disk.lost": "returns-empty"}
    assert {"KIP-966", "KAFKA-18991"} <= hits_by_id(pipeline_of(**fields)).keys()
    single = hits_by_id(pipeline_of(**fields, brokers="1", topic__replication__factor="1"))
    assert not single.keys() & {"KIP-966", "KAFKA-18991"}
