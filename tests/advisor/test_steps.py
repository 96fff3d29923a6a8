"""The order of changes, and the comparison and formatting of numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from advisor import services
from advisor.catalog import Component, Family
from advisor.export.choice import code_notes
from advisor.pages.steps import compared, in_order
from advisor.reasoning.numbers import Number, numbers
from advisor.templatetags.look import quantity
from tests.advisor.pipelines import described

RISKY = {"producer.acks": "1", "topic.replication.factor": "1"}


def test_each_change_comes_after_those_that_it_depends_on() -> None:
    changes = services.answer(described(RISKY)).wanted.changes
    assert {"replication.factor", "min.insync.replicas"} <= {change.setting for change in changes}
    for order in permutations(changes[:4]):
        steps = in_order(order)
        assert [step.number for step in steps] == list(range(1, len(order) + 1))
        position = {step.change.setting: step.number for step in steps}
        assert set(position) == {change.setting for change in order}
        for step in steps:
            assert all(position[name] < step.number for name in step.after)
            waits = set(step.change.procedure.after) & set(position)
            assert set(step.after) == waits


def test_two_changes_that_depend_on_each_other_are_both_listed() -> None:
    first, second = services.answer(described(RISKY)).wanted.changes[:2]
    cycle = [
        replace(one, procedure=replace(one.procedure, after=(other.setting,)))
        for one, other in ((first, second), (second, first))
    ]
    assert len(in_order(cycle)) == 2


def test_numbers_are_compared_and_differences_marked() -> None:
    pipeline = described(RISKY | {"application.rate": "1000", "application.message.bytes": "500"})
    after = services.recommended(pipeline)
    rows = {
        comparison.title: comparison for comparison in compared(numbers(pipeline), numbers(after))
    }
    lost = rows["Brokers lost for good without losing an acknowledged message"]
    assert lost.before
    assert lost.after
    assert (lost.before.value, lost.after.value, lost.differs) == (0, 1, True)
    disk = rows["Bytes on all disks together"]
    assert disk.before
    assert disk.after
    assert disk.before.value
    assert disk.after.value == 3 * disk.before.value
    assert all(
        not comparison.differs for comparison in compared(numbers(pipeline), numbers(pipeline))
    )


def test_a_number_that_only_one_pipeline_has_is_kept() -> None:
    automatic_commit = described({"application.rate": "1000"})
    manual_commit = described(
        {"application.rate": "1000", "application.commit": "before-processing"}
    )
    rows = {
        comparison.title: comparison
        for comparison in compared(numbers(automatic_commit), numbers(manual_commit))
    }
    repeated = rows["Messages delivered again when a reader crashes, at most"]
    assert repeated.before
    assert repeated.after is None
    assert repeated.differs


@pytest.mark.parametrize(("value", "unit", "message"), [
    (None, "ms", "no bound"), (999, "ms", "999 ms"), (10_000, "ms", "10 s"),
    (10_500, "ms", "10.5 s"), (100_000, "ms", "100 s"),
    (2**63 - 1, "ms", "9,223,372,036,854,775.807 s"),
    (999, "bytes", "999 bytes"), (181_440_000_000, "bytes", "181.4 GB"), (2, "brokers", "2"),
    (5000, "messages", "5,000"), (10**23, "bytes", "100,000.0 EB"),
])  # fmt: skip
def test_numbers_are_formatted_with_their_unit(value: int | None, unit: str, message: str) -> None:
    assert quantity(Number("n", "N", value, unit, "n = n", "source")) == message


def _notes(family: Family, **answers: str) -> str:
    fields = {f"application.{name}": text for name, text in answers.items()}
    pipeline = described({"family": family} | fields)
    return " ".join(code_notes(pipeline, Component.PRODUCER, Component.CONSUMER))


@pytest.mark.parametrize(("answers", "words"), [
    ({"restart": "resumes"}, "Keep your place in the input"),
    ({"processing": "synchronous"}, "hand none of them to another thread"),
    ({"processing.errors": "retry"}, "Retry a message that cannot be processed"),
    ({"commit": "in-transaction", "abort": "rewinds"}, "After an abort, seek()"),
])  # fmt: skip
def test_an_exported_file_says_what_the_code_has_to_do(answers: dict[str, str], words: str) -> None:
    name = list(answers)[-1]
    others = {
        "restart": "forgets", "processing": "asynchronous", "processing.errors": "skip",
        "abort": "continues",
    }  # fmt: skip
    fields = {"producer.transactional.id": "a"} if name == "abort" else {}
    pipeline = described(fields | {f"application.{key}": text for key, text in answers.items()})
    assert words in " ".join(code_notes(pipeline, *Component))
    other = pipeline.with_setting(Component.APPLICATION, name, others[name])
    assert words not in " ".join(code_notes(other, *Component))


def test_the_notes_ask_nothing_of_the_code_that_spark_does_itself() -> None:
    text = _notes(Family.SPARK, checkpoint="durable", sink="idempotent")
    assert "checkpointLocation" in text
    assert "spark.speculation=false" in text
    for words in ("commit its offset", "poll()", "result of every send"):
        assert words not in text
    assert "abort" not in _notes(Family.JAVA), "only where there are transactions"
