"""A run says so if it counted an anomaly that the advice for its settings calls impossible."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from advisor import services as advisor
from labs.models import Experiment, State
from labs.pages.experiments.refutations import refutations
from labs.runs import planning, services
from tests.labs import make

pytestmark = pytest.mark.django_db


def done(pipeline: Any = None, **counts: int) -> Experiment:
    """A judged experiment of a description with acks=1 and these counts."""
    described = planning.parse_pipeline(services.FIRST_LOOK)
    slug = str(advisor.save(described).slug)
    experiment = make.experiment(
        State.DONE, "broken", "holds", settings=advisor.in_force(described), pipeline=slug
    )
    for run in experiment.runs.all():
        zeros = dict.fromkeys(run.result["counts"], 0)
        run.result["counts"] = zeros | counts
        run.save()
    return experiment


def test_permitted_anomalies_are_no_refutation() -> None:
    assert refutations(done(lost_write=985, unavailable_ms=900)) == ()


def test_an_anomaly_that_no_event_of_the_scenario_permits_is_a_refutation(client: Client) -> None:
    experiment = done(state_lost=3)
    # The recommended arm of this experiment has the described settings, not those that today's
    # rules recommend, so it cannot refute them.
    assert [(refutation.run.name, refutation.count) for refutation in refutations(experiment)] == [
        ("described", 3)
    ]
    page = client.get(experiment.get_absolute_url()).content.decode()
    assert "This run contradicts the advice." in page
    assert "As described: 3 keys that lost state." in page
    report = client.get(reverse("labs:report", args=[experiment.slug])).content.decode()
    assert "As described: 3 keys that lost state." in report


def test_a_run_without_a_verdict_refutes_nothing() -> None:
    experiment = done(state_lost=3)
    experiment.runs.update(verdict="unknown")
    assert refutations(experiment) == ()
