"""Any settings of the catalog, in any version, get an answer and never a traceback."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from advisor import services
from advisor.pages import presentation
from advisor.reasoning.levers import ALL
from advisor.reports.text import report
from tests.advisor.pipelines import anything

pytestmark = pytest.mark.wide

WHOLE_SPACE = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)


@given(anything())
@WHOLE_SPACE
def test_every_pipeline_has_an_advice_a_report_and_a_page(pipeline):
    answer = services.answer(pipeline)
    advice = services.to_json(answer)

    assert json.loads(json.dumps(advice)) == advice
    assert all(answer for failure in advice["failures"] for answer in failure["permits"].values())
    assert report(answer)
    assert presentation.advice(answer)


def test_every_lever_says_how_to_apply_and_verify_it():
    for lever in ALL:
        assert lever.procedure.how.endswith("."), lever.setting
        assert lever.procedure.verify.endswith("."), lever.setting
    settings_with_a_lever = {lever.setting for lever in ALL}
    assert all(set(lever.procedure.after) <= settings_with_a_lever for lever in ALL)
