"""Goes through the questionnaire like a browser without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.test import Client
from django.urls import reverse

from advisor.catalog import Family
from advisor.questions.questionnaire import steps

RISKY = {"producer.acks": "1"}


def answer(client: Client, step: str, fields: Mapping[str, str] | None = None) -> Any:
    """Submits the form of a step."""
    return client.post(reverse("advisor:describe", args=[step]), dict(fields or {}))


def page(client: Client, step: str) -> str:
    return client.get(reverse("advisor:describe", args=[step])).content.decode()


def stamp(client: Client, step: str) -> str:
    """The stamp in the page of a step. Typed values are kept only with it."""
    match = re.search(r'name="stamp" value="(\w*)"', page(client, step))
    assert match
    return match[1]


def type_in(client: Client, step: str, fields: Mapping[str, str], stamped: str) -> str:
    """Requests the card for typed values, as htmx does, without submitting the form."""
    url = reverse("advisor:card", args=[step])
    return client.post(url, {**fields, "stamp": stamped}).content.decode()


def walk(client: Client, /, **answers: Mapping[str, str]) -> str:
    """Answers all steps for the client. Returns the slug of the saved pipeline."""
    response = None
    for step in steps(Family(answers.get("client", {}).get("family", "java"))):
        response = answer(client, step.slug, answers.get(step.slug, {}))
        assert response.status_code == 302, response.content.decode()
    assert response is not None
    location: str = response.headers["Location"]
    return location.rstrip("/").rsplit("/", 1)[-1]
