"""Error pages look like the site and say what to do."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.defaults import server_error

from advisor.questions import drafts

pytestmark = pytest.mark.django_db


def test_an_unknown_address_has_a_404_page(client: Client) -> None:
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    html = response.content.decode()
    assert "There is nothing at this address" in html
    assert reverse("advisor:start") in html


def test_a_bad_request_has_a_400_page(client: Client) -> None:
    response = client.get("/describe/client/", headers={"host": "not-ours.example"})
    assert response.status_code == 400
    html = response.content.decode()
    assert "This request was not understood" in html
    assert reverse("advisor:start") in html


def test_a_form_without_its_csrf_token_has_a_403_page() -> None:
    strict = Client(enforce_csrf_checks=True)
    response = strict.post(reverse("advisor:describe", args=["client"]), {"family": "java"})
    assert response.status_code == 403
    assert "The form was not accepted" in response.content.decode()


def test_the_500_page_needs_no_context() -> None:
    response = server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    html = response.content.decode()
    assert "This is our error, not yours" in html
    assert "{%" not in html
    assert "{#" not in html


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/x-www-form-urlencoded; charset=utf-16", 415),
        ("text/html; charset=utf-16", 415),
        ("multipart/form-data; boundary=x; charset=utf-7", 415),
        ("multipart/form-data", 400),
        ('multipart/form-data; boundary=""', 400),
        ("multipart/form-data; boundary=é", 400),
        ("MULTIPART/FORM-DATA; boundary=" + 300 * "x", 400),
    ],
)
@pytest.mark.parametrize("path", ["/describe/from-files/", "/", "/nowhere/"])
def test_an_unreadable_body_is_refused_with_a_page(path, content_type, status) -> None:
    strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
    response = strict.generic("POST", path, b"\xff\xfea", content_type=content_type)
    assert response.status_code == status
    assert "This request was not understood" in response.content.decode()
    assert response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/describe/client/", "/describe/from-files/"])
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_are_not_allowed(path: str, method: str) -> None:
    strict = Client(
        enforce_csrf_checks=True
    )  # refused because of the method, not of the missing token
    assert strict.generic(method, path).status_code == 405


def test_only_an_answer_starts_a_session(client: Client) -> None:
    for path in ("/", "/describe/client/", "/describe/from-files/", "/learn/", "/experiments/"):
        client.get(path)
    assert Session.objects.count() == 0
    card = reverse("advisor:card", args=["producer"])
    client.post(card, {"producer.acks": "1", "stamp": ""})
    assert Session.objects.count() == 1
    assert drafts.load(client.session).fields == {"producer.acks": "1"}
    assert client.cookies["sessionid"]["max-age"] == 30 * 24 * 3600
