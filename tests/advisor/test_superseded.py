"""No text makes an outdated statement: FACTS 1.7 and RECIPES, "true now"."""

from __future__ import annotations

import re

import pytest

from tests.advisor.speech import phrases, plain, written
from tests.advisor.superseded import SUPERSEDED, Superseded

pytestmark = pytest.mark.wide
EACH_RULE = pytest.mark.parametrize("rule", SUPERSEDED, ids=lambda case: case.now)


@EACH_RULE
def test_the_pattern_catches_the_statement_and_lets_the_truth_pass(rule: Superseded) -> None:
    assert re.search(rule.pattern, plain(rule.caught))
    assert not re.search(rule.pattern, plain(rule.passed))
    assert not re.search(rule.pattern, plain(rule.now))


@EACH_RULE
def test_no_text_makes_the_statement(rule: Superseded) -> None:
    pattern = re.compile(rule.pattern)
    hits = [
        f"{where}: {text[max(0, hit.start() - 40):hit.end() + 40]}"
        for where, text in (*written(), *phrases()) if (hit := pattern.search(text))
    ]  # fmt: skip
    assert not hits, f"now: {rule.now} ({rule.source})\n" + "\n".join(hits)


def test_texts_of_all_places_are_searched() -> None:
    folders = {path.partition("/")[0] for path, _ in written()}
    assert {"README.md", "docs", "templates", "advisor", "labs", "config"} <= folders
    assert len(written()) > 4000
    assert len(phrases()) > 1000
