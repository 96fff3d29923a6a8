"""What `experiment --across --keep` writes: rows that are merged and judged by today's rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from advisor.management.exact import BAD_INPUT
from labs.engine.plan.spec import ExperimentSpec
from labs.evidence import over_lines
from labs.management.commands import experiment
from labs.management.commands.experiment import Command
from labs.runs import across

SCENARIO = "leader-disk-lost"
TWO_COPIES = ("producer.acks=all", "topic.min.insync.replicas=2")


@pytest.fixture(autouse=True)
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The releases that ran. Those before 4.1 lose seven messages."""
    releases: list[str] = []

    def run_once(_: Command, spec: ExperimentSpec) -> dict[str, Any]:
        releases.append(spec.kafka)
        is_weak = spec.kafka < "4.1"
        counts = {"lost_write": 7 if is_weak else 0, "redelivery": 3, "effect_missing": None}
        verdict = "broken" if is_weak else "holds"
        return {"arms": [{"name": "described", "verdict": verdict, "counts": counts}]}

    @contextmanager
    def bench(_: str) -> Iterator[tuple[Path, Path]]:
        yield Path(), Path()

    monkeypatch.setattr(Command, "run_once", run_once)
    monkeypatch.setattr(experiment, "bench", bench)
    over_lines.rows.cache_clear()
    yield releases
    over_lines.rows.cache_clear()


def keep(file: Path, lines: str, *stated: str, seed: int = 7) -> dict[str, Any]:
    settings = [argument for setting in stated or TWO_COPIES for argument in ("--set", setting)]
    call_command(
        "experiment", "--scenario", SCENARIO, "--across", lines, "--arms", "described",
        "--seed", str(seed), "--keep", str(file), *settings,
    )  # fmt: skip
    data: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return data


def test_rows_of_several_calls_are_merged_by_line_and_newer_rows_replace_older_ones(
    tmp_path: Path, runs: list[str]
) -> None:
    file = tmp_path / "rows.json"
    assert not keep(file, "3.3,3.9")["changes"]
    kept = keep(file, "3.9,4.3")
    assert [row["kafka"] for row in kept["rows"]] == ["3.3", "3.9", "4.3"]
    assert len(runs) == 4
    [change] = kept["changes"]
    assert (change["before"], change["after"]) == ("3.9", "4.3")
    assert any("KIP-966" in rule for rule in change["rules"])
    # 3.9.0 has KAFKA-18991, but the release of this line that runs here does not.
    assert change["bugs"] == []


def test_a_row_states_counts_release_date_and_fingerprint(tmp_path: Path) -> None:
    first, last = keep(tmp_path / "rows.json", "3.9,4.3")["rows"]
    assert first["seen"] == {"lost_write": 7}
    assert last["seen"] == {}
    assert first["release"].startswith("3.9.")
    assert first["date"].startswith("20")
    assert first["code"].keys() == {"scenario", "engine", "rules"}


def test_the_page_reads_the_kept_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path / "rows.json", "2.8,3.9,4.3")
    monkeypatch.setattr(over_lines, "FOLDER", tmp_path)
    row = next(iter(over_lines.rows(tmp_path / "none.jsonl")))
    assert [cell.verdict for cell in row.cells] == ["broken", "broken", "holds"]
    assert [cell.zookeeper for cell in row.cells] == [True, False, False]
    assert row.cells[0].seen == ("lost_write",)
    assert row.settings == (*TWO_COPIES, "client=java")
    assert "Kafka 2.8.2" in row.cells[0].run


@pytest.mark.parametrize(("stated", "seed", "names"), [
    (("producer.acks=1",), 7, "settings"), (TWO_COPIES, 8, "seed"),
])  # fmt: skip
def test_rows_of_another_question_are_refused_and_the_file_is_unchanged(
    tmp_path: Path, runs: list[str], stated: tuple[str, ...], seed: int, names: str
) -> None:
    file = tmp_path / "rows.json"
    keep(file, "3.9,4.3")
    before = file.read_bytes()
    with pytest.raises(CommandError, match=f"rows.json: nothing was kept: it has rows with {names}"
                       ) as refused:  # fmt: skip
        keep(file, "3.9,4.3", *stated, seed=seed)
    assert refused.value.returncode == BAD_INPUT
    assert file.read_bytes() == before
    assert len(runs) == 2, "nothing is run whose rows cannot be kept"


@pytest.mark.parametrize("text", ["{", "[]", '{"rows": [{"kafka": "3.9"}]}'])
def test_a_file_without_rows_is_refused_and_unchanged(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rows.json"
    file.write_text(text, "utf-8")
    with pytest.raises(CommandError, match="nothing was kept"):
        keep(file, "3.9,4.3")
    assert file.read_text("utf-8") == text


def test_a_row_with_all_its_fields_is_read_back_unchanged() -> None:
    row = across.Row(
        "3.9", {"described": "broken"}, None, ("lost_write",), ("diverged",), "", True,
        {"lost_write": 7}, "3.9.2", "2026-11-24", {"engine": "0123"},
    )  # fmt: skip
    [data] = across.as_data([row], ())["rows"]
    assert across.from_data(json.loads(json.dumps(data)), None) == row


def test_a_line_that_fails_leaves_the_earlier_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, run = tmp_path / "rows.json", Command.run_once

    def fail_on_the_last(self: Command, spec: ExperimentSpec) -> dict[str, Any]:
        if spec.kafka.startswith("4.3"):
            raise KeyboardInterrupt
        return run(self, spec)

    monkeypatch.setattr(Command, "run_once", fail_on_the_last)
    with pytest.raises(CommandError, match="interrupted"):
        keep(file, "3.3,3.9,4.3")
    kept = json.loads(file.read_text("utf-8"))
    assert [row["kafka"] for row in kept["rows"]] == ["3.3", "3.9"]
