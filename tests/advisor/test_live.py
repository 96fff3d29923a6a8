"""Live clusters: off unless allowed, by name alone, bounded in time, and silent about secrets."""

from __future__ import annotations

import gc
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from django.conf import LazySettings
from django.test import Client

from advisor import live
from labs.engine.base.wait import until
from tests.advisor.test_importing import URL as FILES

pytestmark = pytest.mark.django_db

URL = "/describe/from-cluster/"
SECRET = "hunter2"


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of somebody who listens and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that a test can wait for."""
    monkeypatch.setattr(live, "LIMIT_S", 0.5)


def test_without_an_operators_word_there_is_no_cluster_and_no_form(client: Client) -> None:
    assert live.clusters() == {}
    assert "live cluster" not in client.get(FILES).content.decode()
    assert client.post(URL, {"cluster": "staging"}).status_code == 404
    assert client.get(URL).status_code == 405


def test_only_names_that_are_allowed_are_offered_and_asked(
    client: Client, settings: LazySettings, silent: str
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": silent}
    html = client.get(FILES).content.decode()
    assert "<option>staging</option>" in html
    assert silent not in html
    for name in (silent, "production", "", "staging "):
        assert client.post(URL, {"cluster": name}).status_code == 404
    with pytest.raises(KeyError):
        live.look("production", "orders")


def test_it_takes_a_form_of_this_site(settings: LazySettings, silent: str) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": silent}
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(URL, {"cluster": "staging"}).status_code == 403


@pytest.mark.parametrize("more", [{}, {"topic": "orders", "group": "billing"}])
def test_who_does_not_answer_is_said_so_in_time(
    client: Client, settings: LazySettings, silent: str, soon: None, more: dict[str, str]
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": silent}
    began = time.monotonic()
    response = client.post(URL, {"cluster": "staging", **more})
    assert time.monotonic() - began < 30
    html = response.content.decode()
    assert response.status_code == 503
    assert "staging did not answer within 0.5 seconds." in html
    assert 'role="alert"' in html
    assert silent not in html


@pytest.fixture
def clear() -> Iterator[str]:
    """The address of somebody who answers every call in words that are no TLS."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        answers = Thread(target=_answer_in_clear, args=(listening,), daemon=True)
        answers.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        answers.join(30)


def _answer_in_clear(listening: socket.socket) -> None:
    with suppress(OSError):
        while True:
            caller, _ = listening.accept()
            with caller, suppress(ConnectionError):
                caller.recv(4096)
                caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                caller.shutdown(socket.SHUT_WR)
                while caller.recv(4096):
                    pass


def test_who_does_not_speak_tls_is_said_so_at_once_and_logged_nowhere(
    client: Client, settings: LazySettings, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    clear: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(live, "WHY_S", live.LIMIT_S)  # a busy machine may report the why late
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "client.properties"
    file.write_text(f"bootstrap.servers={clear}\nsecurity.protocol=SSL\n")
    settings.LAB_LIVE_CLUSTERS = {"staging": str(file)}
    html = client.post(URL, {"cluster": "staging"}).content.decode()
    assert "staging and this site cannot agree on TLS." in html
    assert clear not in html + _logged(caplog)


def test_who_cannot_be_reached_is_said_so_at_once_and_why(
    client: Client, settings: LazySettings, caplog: pytest.LogCaptureFixture, clear: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with socket.create_server(("127.0.0.1", 0)) as listening:
        closed = f"127.0.0.1:{listening.getsockname()[1]}"
    for address, text, why_s in (
        (closed, "staging takes no call of this site: nobody listens at its address", 0.1),
        (clear, "staging answers in another language than Kafka&#x27;s, or with TLS.", 60),
        ("no.such.host.invalid:9092", "staging has an address that no name server knows.", 60),
        (f"{closed},{closed.replace('127.0.0.1', 'localhost')}", "staging takes no call", 0.1),
    ):
        monkeypatch.setattr(live, "WHY_S", why_s)  # 60 s: longer than a reading may take at all
        settings.LAB_LIVE_CLUSTERS = {"staging": address}
        began = time.monotonic()
        response = client.post(URL, {"cluster": "staging"})
        assert time.monotonic() - began < live.LIMIT_S
        html = response.content.decode()
        assert response.status_code == 503
        assert text in html
        assert address not in html + _logged(caplog)


def test_one_broker_of_several_that_is_away_is_no_reason_to_give_up(
    client: Client, settings: LazySettings, silent: str, soon: None
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": f"no.such.host.invalid:9092,127.0.0.1:1,{silent}"}
    html = client.post(URL, {"cluster": "staging"}).content.decode()
    assert "staging did not answer within 0.5 seconds." in html


def _logged(caplog: pytest.LogCaptureFixture) -> str:
    """What reaches a log: pytest listens to loggers, too, that hand on to nobody."""
    assert not live.silent_logger.propagate
    kept = (record for record in caplog.records if record.name != live.silent_logger.name)
    return "\n".join(log_record.getMessage() for log_record in kept)


def test_two_readings_at_once_are_one_too_many(
    client: Client, settings: LazySettings, silent: str
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": silent}
    with live.connection("staging"):
        response = client.post(URL, {"cluster": "staging"})
    assert response.status_code == 503
    assert "Somebody else is reading a cluster" in response.content.decode()
    with live.connection("staging"):
        pass  # it is free again


def test_a_reading_leaves_no_client_behind(
    client: Client, settings: LazySettings, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LIMIT_S", 0.05)
    settings.LAB_LIVE_CLUSTERS = {"staging": silent}
    threads = Path("/proc/self/task")
    before = len(list(threads.iterdir()))
    gc.disable()
    try:
        for _ in range(3):
            client.post(URL, {"cluster": "staging"})
    finally:
        gc.enable()
    until(lambda: len(list(threads.iterdir())) <= before, 60, "threads of a client are left")


BROKEN = {
    "a value": f"security.protocol={SECRET}\n",
    "a name": f"sasl.passwort={SECRET}\n",
    "another client's": f"sasl.jaas.config=x required password='{SECRET}';\n",
    "no properties": f"sasl.password=\\u{SECRET}\n",
    "a missing certificate": f"ssl.ca.location=/nowhere/{SECRET}.pem\nsecurity.protocol=SSL\n",
}


@pytest.mark.parametrize("text", [*BROKEN.values(), None], ids=[*BROKEN, "no file"])
def test_settings_that_cannot_be_used_are_the_operators_and_nobody_elses(
    client: Client, settings: LazySettings, tmp_path: Path,
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], text: str | None,
) -> None:  # fmt: skip
    file = tmp_path / "client.properties"
    if text is not None:
        file.write_text(f"bootstrap.servers=127.0.0.1:1\n{text}")
    settings.LAB_LIVE_CLUSTERS = {"staging": str(file)}
    with caplog.at_level(logging.DEBUG):
        response = client.post(URL, {"cluster": "staging"})
    html = response.content.decode()
    assert response.status_code == 503
    assert "has to look at the settings for staging" in html
    output = "".join(capfd.readouterr()) + _logged(caplog)
    assert "LAB_LIVE_CLUSTERS: the client settings of staging" in output
    assert SECRET not in html + output


def test_the_operators_file_is_the_clients_and_stays_with_it(
    client: Client, settings: LazySettings, tmp_path: Path, silent: str, soon: None,
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file = tmp_path / "client.properties"
    file.write_text(
        f"bootstrap.servers = {silent}\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n"
        f"sasl.username={SECRET}-user\nsasl.password={SECRET}\n"
    )
    settings.LAB_LIVE_CLUSTERS = {"staging": str(file)}
    with caplog.at_level(logging.DEBUG):
        html = client.post(URL, {"cluster": "staging"}).content.decode()
    assert "staging did not answer" in html
    output = html + "".join(capfd.readouterr()) + _logged(caplog)
    assert not [word for word in (SECRET, silent, str(file)) if word in output]
