"""A run that loses messages although the advice calls it safe: its page says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pyspark.sql import SparkSession

from labs.models import Experiment, State
from labs.runs import lifecycle, queue, services
from labs.runs.recording import Recorder
from spark_jobs.judging import judge
from tests.engine import histories
from tests.labs import make

pytestmark = pytest.mark.django_db

OWNER = "the test"


@pytest.fixture(autouse=True)
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test is the worker."""
    monkeypatch.setattr(queue, "nudge", lambda *_: False)


def run(experiment: Experiment, answers: dict[str, dict[str, Any]]) -> Experiment:
    """Claims an experiment, records these answers for its arms, and finishes it."""
    claimed = lifecycle.claim(experiment.slug, experiment.attempt, OWNER)
    assert claimed
    recorder = Recorder(claimed, OWNER)
    for name, answer in answers.items():
        result = make.result() | {"name": name, **answer}
        recorder.take({"event": "arm", "arm": name, "result": result})
    assert lifecycle.finish(experiment.slug, OWNER, State.DONE)
    return Experiment.objects.get(pk=experiment.pk)


def test_a_loss_with_the_recommended_settings_contradicts_the_advice(
    client: Client, spark: SparkSession, tmp_path: Path
) -> None:
    ledger = histories.lost_at_the_end_of_a_log(tmp_path)
    judged = judge(spark, ledger, "at-least-once", None)
    assert (judged["verdict"], judged["counts"]["lost_write"]) == ("broken", 4)
    experiment = run(services.start_first_look(), {"described": judged, "recommended": judged})
    page = client.get(experiment.get_absolute_url()).content.decode()
    banner = page.partition('id="refuted"')[2].partition("</div>")[0]
    assert "This run contradicts the advice." in banner
    assert "<li>As recommended: 4 acknowledged and gone.</li>" in banner
    assert "As described: 4 " not in banner, "with acks=1 the advice says that it may happen"
    assert reverse("labs:report", args=[experiment.slug]) in banner
    report = client.get(reverse("labs:report", args=[experiment.slug])).content.decode()
    assert "As recommended: 4 " in report
