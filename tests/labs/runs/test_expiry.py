"""What expires, and what stays."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.utils import timezone

from advisor.models import Description
from labs.models import Attempt, Experiment, GivenUp, Progress, State
from labs.runs.expiry import forget
from tests.labs import make

pytestmark = pytest.mark.django_db
OLD = timezone.now() - timedelta(days=366)


def _described(slug: str, created: object = OLD) -> None:
    Description.objects.create(slug=slug, data={}, rules_version="8")
    Description.objects.filter(slug=slug).update(created=created)


def test_old_descriptions_without_an_experiment_are_deleted() -> None:
    for slug, created in (("lone", OLD), ("used", OLD), ("new", timezone.now())):
        _described(slug, created)
    make.experiment(State.DONE, "holds", "holds")
    Experiment.objects.update(pipeline="used")
    assert forget()["descriptions"] == 1
    assert {*Description.objects.values_list("slug", flat=True)} == {"used", "new"}


def test_a_visitors_run_without_a_result_is_deleted_with_its_folder_and_evidence_stays() -> None:
    remaining = [make.experiment(State.DONE, "holds", "holds"), make.experiment(State.FAILED)]
    deleted = make.experiment(State.CANCELLED)
    Experiment.objects.update(ended_at=OLD, visitor="v", address="a")
    Experiment.objects.filter(pk=remaining[1].pk).update(visitor="")
    folder = Path(settings.LAB_RUNS_DIR) / deleted.slug
    folder.mkdir(parents=True)
    assert forget()["experiments"] == 1
    assert {*Experiment.objects.values_list("pk", flat=True)} == {
        experiment.pk for experiment in remaining
    }
    assert not folder.exists()
    assert not Experiment.objects.exclude(address="").exists()


def test_progress_is_deleted_with_its_session(client: Client) -> None:
    client.post("/describe/start-over/")
    for key in (str(client.session.session_key), "gone"):
        Progress.objects.create(visitor=key, lesson="a")
        GivenUp.objects.create(visitor=key, challenge="a")
    GivenUp.objects.create(visitor="@17", challenge="a")
    assert forget()["progress"] == 1
    assert Progress.objects.get().visitor == client.session.session_key
    left = GivenUp.objects.values_list("visitor", flat=True)
    assert {*left} == {client.session.session_key, "@17"}


def test_an_attempt_is_deleted_with_its_session_unless_it_has_a_result(client: Client) -> None:
    client.post("/describe/start-over/")
    own_key, done = str(client.session.session_key), make.experiment(State.DONE, "holds", "holds")
    tries = [
        (own_key, None),
        ("gone", None),
        ("gone", make.experiment(State.FAILED)),
        ("gone", done),
    ]
    attempts = [
        Attempt.objects.create(visitor=key, challenge="a", experiment=run)
        for key, run in tries
    ]  # fmt: skip
    forget()
    left = {attempt.pk: attempt.visitor for attempt in Attempt.objects.all()}
    assert left == {attempts[0].pk: own_key, attempts[3].pk: ""}


def test_nothing_is_deleted_where_the_operator_keeps_all() -> None:
    _described("lone")
    with override_settings(LAB_KEEP_DAYS=0):
        assert forget()["descriptions"] == 0
