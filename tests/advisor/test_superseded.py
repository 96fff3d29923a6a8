"""Nothing says what is no longer true: FACTS 1.7 and RECIPES, "true now"."""

from __future__ import annotations

import re

import pytest

from tests.advisor.speech import phrases, plain, written
from tests.advisor.superseded import SUPERSEDED, Superseded

pytestmark = pytest.mark.wide
EACH = pytest.mark.parametrize("rule", SUPERSEDED, ids=lambda case: case.now)


@EACH
def test_the_pattern_catches_the_statement_and_lets_the_truth_pass(rule: Superseded) -> None:
    assert re.search(rule.pattern, plain(rule.caught))
    assert not re.search(rule.pattern, plain(rule.passed))
    assert not re.search(rule.pattern, plain(rule.now))


@EACH
def test_no_text_says_it(rule: Superseded) -> None:
    pattern = re.compile(rule.pattern)
    hits = [
        f"{where}: {text[max(0, hit.start() - 40):hit.end() + 40]}"
        for where, text in (*written(), *phrases()) if (hit := pattern.search(text))
    ]  # fmt: skip
    assert not hits, f"now: {rule.now} ({rule.source})\n" + "\n".join(hits)


def test_the_texts_are_all_there() -> None:
    where = {place.partition("/")[0] for place, _ in written()}
    assert {"README.md", "docs", "templates", "advisor", "labs", "config"} <= where
    assert len(written()) > 4000
    assert len(phrases()) > 1000
