"""A run as one offline file: it loads nothing from outside, and its texts are escaped."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from labs.models import Experiment, State
from tests.labs import make

pytestmark = pytest.mark.django_db
_CLOSING = "</script><script>alert(1)</script>"


def exported(client: Client, experiment: Experiment) -> str:
    response = client.get(reverse("labs:offline", args=[experiment.slug]))
    assert response["Content-Disposition"] == (
        f'attachment; filename="delivery-lab-{experiment.slug}.html"'
    )
    return response.content.decode()


def test_the_file_loads_nothing(client: Client) -> None:
    page = exported(client, make.recorded())
    assert set(re.findall(r'\s(?:src|href|action|hx-get)="([^"#]*)', page)) <= {""}
    font_urls = re.findall(r"url\((?!#).{0,30}", page)
    assert font_urls
    assert {source.startswith('url("data:font/woff2;base64,') for source in font_urls} == {True}
    assert "@import" not in page
    assert "default-src 'none'" in page
    assert "985 of 10,000" in page


def test_text_of_a_run_cannot_close_its_script_element(client: Client) -> None:
    experiment = make.recorded()
    run = experiment.runs.get(name="described")
    run.result["fault_evidence"][0]["target"] = _CLOSING
    run.result["reason"] = _CLOSING
    run.save()
    page = exported(client, experiment)
    assert _CLOSING not in page
    assert page.count("<script") == 3


@pytest.mark.parametrize("state", [State.RUNNING, State.FAILED, State.DONE])
def test_a_run_without_a_replay_has_no_offline_file(client: Client, state: State) -> None:
    experiment = make.experiment(state)
    assert client.get(reverse("labs:offline", args=[experiment.slug])).status_code == 404
    assert "plays offline" not in client.get(experiment.get_absolute_url()).content.decode()
