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

LOOKED_AT, SENT, BOTH = {"GET", "HEAD"}, {"POST"}, {"GET", "HEAD", "POST"}
METHODS = {
    "advisor:start": LOOKED_AT, "advisor:start-over": SENT, "advisor:undo": SENT,
    "advisor:intake": BOTH, "advisor:intake-use": SENT, "advisor:live": SENT,
    "advisor:describe": BOTH, "advisor:card": SENT, "advisor:advice": LOOKED_AT,
    "advisor:edit": SENT, "advisor:compared": LOOKED_AT, "advisor:newer": LOOKED_AT,
    "advisor:renew": SENT, "advisor:export": LOOKED_AT, "advisor:archive": LOOKED_AT,
    "advisor:report": LOOKED_AT, "advisor:reasons": LOOKED_AT, "advisor:in-force": LOOKED_AT,
    "reference:index": LOOKED_AT, "reference:failure": LOOKED_AT, "reference:rule": LOOKED_AT,
    "reference:setting": LOOKED_AT,
    "advisories:index": LOOKED_AT, "advisories:page": LOOKED_AT,
    "login": BOTH, "logout": SENT,
    "labs:home": LOOKED_AT, "labs:experiments": LOOKED_AT, "labs:start": SENT,
    "labs:conditions": LOOKED_AT, "labs:experiment": LOOKED_AT, "labs:live": LOOKED_AT,
    "labs:cancel": SENT, "labs:again": SENT, "labs:ledger": LOOKED_AT, "labs:evidence": LOOKED_AT,
    "labs:evidence-failure": LOOKED_AT,
    "labs:ledger-lines": LOOKED_AT, "labs:report": LOOKED_AT, "labs:compare": LOOKED_AT,
    "labs:repetitions": LOOKED_AT, "labs:repeat": SENT, "labs:replay": LOOKED_AT,
    "labs:answer-picture": LOOKED_AT, "labs:offline": LOOKED_AT, "labs:picture": LOOKED_AT,
    "labs:message": LOOKED_AT, "labs:lessons": LOOKED_AT, "labs:lesson-live": LOOKED_AT,
    "labs:lesson-turn-live": LOOKED_AT, "labs:scenarios": LOOKED_AT,
    "labs:lines": LOOKED_AT, "labs:series": LOOKED_AT, "labs:series-live": LOOKED_AT,
    "labs:series-start": SENT, "labs:series-cancel": SENT, "labs:series-go-on": SENT,
    "labs:lesson-resume": LOOKED_AT,
    "labs:recorded": LOOKED_AT, "labs:incidents": LOOKED_AT, "labs:incident": LOOKED_AT,
    "labs:incident-start": SENT, "labs:incident-play": LOOKED_AT, "labs:incident-live": LOOKED_AT,
    "labs:scenario-start": SENT,
    "labs:toy": LOOKED_AT, "labs:toy-states": LOOKED_AT, "labs:toy-start": SENT,
    "labs:class": LOOKED_AT, "labs:class-open": SENT, "labs:class-join": SENT,
    "labs:class-room": LOOKED_AT, "labs:class-live": LOOKED_AT, "labs:class-seats": LOOKED_AT,
    "labs:class-predict": SENT, "labs:class-answer": SENT, "labs:class-forward": SENT,
    "labs:class-run": SENT, "labs:class-close": SENT, "labs:class-remove": SENT,
    "labs:class-export": LOOKED_AT,
    "concepts:index": LOOKED_AT, "concepts:concept": LOOKED_AT,
    "labs:challenges": LOOKED_AT, "labs:challenge": BOTH, "labs:challenge-live": LOOKED_AT,
    "labs:challenge-answer": SENT, "labs:challenge-give-up": SENT,
    "labs:challenge-evidence": LOOKED_AT, "labs:challenge-result": LOOKED_AT,
    "labs:account": LOOKED_AT, "labs:sign-in": BOTH, "labs:sign-up": BOTH, "labs:sign-out": SENT,
    "labs:account-password": SENT, "labs:account-remove": SENT,
    "labs:lesson-reset": SENT, "labs:lesson-undo": SENT, "labs:lesson": BOTH,
    "labs:lesson-review": BOTH,
}  # fmt: skip
"""Anybody may send these requests. Only its owner or an operator may cancel a run: see below."""
WORDS = {
    "step": "client",
    "slug": "nosuch22",
    "name": "nosuch",
    "code": "nosuch",
    "arm": "described",
    "product": "nosuch",
    "component": "producer",
    "part": "dump",
}
IN_A_PRODUCER = [
    setting.name for setting in settings_of(Family.JAVA, "4.3", "4.3", Component.PRODUCER)
]
SENT_TO = sorted(name for name, methods in METHODS.items() if "POST" in methods)


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
    named = {converter: WORDS[converter] for converter in pattern.pattern.converters}
    if name.startswith("labs:lesson") and name not in ("labs:lessons", "labs:lesson-review"):
        named |= {"name": "what-an-acknowledgement-means"}
        named |= {"step": "story"} if "step" in named else {}
    return reverse(name, kwargs=named)


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
    for name in SENT_TO:
        assert stranger.post(_address(name), {"a": "b"}).status_code == 403, name


def test_requests_that_are_too_large_are_refused() -> None:
    stranger = Client(enforce_csrf_checks=True)
    sent = {"a": "b" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)}
    for name in SENT_TO:
        assert stranger.post(_address(name), sent).status_code in (400, 403), name


@pytest.mark.parametrize("name", SENT_TO)
@pytest.mark.parametrize("whose", ["visitor", "address"])
def test_more_than_the_limit_is_refused_until_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch, name: str, whose: str
) -> None:
    if name in ("logout", "labs:sign-out") and whose == "visitor":
        return  # it ends the session by which requests are counted
    now = [1000.0]
    monkeypatch.setattr(limits, "COUNTERS", limits.Counters(clock=lambda: now[0]))
    most = (2, 9) if whose == "visitor" else (9, 2)
    kind = limits.request_kind(name, _step(name))
    client, address = Client(), _address(name)
    client.post(reverse("advisor:start-over"))  # starts a session
    monkeypatch.setattr(limits, "COUNTERS", limits.Counters(clock=lambda: now[0]))
    data = settings.LAB_LIMITS | {kind: (*most, 60)}
    with override_settings(LAB_LIMITS=data):
        first = [client.post(address).status_code for _ in range(2)]
        refused = client.post(address)
        other = Client() if whose == "visitor" else Client(REMOTE_ADDR="10.0.0.9")
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
    data = settings.LAB_LIMITS | {limits.request_kind(name): (9, 2, 3600)}
    with override_settings(LAB_LIMITS=data):
        codes = [client.get(_address(name)).status_code for _ in range(3)]
        other = Client(REMOTE_ADDR="10.0.0.9").get(_address(name)).status_code
    assert (codes.count(429), codes[-1]) == (1, 429)
    assert other != 429
    assert METHODS[name] == LOOKED_AT


def test_requests_that_add_a_run_or_a_description_are_counted_as_such(client: Client) -> None:
    described = {"draft": {"fields": FIELDS, "done": []}, "draft_stamp": ""}
    sent = {"choice": "both", "side": "affected", "acks": "1", "min_isr": "1"}
    added = set()
    for name, address in [*addresses(), ("advisor:describe", _of_step("needs"))]:
        if name not in SENT_TO:
            continue
        session = client.session
        session.update(described)
        session.save()
        before = Experiment.objects.count(), Description.objects.count()
        with override_settings(LAB_QUEUE={"all": 999, "visitor": 999, "address": 999}):
            client.post(address, sent)
        kind = limits.request_kind(name, str(resolve(address).kwargs.get("step", "")))
        if (Experiment.objects.count(), Description.objects.count()) != before:
            added.add(name)
        if Experiment.objects.count() != before[0]:
            assert kind == "starts", address
        elif Description.objects.count() != before[1]:
            assert kind in ("saves", "starts"), address
    assert added >= {"labs:scenario-start", "labs:start", "labs:again"}


def _of_step(step: str) -> str:
    return reverse("advisor:describe", args=[step])


@pytest.mark.parametrize("field", ["page", "shown", "stamp", "producer.acks", "to"])
def test_a_session_stays_small_whatever_is_entered(client: Client, field: str) -> None:
    long = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(300_000))
    client.post(reverse("advisor:card", args=["producer"]), {"producer.retries": "2", field: long})
    client.post(reverse("advisor:describe", args=["producer"]), {field: long})
    whole = {f"producer.{name}": long[place:] for place, name in enumerate(IN_A_PRODUCER)}
    client.post(reverse("advisor:intake-use"), whole)
    client.post(reverse("advisor:start-over"))
    client.post(reverse("advisor:intake-use"), whole)
    assert max(len(row.session_data) for row in Session.objects.all()) < 80_000


def test_new_sessions_of_an_address_are_limited_and_a_forged_cookie_is_no_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "COUNTERS", limits.Counters(clock=lambda: 1000.0))
    begin, old = reverse("advisor:start-over"), Client()
    with override_settings(LAB_LIMITS=settings.LAB_LIMITS | {"sessions": (3, 3, 3600)}):
        answers = [old.post(begin).status_code]
        for number in range(3):
            made_up = Client()
            made_up.cookies[settings.SESSION_COOKIE_NAME] = f"x{number}" * 16
            answers.append(made_up.post(begin).status_code)
        assert answers == [302, 302, 302, 429]
        assert old.post(begin).status_code == 302
        assert Client(REMOTE_ADDR="10.0.0.9").post(begin).status_code == 302
        assert Client().get("/").status_code == 200


@pytest.mark.parametrize(
    ("near", "forwarded", "seen"),
    [
        ("10.0.0.1", "6.6.6.6", "10.0.0.1"),
        ("10.9.0.1", "6.6.6.6", "6.6.6.6"),
        ("10.9.0.1", "1.2.3.4, 6.6.6.6, 10.9.0.2", "6.6.6.6"),
        ("10.9.0.1", "6.6.6.6, nonsense", "10.9.0.1"),
        ("10.9.0.1", "", "10.9.0.1"),
        ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
    ],
)
def test_only_a_trusted_proxy_is_believed(near: str, forwarded: str, seen: str) -> None:
    import ipaddress

    request = RequestFactory().get("/", REMOTE_ADDR=near, HTTP_X_FORWARDED_FOR=forwarded)
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
