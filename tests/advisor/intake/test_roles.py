"""What a broker's own file and the active controller's say, where the two run apart."""

from __future__ import annotations

import pytest

from advisor.catalog import Family
from advisor.intake import Product, read
from advisor.intake.inputs import Inputs

MIN_ISR, UNCLEAN = "broker.min.insync.replicas", "broker.unclean.leader.election.enable"
FILE = "process.roles={}\nnode.id=1\nmin.insync.replicas=2\nunclean.leader.election.enable=true\n"


def _read(roles: str, kafka: str) -> tuple[set[str], list[str]]:
    intake = read(FILE.format(roles), Product(Family.JAVA, "4.3", kafka), "broker-properties")
    assert not intake.problems
    unread = [note for note in intake.notes if "is not read" in note]
    return {MIN_ISR, UNCLEAN} & intake.settings.keys(), unread


@pytest.mark.parametrize(
    ("roles", "kafka", "counts"),
    [
        ("broker", "4.3", set()),
        ("broker", "4.1", set()),
        ("broker", "4.0", {MIN_ISR}),
        ("broker", "3.9", {MIN_ISR}),
        ("broker,controller", "4.3", {MIN_ISR, UNCLEAN}),
        ("controller, broker", "4.3", {MIN_ISR, UNCLEAN}),
        ("controller", "4.3", {MIN_ISR, UNCLEAN}),
        ("controller", "4.0", {UNCLEAN}),
        (" broker ", "4.3", set()),
    ],
)
def test_a_pure_brokers_file_does_not_say_what_its_controllers_decide(
    roles: str, kafka: str, counts: set[str]
) -> None:
    names, unread = _read(roles, kafka)
    assert names == counts
    assert len(unread) == 2 - len(counts)
    whose = "active controller" if roles.strip() == "broker" else "brokers'"
    assert all(whose in note for note in unread)


def test_the_controllers_file_counts_whichever_comes_first() -> None:
    controller = FILE.format("controller").replace("replicas=2", "replicas=1")
    for order in ((controller, FILE.format("broker")), (FILE.format("broker"), controller)):
        inputs = Inputs()
        for number, text in enumerate(order):
            inputs.add_text(f"{number}.properties", text, "broker-properties")
        assert inputs.fields[MIN_ISR] == "1"


@pytest.mark.parametrize(
    ("name", "read_by"),
    [
        ("broker.session.timeout.ms", {"controller"}),
        ("transaction.max.timeout.ms", {"broker"}),
        ("group.max.session.timeout.ms", {"broker"}),
        ("log.retention.ms", {"broker"}),
        ("default.replication.factor", {"broker", "controller"}),
    ],
)
def test_a_file_counts_for_what_its_role_reads(name: str, read_by: set[str]) -> None:
    for role in ("broker", "controller", "broker,controller"):
        text = f"process.roles={role}\n{name}=60000\n".replace("factor=60000", "factor=3")
        intake = read(text, Product(Family.JAVA, "4.3", "4.3"), "broker-properties")
        assert not intake.problems
        assert bool(intake.settings) == bool(set(role.split(",")) & read_by), role


def test_two_files_that_disagree_are_said_with_both_places() -> None:
    inputs = Inputs()
    inputs.add_text("a.properties", "\nacks=1\nlinger.ms=7\n", "producer-properties")
    inputs.add_text("b.properties", "linger.ms=7\nacks=all\n", "producer-properties")
    (text,) = inputs.problems
    places = "b.properties:2: producer.acks=all, and producer.acks=1 by a.properties:2"
    assert text.startswith(f"{places}: a pipeline has one.")


def test_a_topics_own_value_and_its_brokers_do_not_disagree() -> None:
    inputs = Inputs()
    inputs.add_text("s.properties", "broker.id=1\nlog.retention.ms=9\n", "broker-properties")
    inputs.add_text("t.properties", "retention.ms=10\n", "topic-properties")
    assert inputs.fields["topic.retention.ms"] == "10"
    assert not [note for note in inputs.notes if "disagree" in note]


@pytest.mark.parametrize(
    "text", ["compact,delete", "compact, delete", "delete ,compact", " compact  ,  delete "]
)
def test_blanks_around_the_commas_of_a_list_do_not_count(text: str) -> None:
    intake = read(
        f"cleanup.policy={text}\n", Product(Family.JAVA, "4.3", "4.3"), "topic-properties"
    )
    assert not intake.problems
    assert intake.settings == {"topic.cleanup.policy": "compact,delete"}
