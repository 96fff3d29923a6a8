"""The shipped rows over release lines: today's rules and known bugs explain each run."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor import services as advisor
from advisor.intake.options import parse_option
from advisor.reasoning.pipeline import Pipeline
from labs.evidence.over_lines import FOLDER
from labs.management.experiment_request import ASSUMED
from labs.runs import across
from labs.runs.across import Row

FILES = pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)


def test_rows_ship_for_the_page_of_a_new_installation() -> None:
    assert len(list(FOLDER.glob("*.json"))) >= 2


@cache
def content_of(file: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return data


def pipeline(file: Path, row: dict[str, Any]) -> Pipeline:
    """The pipeline that ran in a row, according to its file."""
    request, release = content_of(file), row["release"] or row["kafka"]
    fields = {**ASSUMED, "family": request["client"], "kafka": release,
              "need.guarantee": request["want"],
              **dict(map(parse_option, request["settings"]))}  # fmt: skip
    if version := request["client_version"]:
        fields["version"] = release if version == across.SAME_AS_BROKERS else version
    described, problems = advisor.from_fields(fields)
    assert described is not None, problems
    return described if request["arms"][0] == "described" else advisor.recommended(described)


def rows(file: Path) -> list[Row]:
    return [across.from_data(row, pipeline(file, row)) for row in content_of(file)["rows"]]


@FILES
def test_each_row_states_its_release_or_why_it_was_not_run(file: Path) -> None:
    for row in rows(file):
        if row.why_not:
            assert not row.verdicts
            continue
        assert f"{row.release}.".startswith(f"{row.line}."), "of its line, or the release itself"
        assert row.verdict, f"{row.line}: a run that says nothing is not kept"
        assert row.code.keys() == {"scenario", "engine", "rules"}
        assert row.date >= "2026-11-24"


@FILES
def test_no_run_shows_an_anomaly_that_todays_rules_call_impossible(file: Path) -> None:
    for row in rows(file):
        if row.verdicts and row.pipeline:
            assert across.refuted(row.pipeline, content_of(file)["scenario"], row.seen) == ()
            if row.verdict == "broken":
                assert across.permitted(row.pipeline, content_of(file)["scenario"]), row.line
                assert row.seen, "what breaks a guarantee is counted"


@FILES
def test_the_file_explains_each_change_by_the_rule_or_bug_that_todays_code_names(
    file: Path,
) -> None:
    changes = across.changes(rows(file), content_of(file)["scenario"])
    for change in changes:
        assert change.rules or change.bugs or change.came, (
            f"{change.before} to {change.after}: by chance?"
        )
    expected = json.loads(json.dumps(across.as_data((), changes)["changes"]))
    assert content_of(file)["changes"] == expected, (
        "keep the rows again: the rules say it otherwise"
    )


@FILES
def test_every_line_holds_after_the_one_from_which_a_rule_permits_nothing(file: Path) -> None:
    """A run may hold by chance if harm is permitted. It has to hold if none is."""
    for row in rows(file):
        scenario = content_of(file)["scenario"]
        if row.verdicts and row.pipeline and not across.permitted(row.pipeline, scenario):
            assert row.verdict == "holds", row.line
