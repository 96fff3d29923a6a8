"""A short calibration: both sides of a boundary of the model on real brokers, and its page."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from labs.models import Trial

pytestmark = [
    pytest.mark.thorough, pytest.mark.whole, pytest.mark.spark, pytest.mark.timeout(400),
    pytest.mark.django_db(transaction=True),
]  # fmt: skip

EVENT = "unclean-election"


def test_both_sides_of_a_boundary_run_and_nothing_impossible_is_seen(client: Client) -> None:
    call_command("calibrate", "--event", EVENT, "--most", "1")
    (trial,) = Trial.objects.all()
    assert {run.verdict for run in trial.experiment.runs.all()} <= {"holds", "broken"}
    page = client.get(reverse("labs:evidence")).content.decode()
    runs = client.get(reverse("labs:evidence-failure", args=[EVENT])).content.decode()
    assert f"{trial.setting}=" in runs
    assert trial.experiment.get_absolute_url() in runs
    assert "Called impossible, and seen" not in page
