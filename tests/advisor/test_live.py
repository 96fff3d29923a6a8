"""Reading live clusters: off by default, by name only, with a time limit, without secrets."""

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
def hung_server() -> Iterator[str]:
    """The address of a server that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the time limit."""
    monkeypatch.setattr(live, "LIMIT_S", 0.5)


def test_without_configured_clusters_there_is_no_form(client: Client) -> None:
    assert live.clusters() == {}
    assert "live cluster" not in client.get(FILES).content.decode()
    assert client.post(URL, {"cluster": "staging"}).status_code == 404
    assert client.get(URL).status_code == 405


def test_only_configured_cluster_names_are_offered_and_read(
    client: Client, settings: LazySettings, hung_server: str
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": hung_server}
    html = client.get(FILES).content.decode()
    assert "<option>staging</option>" in html
    assert hung_server not in html
    for name in (hung_server, "production", "", "staging "):
        assert client.post(URL, {"cluster": name}).status_code == 404
    with pytest.raises(KeyError):
        live.look("production", "orders")


def test_a_request_without_a_csrf_token_is_refused(
    settings: LazySettings, hung_server: str
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": hung_server}
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(URL, {"cluster": "staging"}).status_code == 403


@pytest.mark.parametrize("more", [{}, {"topic": "orders", "group": "billing"}])
def test_a_cluster_that_does_not_respond_is_reported_in_time(
    client: Client,
    settings: LazySettings,
    hung_server: str,
    short_limit: None,
    more: dict[str, str],
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": hung_server}
    began = time.monotonic()
    response = client.post(URL, {"cluster": "staging", **more})
    assert time.monotonic() - began < 30
    html = response.content.decode()
    assert response.status_code == 503
    assert "staging did not answer within 0.5 seconds." in html
    assert 'role="alert"' in html
    assert hung_server not in html


@pytest.fixture
def plaintext_server() -> Iterator[str]:
    """The address of a server that answers every connection without TLS."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        answers = Thread(target=_answer_in_plaintext, args=(listening,), daemon=True)
        answers.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        answers.join(30)


def _answer_in_plaintext(listening: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            with connection, suppress(ConnectionError):
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass


def test_a_cluster_without_tls_is_reported_and_its_address_is_not_logged(
    client: Client, settings: LazySettings, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    plaintext_server: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(live, "WHY_S", live.LIMIT_S)  # a busy machine may report the reason late
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "client.properties"
    file.write_text(f"bootstrap.servers={plaintext_server}\nsecurity.protocol=SSL\n")
    settings.LAB_LIVE_CLUSTERS = {"staging": str(file)}
    html = client.post(URL, {"cluster": "staging"}).content.decode()
    assert "staging and this site cannot agree on TLS." in html
    assert plaintext_server not in html + _logged(caplog)


def test_an_unreachable_cluster_is_reported_with_the_reason(
    client: Client, settings: LazySettings, caplog: pytest.LogCaptureFixture, plaintext_server: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with socket.create_server(("127.0.0.1", 0)) as listening:
        closed = f"127.0.0.1:{listening.getsockname()[1]}"
    for address, text, why_s in (
        (closed, "staging does not accept connections from this site: nothing listens", 0.1),
        (
            plaintext_server,
            "staging does not answer with Kafka&#x27;s protocol, or answers with TLS.",
            60,
        ),
        ("no.such.host.invalid:9092", "staging has an address that no name server knows.", 60),
        (
            f"{closed},{closed.replace('127.0.0.1', 'localhost')}",
            "staging does not accept connections",
            0.1,
        ),
    ):
        monkeypatch.setattr(live, "WHY_S", why_s)  # 60 s: longer than the limit of a reading
        settings.LAB_LIVE_CLUSTERS = {"staging": address}
        began = time.monotonic()
        response = client.post(URL, {"cluster": "staging"})
        assert time.monotonic() - began < live.LIMIT_S
        html = response.content.decode()
        assert response.status_code == 503
        assert text in html
        assert address not in html + _logged(caplog)


def test_one_unreachable_broker_of_several_does_not_end_the_reading(
    client: Client, settings: LazySettings, hung_server: str, short_limit: None
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": f"no.such.host.invalid:9092,127.0.0.1:1,{hung_server}"}
    html = client.post(URL, {"cluster": "staging"}).content.decode()
    assert "staging did not answer within 0.5 seconds." in html


def _logged(caplog: pytest.LogCaptureFixture) -> str:
    """The messages that reach a log. caplog also captures loggers that do not propagate."""
    assert not live.silent_logger.propagate
    records = (record for record in caplog.records if record.name != live.silent_logger.name)
    return "\n".join(log_record.getMessage() for log_record in records)


def test_a_second_concurrent_reading_is_refused(
    client: Client, settings: LazySettings, hung_server: str
) -> None:
    settings.LAB_LIVE_CLUSTERS = {"staging": hung_server}
    with live.connection("staging"):
        response = client.post(URL, {"cluster": "staging"})
    assert response.status_code == 503
    assert "Somebody else is reading a cluster" in response.content.decode()
    with live.connection("staging"):
        pass  # the lock is released


def test_a_reading_closes_its_client(
    client: Client,
    settings: LazySettings,
    hung_server: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "LIMIT_S", 0.05)
    settings.LAB_LIVE_CLUSTERS = {"staging": hung_server}
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
def test_invalid_client_settings_are_logged_for_the_operator_without_secrets(
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
    assert "The client settings of this site for staging cannot be used" in html
    output = "".join(capfd.readouterr()) + _logged(caplog)
    assert "LAB_LIVE_CLUSTERS: the client settings of staging" in output
    assert SECRET not in html + output


def test_the_contents_of_the_client_settings_are_not_shown_or_logged(
    client: Client, settings: LazySettings, tmp_path: Path, hung_server: str, short_limit: None,
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file = tmp_path / "client.properties"
    file.write_text(
        f"bootstrap.servers = {hung_server}\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n"
        f"sasl.username={SECRET}-user\nsasl.password={SECRET}\n"
    )
    settings.LAB_LIVE_CLUSTERS = {"staging": str(file)}
    with caplog.at_level(logging.DEBUG):
        html = client.post(URL, {"cluster": "staging"}).content.decode()
    assert "staging did not answer" in html
    output = html + "".join(capfd.readouterr()) + _logged(caplog)
    assert not [word for word in (SECRET, hung_server, str(file)) if word in output]
