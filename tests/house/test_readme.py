"""What the README counts is what there is."""

from __future__ import annotations

from advisor.advisories import advisories
from advisor.reasoning.failures import all_events
from labs.engine.scenarios import all_scenarios
from tests.house.files import ROOT


def test_the_readme_counts_failures_as_the_code_does() -> None:
    told = (ROOT / "README.md").read_text("utf-8")
    assert f"{len(all_events())} failure events" in told
    assert f"by {len(all_scenarios())} scenarios" in told
    assert {event.scenario for event in all_events()} == {each.name for each in all_scenarios()}


def test_the_readme_counts_known_bugs_as_there_are_files() -> None:
    assert f"{len(advisories())} bugs of Kafka" in (ROOT / "README.md").read_text("utf-8")
