"""Following `docs/contributing/lab.md` alone produces a working lab."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor import services as advisor
from labs.evidence.lesson_proofs import ROLES, arms_by_role
from labs.lessons import Lesson
from labs.lessons.loading import load
from tests.house.files import ROOT

RECIPE = (ROOT / "docs/contributing/lab.md").read_text("utf-8")
FILES = re.compile(r"^### `(\S+)`$.*?^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    """The lab of the recipe, written to a scratch folder."""
    named = re.search(r"`labs/lessons/(\S+)`\. It has", RECIPE)
    assert named is not None
    folder = tmp_path / named[1]
    folder.mkdir()
    for name, text in FILES.findall(RECIPE):
        (folder / name).write_text(text, "utf-8")
    return load(folder)


def test_the_recipe_makes_a_lab_with_all_its_texts(lesson: Lesson) -> None:
    assert f"--verify {lesson.name} " in RECIPE
    assert f"--scenario {lesson.scenario} " in RECIPE
    assert "<svg" in lesson.story.plain()
    judged = lesson.explain.html(lambda arm: arm == "ignores", lambda arm, count: f"[{count}]")
    assert "[given_up] messages were given up by the client" in judged
    assert "[given_up] messages are missing" in judged


def test_the_advisor_confirms_the_settings_of_the_recipe(lesson: Lesson) -> None:
    for role, arm in arms_by_role(lesson).items():
        pipeline, problems = advisor.from_fields(arm.fields)
        assert pipeline is not None, (role, problems)
        permitted = {
            anomaly
            for failure in advisor.advise(pipeline)["failures"]
            if failure["scenario"] == lesson.scenario
            for anomaly in failure["permits"]
        }
        assert (lesson.symptom.anomaly in permitted) is ROLES[role], role
