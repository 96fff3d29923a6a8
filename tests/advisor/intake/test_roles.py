"""Which settings of broker and controller files count where brokers and controllers run apart."""

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
    ("roles", "kafka", "settings_in_force"),
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
def test_the_file_of_a_dedicated_broker_does_not_state_what_controllers_decide(
    roles: str, kafka: str, settings_in_force: set[str]
) -> None:
    names, unread = _read(roles, kafka)
    assert names == settings_in_force
    assert len(unread) == 2 - len(settings_in_force)
    owner = "active controller" if roles.strip() == "broker" else "brokers'"
    assert all(owner in note for note in unread)


def test_the_controller_file_counts_in_either_order() -> None:
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
def test_a_file_counts_for_the_settings_that_its_role_reads(name: str, read_by: set[str]) -> None:
    for role in ("broker", "controller", "broker,controller"):
        text = f"process.roles={role}\n{name}=60000\n".replace("factor=60000", "factor=3")
        intake = read(text, Product(Family.JAVA, "4.3", "4.3"), "broker-properties")
        assert not intake.problems
        assert bool(intake.settings) == bool(set(role.split(",")) & read_by), role


def test_two_files_that_disagree_are_reported_with_both_lines() -> None:
    inputs = Inputs()
    inputs.add_text("a.properties", "\nacks=1\nlinger.ms=7\n", "producer-properties")
    inputs.add_text("b.properties", "linger.ms=7\nacks=all\n", "producer-properties")
    (text,) = inputs.problems
    places = "b.properties:2: producer.acks=all, and producer.acks=1 by a.properties:2"
    assert text.startswith(f"{places}: a pipeline has one.")


def test_a_topic_value_and_a_broker_default_do_not_disagree() -> None:
    inputs = Inputs()
    inputs.add_text("s.properties", "broker.id=1\nlog.retention.ms=9\n", "broker-properties")
    inputs.add_text("t.properties", "retention.ms=10\n", "topic-properties")
    assert inputs.fields["topic.retention.ms"] == "10"
    assert not [note for note in inputs.notes if "disagree" in note]


@pytest.mark.parametrize(
    "text", ["compact,delete", "compact, delete", "delete ,compact", " compact  ,  delete "]
)
def test_blanks_around_the_commas_of_a_list_are_ignored(text: str) -> None:
    intake = read(
        f"cleanup.policy={text}\n", Product(Family.JAVA, "4.3", "4.3"), "topic-properties"
    )
    assert not intake.problems
    assert intake.settings == {"topic.cleanup.policy": "compact,delete"}


@pytest.mark.parametrize(("roles", "hints"), [
    (["broker"], 2), (["broker", "controller"], 0), (["controller", "broker"], 0),
    (["broker", "broker"], 4),
])  # fmt: skip
def test_no_file_is_asked_for_that_was_given(roles: list[str], hints: int) -> None:
    inputs = Inputs()
    texts = [
        FILE.format(role).replace("node.id=1", f"node.id={at}") for at, role in enumerate(roles)
    ]
    inputs.add_texts([(f"{at}.properties", text) for at, text in enumerate(texts)])
    unread = [note for note in inputs.notes if "is not read from a file" in note]
    assert len(unread) == 2 * roles.count("broker")
    assert sum("Add that file, or state it" in note for note in unread) == hints
    assert all(note.endswith("file decides.") for note in unread if "Add" not in note)


def test_no_file_is_asked_for_that_the_same_file_has() -> None:
    compose = "services:\n" + "".join(
        f"  s{number}:\n    image: apache/kafka:4.3.0\n    environment:\n      KAFKA_NODE_ID: "
        f"{number}\n      KAFKA_PROCESS_ROLES: {role}\n      KAFKA_MIN_INSYNC_REPLICAS: 2\n"
        for number, role in enumerate(("broker", "controller"))
    )
    notes = read(compose, Product(Family.JAVA, "4.3", "4.3"), "compose").notes
    [unread] = [note for note in notes if "is not read from a file" in note]
    assert unread.endswith("the active controller's file decides.")
