"""The pages for what goes wrong look like the site and say what to do."""

from __future__ import annotations

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.defaults import server_error

pytestmark = pytest.mark.django_db


def test_a_page_that_is_not_there(client: Client) -> None:
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    html = response.content.decode()
    assert "There is nothing at this address" in html
    assert reverse("advisor:start") in html


def test_a_request_that_is_not_understood(client: Client) -> None:
    response = client.get("/describe/client/", headers={"host": "not-ours.example"})
    assert response.status_code == 400
    assert "This request was not understood" in response.content.decode()


def test_a_form_without_its_token_gets_a_page_that_says_what_to_do() -> None:
    strict = Client(enforce_csrf_checks=True)
    response = strict.post(reverse("advisor:describe", args=["client"]), {"family": "java"})
    assert response.status_code == 403
    assert "The form was not taken" in response.content.decode()


def test_our_own_error_has_a_page_that_needs_no_context() -> None:
    response = server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    html = response.content.decode()
    assert "This is our error, not yours" in html
    assert "{%" not in html
    assert "{#" not in html
