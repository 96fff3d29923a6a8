"""Every address of the site: its methods, permissions, and limits of size and rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory, override_settings
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse

from advisor.catalog import Component, Family, settings_of
from advisor.models import Description
from config import exposure, limits, operators
from labs.models import Experiment, State
from tests.addresses import FIELDS, addresses
from tests.labs import make

pytestmark = [pytest.mark.django_db, pytest.mark.wide]

READ, WRITE, BOTH = {"GET", "HEAD"}, {"POST"}, {"GET", "HEAD", "POST"}
METHODS = {
    "advisor:start": READ, "advisor:start-over": WRITE, "advisor:undo": WRITE,
    "advisor:intake": BOTH, "advisor:intake-use": WRITE, "advisor:live": WRITE,
    "advisor:describe": BOTH, "advisor:card": WRITE, "advisor:advice": READ,
    "advisor:edit": WRITE, "advisor:compared": READ, "advisor:newer": READ,
    "advisor:renew": WRITE, "advisor:export": READ, "advisor:archive": READ,
    "advisor:report": READ, "advisor:reasons": READ, "advisor:in-force": READ,
    "reference:index": READ, "reference:failure": READ, "reference:rule": READ,
    "reference:setting": READ,
    "advisories:index": READ, "advisories:page": READ,
    "login": BOTH, "logout": WRITE,
    "labs:home": READ, "labs:experiments": READ, "labs:start": WRITE,
    "labs:conditions": READ, "labs:experiment": READ, "labs:live": READ,
    "labs:cancel": WRITE, "labs:again": WRITE, "labs:ledger": READ, "labs:evidence": READ,
    "labs:evidence-failure": READ,
    "labs:ledger-lines": READ, "labs:report": READ, "labs:compare": READ,
    "labs:repetitions": READ, "labs:repeat": WRITE, "labs:replay": READ,
    "labs:answer-picture": READ, "labs:offline": READ, "labs:picture": READ,
    "labs:message": READ, "labs:lessons": READ, "labs:lesson-live": READ,
    "labs:lesson-turn-live": READ, "labs:scenarios": READ,
    "labs:lines": READ, "labs:series": READ, "labs:series-live": READ,
    "labs:series-start": WRITE, "labs:series-cancel": WRITE, "labs:series-go-on": WRITE,
    "labs:lesson-resume": READ,
    "labs:recorded": READ, "labs:incidents": READ, "labs:incident": READ,
    "labs:incident-start": WRITE, "labs:incident-play": READ, "labs:incident-live": READ,
    "labs:scenario-start": WRITE,
    "labs:toy": READ, "labs:toy-states": READ, "labs:toy-start": WRITE,
    "labs:class": READ, "labs:class-open": WRITE, "labs:class-join": WRITE,
    "labs:class-room": READ, "labs:class-live": READ, "labs:class-seats": READ,
    "labs:class-predict": WRITE, "labs:class-answer": WRITE, "labs:class-forward": WRITE,
    "labs:class-run": WRITE, "labs:class-close": WRITE, "labs:class-remove": WRITE,
    "labs:class-export": READ,
    "concepts:index": READ, "concepts:concept": READ,
    "labs:challenges": READ, "labs:challenge": BOTH, "labs:challenge-live": READ,
    "labs:challenge-answer": WRITE, "labs:challenge-give-up": WRITE,
    "labs:challenge-evidence": READ, "labs:challenge-result": READ,
    "labs:account": READ, "labs:sign-in": BOTH, "labs:sign-up": BOTH, "labs:sign-out": WRITE,
    "labs:account-password": WRITE, "labs:account-remove": WRITE,
    "labs:lesson-reset": WRITE, "labs:lesson-undo": WRITE, "labs:lesson": BOTH,
    "labs:lesson-review": BOTH,
}  # fmt: skip
"""Anybody may send these requests. Only its owner or an operator may cancel a run: see below."""
KWARGS = {
    "step": "client",
    "slug": "nosuch22",
    "name": "nosuch",
    "code": "nosuch",
    "arm": "described",
    "product": "nosuch",
    "component": "producer",
    "part": "dump",
}
PRODUCER_SETTINGS = [
    setting.name for setting in settings_of(Family.JAVA, "4.3", "4.3", Component.PRODUCER)
]
POSTED = sorted(name for name, methods in METHODS.items() if "POST" in methods)


def _names(resolver: URLResolver, space: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _names(pattern, f"{pattern.namespace}:" if pattern.namespace else space)
        else:
            yield f"{space}{pattern.name}", pattern


def _step(name: str) -> str:
    return str(resolve(_address(name)).kwargs.get("step", ""))


def _address(name: str) -> str:
    pattern = dict(_names(get_resolver()))[name]
    kwargs = {converter: KWARGS[converter] for converter in pattern.pattern.converters}
    if name.startswith("labs:lesson") and name not in ("labs:lessons", "labs:lesson-review"):
        kwargs |= {"name": "what-an-acknowledgement-means"}
        kwargs |= {"step": "story"} if "step" in kwargs else {}
    return reverse(name, kwargs=kwargs)


def test_the_table_has_every_address() -> None:
    assert {name for name, _ in _names(get_resolver())} == METHODS.keys()
    assert {name.partition("/")[0] for name in settings.LAB_LIMITED} <= METHODS.keys()


def test_every_other_method_is_refused(client: Client) -> None:
    for name, methods in METHODS.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - methods:
            assert client.generic(method, _address(name)).status_code == 405, (name, method)


def test_opening_the_address_of_a_form_leads_to_a_page(client: Client) -> None:
    answer = client.get(_address("labs:start"))
    assert answer.headers["Allow"] == "POST"
    assert "There is no page at this address" in answer.content.decode()


def test_requests_from_another_site_are_refused() -> None:
    stranger = Client(enforce_csrf_checks=True, raise_request_exception=False)
    for name in POSTED:
        assert stranger.post(_address(name), {"a": "b"}).status_code == 403, name


def test_requests_that_are_too_large_are_refused() -> None:
    stranger = Client(enforce_csrf_checks=True)
    body = {"a": "b" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)}
    for name in POSTED:
        assert stranger.post(_address(name), body).status_code in (400, 403), name


@pytest.mark.parametrize("name", POSTED)
@pytest.mark.parametrize("subject", ["visitor", "address"])
def test_more_than_the_limit_is_refused_until_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch, name: str, subject: str
) -> None:
    if name in ("logout", "labs:sign-out") and subject == "visitor":
        return  # it ends the session by which requests are counted
    now = [1000.0]
    monkeypatch.setattr(limits, "COUNTERS", limits.Counters(clock=lambda: now[0]))
    allowed = (2, 9) if subject == "visitor" else (9, 2)
    kind = limits.request_kind(name, _step(name))
    client, address = Client(), _address(name)
    client.post(reverse("advisor:start-over"))  # starts a session
    monkeypatch.setattr(limits, "COUNTERS", limits.Counters(clock=lambda: now[0]))
    limit = settings.LAB_LIMITS | {kind: (*allowed, 60)}
    with override_settings(LAB_LIMITS=limit):
        first = [client.post(address).status_code for _ in range(2)]
        refused = client.post(address)
        other = Client() if subject == "visitor" else Client(REMOTE_ADDR="10.0.0.9")
        assert other.post(address).status_code != 429
        now[0] += 61
        assert client.post(address).status_code != 429
    assert 429 not in first
    assert refused.status_code == 429
    assert "Wait up to" in refused.content.decode()
    assert refused["Retry-After"] == "60"
    assert "Too many requests" in refused.content.decode()


@pytest.mark.parametrize("name", sorted(settings.LAB_LIMITED_PAGES))
def test_expensive_pages_are_rate_limited(
    monkeypatch: pytest.MonkeyPatch, client: Client, name: str
) -> None:
    monkeypatch.setattr(limits, "COUNTERS", limits.Counters())
    limit = settings.LAB_LIMITS | {limits.request_kind(name): (9, 2, 3600)}
    with override_settings(LAB_LIMITS=limit):
        codes = [client.get(_address(name)).status_code for _ in range(3)]
        other = Client(REMOTE_ADDR="10.0.0.9").get(_address(name)).status_code
    assert (codes.count(429), codes[-1]) == (1, 429)
    assert other != 429
    assert METHODS[name] == READ


def test_requests_that_add_a_run_or_a_description_are_counted_as_such(client: Client) -> None:
    draft = {"draft": {"fields": FIELDS, "done": []}, "draft_stamp": ""}
    body = {"choice": "both", "side": "affected", "acks": "1", "min_isr": "1"}
    names_that_add = set()
    for name, address in [*addresses(), ("advisor:describe", _describe_address("needs"))]:
        if name not in POSTED:
            continue
        session = client.session
        session.update(draft)
        session.save()
        before = Experiment.objects.count(), Description.objects.count()
        with override_settings(LAB_QUEUE={"all": 999, "visitor": 999, "address": 999}):
            client.post(address, body)
        kind = limits.request_kind(name, str(resolve(address).kwargs.get("step", "")))
        if (Experiment.objects.count(), Description.objects.count()) != before:
            names_that_add.add(name)
        if Experiment.objects.count() != before[0]:
            assert kind == "starts", address
        elif Description.objects.count() != before[1]:
            assert kind in ("saves", "starts"), address
    assert names_that_add >= {"labs:scenario-start", "labs:start", "labs:again"}


def _describe_address(step: str) -> str:
    return reverse("advisor:describe", args=[step])


@pytest.mark.parametrize("field", ["page", "shown", "stamp", "producer.acks", "to"])
def test_a_session_stays_small_whatever_is_entered(client: Client, field: str) -> None:
    long_text = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(300_000))
    client.post(
        reverse("advisor:card", args=["producer"]), {"producer.retries": "2", field: long_text}
    )
    client.post(reverse("advisor:describe", args=["producer"]), {field: long_text})
    all_fields = {
        f"producer.{name}": long_text[place:] for place, name in enumerate(PRODUCER_SETTINGS)
    }
    client.post(reverse("advisor:intake-use"), all_fields)
    client.post(reverse("advisor:start-over"))
    client.post(reverse("advisor:intake-use"), all_fields)
    assert max(len(row.session_data) for row in Session.objects.all()) < 80_000


def test_new_sessions_of_an_address_are_limited_and_a_forged_cookie_is_no_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "COUNTERS", limits.Counters(clock=lambda: 1000.0))
    begin, known = reverse("advisor:start-over"), Client()
    with override_settings(LAB_LIMITS=settings.LAB_LIMITS | {"sessions": (3, 3, 3600)}):
        statuses = [known.post(begin).status_code]
        for number in range(3):
            forged = Client()
            forged.cookies[settings.SESSION_COOKIE_NAME] = f"x{number}" * 16
            statuses.append(forged.post(begin).status_code)
        assert statuses == [302, 302, 302, 429]
        assert known.post(begin).status_code == 302
        assert Client(REMOTE_ADDR="10.0.0.9").post(begin).status_code == 302
        assert Client().get("/").status_code == 200


@pytest.mark.parametrize(
    ("peer", "forwarded", "seen"),
    [
        ("10.0.0.1", "6.6.6.6", "10.0.0.1"),
        ("10.9.0.1", "6.6.6.6", "6.6.6.6"),
        ("10.9.0.1", "1.2.3.4, 6.6.6.6, 10.9.0.2", "6.6.6.6"),
        ("10.9.0.1", "6.6.6.6, nonsense", "10.9.0.1"),
        ("10.9.0.1", "", "10.9.0.1"),
        ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
    ],
)
def test_only_a_trusted_proxy_is_believed(peer: str, forwarded: str, seen: str) -> None:
    import ipaddress

    request = RequestFactory().get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR=forwarded)
    with override_settings(LAB_TRUSTED_PROXIES=[ipaddress.ip_network("10.9.0.0/16")]):
        limits.AddressMiddleware(lambda _: None)(request)  # type: ignore[arg-type,return-value]
    assert request.META["REMOTE_ADDR"] == seen


def test_counters_do_not_grow_without_limit() -> None:
    now = [0.0]
    counters = limits.Counters(clock=lambda: now[0])
    for number in range(limits.MOST_COUNTERS + 10):
        counters.count("writes", str(number), 60)
        now[0] += 0.01
    assert len(counters) <= limits.MOST_COUNTERS


def _log_in(client: Client, password: str) -> Any:
    return client.post(reverse("login"), {"username": operators.NAME, "password": password})


def test_an_operator_logs_in_and_cancels_what_another_started(client: Client) -> None:
    running = make.experiment(State.QUEUED)
    Experiment.objects.update(visitor="somebody else")
    with override_settings(LAB_OPERATOR_PASSWORD="correct horse battery"):
        call_command("migrate", verbosity=0)  # as `make up` does
        assert _log_in(client, "wrong").status_code == 200
        client.post(reverse("labs:cancel", args=[running.slug]))
        running.refresh_from_db()
        assert running.state == State.QUEUED
        assert _log_in(client, "correct horse battery").status_code == 302
    assert "Cancel" in client.get(running.get_absolute_url()).content.decode()
    client.post(reverse("labs:cancel", args=[running.slug]))
    running.refresh_from_db()
    assert (running.state, running.reason) == (State.CANCELLED, "Cancelled by an operator.")


def test_without_a_password_nobody_is_an_operator_and_a_new_one_ends_sessions(
    client: Client,
) -> None:
    operators.keep()
    assert _log_in(client, "").status_code == 200
    for password in ("correct horse battery", "another horse battery", ""):
        with override_settings(LAB_OPERATOR_PASSWORD=password):
            operators.keep()
        page = client.get(reverse("login")).content.decode()
        assert "You are logged in" not in page
        if password:
            _log_in(client, password)
            assert "You are logged in" in client.get(reverse("login")).content.decode()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "lab.example.com"])
def test_serving_beyond_loopback_requires_host_names_and_a_password(
    monkeypatch: Any, host: str
) -> None:
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    with pytest.raises(CommandError, match=r"ALLOWED_HOSTS.*and LAB_OPERATOR_PASSWORD") as refused:
        call_command("up", "--host", host)
    assert refused.value.returncode == 2
    monkeypatch.setenv("ALLOWED_HOSTS", "*")
    with override_settings(LAB_OPERATOR_PASSWORD="correct horse battery"):
        assert "ALLOWED_HOSTS" in exposure.refusal(host)
        monkeypatch.setenv("ALLOWED_HOSTS", "lab.example.com")
        assert exposure.refusal(host) == ""
    assert exposure.refusal("127.0.0.1") == exposure.refusal("::1") == ""
