"""The numbers: their values and formulas, and when a number is omitted."""

from __future__ import annotations

import pytest

from advisor.reasoning.numbers import numbers
from tests.advisor.pipelines import SAFE, described

LOAD = {"application.rate": "1000", "application.message.bytes": "500"}


def values(fields: dict[str, str]) -> dict[str, int | None]:
    return {number.name: number.value for number in numbers(described(fields))}


@pytest.mark.parametrize(("fields", "expected"), [
    (SAFE, {"lost-for-good": 1, "down-with-writes": 1, "down-with-reads": 2,
            "stall-on-crash": 10_000, "stall-on-reader-crash": 45_000}),
    ({}, {"lost-for-good": 0, "down-with-writes": 0, "down-with-reads": 0, "stall-on-crash": None}),
    (SAFE | {"producer.acks": "1", "producer.enable.idempotence": "false"},
     {"lost-for-good": 0, "down-with-writes": 1}),
    (SAFE | {"topic.min.insync.replicas": "3"}, {"lost-for-good": 2, "down-with-writes": 0}),
    (SAFE | {"broker.broker.session.timeout.ms": "3000"}, {"stall-on-crash": 4_000}),
    (SAFE | {"version": "2.8"}, {"stall-on-reader-crash": 10_000}),
    # 1,000 × 5 s; 1,000 × 500 × 604,800 s × 3.
    (SAFE | LOAD, {"repeated-after-crash": 5_000, "bytes-on-disk": 907_200_000_000}),
    (SAFE | LOAD | {"topic.retention.ms": "-1"}, {"bytes-on-disk": None}),
    (SAFE | LOAD | {"topic.cleanup.policy": "compact"}, {"bytes-on-disk": None}),
])  # fmt: skip
def test_each_number_has_this_value(fields: dict[str, str], expected: dict[str, int | None]):
    results = values(fields)
    assert {name: results[name] for name in expected} == expected


@pytest.mark.parametrize(("fields", "reason"), [
    ({"topic.unclean.leader.election.enable": "true"}, "any replica that is back may lead"),
    ({"application.disk.lost": "returns-empty"}, "a follower that was killed"),
    ({"application.replicas.moved": "any-time", "kafka": "3.7"}, "= 2 - 1 - 1 (application.replic"),
    ({"topic.remote.storage.enable": "true", "kafka": "4.2"}, "of __remote_log_metadata - 1 = 1 "),
])  # fmt: skip
def test_no_broker_may_be_lost_if_another_failure_loses_messages(
    fields: dict[str, str], reason: str
):
    by_name = {number.name: number for number in numbers(described(SAFE | fields))}
    assert by_name["lost-for-good"].value == 0
    assert reason in by_name["lost-for-good"].formula


def test_no_rack_may_be_lost_if_one_disk_may_lose_messages():
    racks = SAFE | {"application.racks": "3"}
    assert values(racks)["racks-lost-for-good"] == 1
    assert values(racks | {"application.disk.lost": "returns-empty"})["racks-lost-for-good"] == 0


def test_no_rack_may_be_lost_with_the_metadata_of_remote_segments():
    stretched = SAFE | {
        "brokers": "6", "application.racks": "2", "topic.replication.factor": "4",
        "topic.min.insync.replicas": "3", "application.metadata.racks": "3",
    }  # fmt: skip
    tiered = stretched | {"topic.remote.storage.enable": "true"}
    assert values(stretched)["racks-lost-for-good"] == 1
    assert values(tiered)["racks-lost-for-good"] == 0
    three = {"application.remote.metadata.min.insync.replicas": "3"}
    assert values(tiered | three)["racks-lost-for-good"] == 1


@pytest.mark.parametrize(("racks", "factor", "min_isr", "lost", "down"), [
    (3, 3, 2, 1, 1), (2, 3, 2, 0, 0), (2, 3, 3, 1, 0), (2, 4, 3, 1, 0), (1, 3, 2, 0, 0),
    (3, 5, 3, 1, 1), (5, 5, 3, 2, 2), (3, 4, 2, 0, 1), (6, 3, 2, 1, 1),
])  # fmt: skip
def test_the_number_of_racks_follows_from_the_replicas_in_them(
    racks: int, factor: int, min_isr: int, lost: int, down: int
):
    results = values({
        "brokers": "6", "application.racks": f"{racks}", "topic.replication.factor": f"{factor}",
        "topic.min.insync.replicas": f"{min_isr}", "application.metadata.racks": "3",
    })  # fmt: skip
    assert (results["racks-lost-for-good"], results["racks-down-with-writes"]) == (lost, down)


def test_without_a_load_there_are_no_numbers_of_it():
    assert not {"repeated-after-crash", "bytes-on-disk"} & values(SAFE).keys()


AFTER = {"consumer.enable.auto.commit": "false", "application.commit": "after-processing"}
LIBRDKAFKA = {"family": "librdkafka", "version": "2.16"}


def test_with_a_limit_per_partition_there_is_no_number_of_bytes_on_disk():
    limited = SAFE | LOAD | {"topic.retention.bytes": "1000"}
    assert "bytes-on-disk" not in values(limited)


def test_code_that_commits_after_processing_repeats_at_most_one_poll():
    for load in ({}, LOAD):
        assert values(SAFE | load | AFTER)["repeated-after-crash"] == 500
    few = AFTER | {"consumer.max.poll.records": "50"}
    assert values(SAFE | few)["repeated-after-crash"] == 50
    for fields in (AFTER | LIBRDKAFKA, AFTER | {"application.commit": "before-processing"}):
        assert "repeated-after-crash" not in values(SAFE | LOAD | fields), "nothing is made up"


@pytest.mark.parametrize(("fields", "wait"), [
    ({"producer.transactional.id": "a"}, 70_000),
    ({"producer.transactional.id": "a", "producer.transaction.timeout.ms": "30000"}, 40_000),
    ({"family": "streams", "streams.processing.guarantee": "exactly_once_v2"}, 20_000),
    ({"family": "streams"}, None), ({}, None),
])  # fmt: skip
def test_a_read_committed_consumer_waits_for_an_open_transaction(
    fields: dict[str, str], wait: int | None
):
    assert values(fields).get("stall-on-open-transaction") == wait


def test_spark_has_no_stall_by_a_session_timeout():
    assert "stall-on-reader-crash" not in values({"family": "spark"})


def test_every_number_has_a_title_a_formula_and_a_source():
    for number in numbers(described(SAFE | LOAD)):
        assert number.title
        assert number.formula
        assert number.source


def test_the_batch_size_of_spark_gives_the_repeats_and_the_longest_interval():
    spark = {"family": "spark", "consumer.maxOffsetsPerTrigger": "30000"}
    assert values(spark)["repeated-after-crash"] == 30_000
    assert "batch-keeps-up" not in values(spark), "without a rate nothing is made up"
    assert values(spark | LOAD)["batch-keeps-up"] == 30_000
    assert "batch-keeps-up" not in values(spark | {"application.rate": "0"})


@pytest.mark.parametrize(("stated", "lost", "down"), [
    ({"topic.min.insync.replicas": "3"}, 0, 0),
    ({"topic.min.insync.replicas": "3", "application.controllers": "4"}, 1, 0),
    ({"topic.min.insync.replicas": "3", "application.metadata.racks": "3"}, 1, 0),
    ({"topic.min.insync.replicas": "2"}, 0, 0),
    ({"topic.min.insync.replicas": "2", "application.metadata.racks": "3"}, 0, 1),
])  # fmt: skip
def test_no_rack_may_be_lost_with_the_majority_of_the_controllers(
    stated: dict[str, str], lost: int, down: int
) -> None:
    stretched = {"brokers": "4", "application.racks": "2", "topic.replication.factor": "4"}
    results = values(SAFE | stretched | stated)
    assert (results["racks-lost-for-good"], results["racks-down-with-writes"]) == (lost, down)
