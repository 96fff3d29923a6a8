"""Reading a page writes nothing to the database: no page fails because a disk is full."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.test import Client
from django.urls import reverse

from advisor.models import Description
from labs.models import Experiment
from tests.addresses import addresses

pytestmark = pytest.mark.django_db

LESSON = "what-an-acknowledgement-means"
READS = ("SELECT", "SAVEPOINT", "RELEASE", "ROLLBACK")


def refuse(execute, sql, params, many, context):
    """Raises the error of a database whose disk is full."""
    if not sql.lstrip().upper().startswith(READS):
        raise OperationalError(f"database or disk is full: {sql}")
    return execute(sql, params, many, context)


def visitor_with_session() -> Client:
    """A visitor with a draft, progress in a lesson, and a message to show."""
    client = Client(raise_request_exception=False)
    client.post(reverse("advisor:card", args=["producer"]), {"producer.acks": "1", "stamp": ""})
    client.post(reverse("labs:lesson", args=[LESSON, "story"]), {"to": "next"})
    others_experiment = Experiment.objects.filter(state="queued")[0]
    client.post(reverse("labs:cancel", args=[others_experiment.slug]))
    assert {"sessionid", "messages"} <= client.cookies.keys()
    return client


def new_visitor() -> Client:
    return Client(raise_request_exception=False)


def visitor_without_session() -> Client:
    client = visitor_with_session()
    Session.objects.all().delete()
    return client


@pytest.mark.wide
@pytest.mark.parametrize(
    ("visitor", "htmx"),
    [(new_visitor, False), (visitor_with_session, True), (visitor_without_session, False)],
)
def test_every_page_can_be_read_while_the_database_refuses_writes(visitor, htmx) -> None:
    requests = addresses()
    client = visitor()
    pipeline = Description.objects.get().slug
    scenario = f"?pipeline={pipeline}&scenario=leader-killed-followers-behind"
    requests.append(("labs:conditions", reverse("labs:conditions") + scenario))
    headers = {"HX-Request": "true"} if htmx else {}
    with connection.execute_wrapper(refuse):
        rows = [(client.get(address, headers=headers).status_code, name, address)
                for name, address in requests]  # fmt: skip
    assert [row for row in rows if row[0] >= 500] == []
    assert {name for status, name, _ in rows if status in (200, 286, 302)} >= {
        "labs:home", "labs:experiment", "labs:ledger", "labs:report", "labs:replay",
        "advisor:advice", "advisor:archive", "advisor:describe", "reference:rule", "labs:lesson",
    }  # fmt: skip


def test_a_failed_write_is_reported_with_the_request_to_try_again() -> None:
    client = Client(raise_request_exception=False)
    with connection.execute_wrapper(refuse):
        for address in (reverse("advisor:start-over"), reverse("labs:start")):
            answer = client.post(address)
            assert answer.status_code == 503
            assert "could not be saved" in answer.content.decode()
            assert answer.headers["Retry-After"]
            assert answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("kind", [OperationalError, DatabaseError])
def test_an_unreadable_database_is_reported_as_unavailable(kind: type[Exception]) -> None:
    def fail(*_: object) -> None:
        raise kind("file is not a database: /somewhere/lab.db")

    client = Client(raise_request_exception=False)
    with connection.execute_wrapper(fail):
        answer = client.get(reverse("labs:experiments"))
    assert answer.status_code == 503
    page = answer.content.decode()
    assert "cannot be read" in page
    assert "/somewhere" not in page


def test_a_programming_error_is_not_blamed_on_the_database() -> None:
    def fail(*_: object) -> None:
        raise ProgrammingError("syntax error at SELECT")

    client = Client(raise_request_exception=False)
    with connection.execute_wrapper(fail):
        assert client.get(reverse("labs:experiments")).status_code == 500
