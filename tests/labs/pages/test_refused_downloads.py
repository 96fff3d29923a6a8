"""What commands and pages of incidents and series say when the repository refuses a download.

The repository is a real HTTP server of the test.
"""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from advisor.management.exact import NOT_RUN
from labs.engine.base.cache import cache_dir
from labs.engine.distributions import distribution, download
from labs.engine.distributions.distribution import WrongChecksum
from labs.incidents import find
from labs.models import Experiment, Series, State
from labs.runs import lifecycle, queue, worker
from tests.reading import html_of

pytestmark = pytest.mark.wide
LOCK, INCIDENT = "past-clients-3.1.0", find("KAFKA-13598")
SECRET = "user:hidden"
BODY = b"this is no jar " * 1000
MESSAGE_OF = {
    "403": "the repository answered “403 Forbidden”",
    "404": "the repository answered “404 Not Found”",
    "503": "the repository answered “503 Service Unavailable”",
    "closed": "the repository cannot be reached (Connection refused)",
    "silent": "the repository did not answer in time",
    "cut": "a download was cut before its end",
}
"""The ways in which a repository refuses, with the message for each."""


class Repository(BaseHTTPRequestHandler):
    """Answers every request in the same way."""

    refusal = ""
    over = threading.Event()

    def do_GET(self) -> None:
        if self.refusal == "silent":
            self.over.wait(60)
        elif self.refusal.isdigit():
            self.send_error(int(self.refusal))
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(BODY[:100] if self.refusal == "cut" else BODY)

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        """Logs nothing to standard error."""


@pytest.fixture
def refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Makes the only configured repository refuse in this way; no jar is in the cache."""
    Repository.over.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Repository)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()[1]

    def refuse(refusal: str) -> None:
        Repository.refusal = refusal
        port = closed if refusal == "closed" else server.server_port
        monkeypatch.setenv("LAB_MAVEN_REPOSITORY", f"http://{SECRET}@localhost:{port}/maven2/")
        monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))

    monkeypatch.setattr(queue, "nudge", lambda *_: True)
    yield refuse
    Repository.over.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("refusal", MESSAGE_OF)
def test_the_first_line_says_why_a_download_failed_and_nothing_is_kept(
    refuses: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, refusal: str
) -> None:
    if refusal == "silent":
        monkeypatch.setattr(download, "PATIENCE_S", 1.0)
    refuses(refusal)
    with pytest.raises(download.DownloadFailed) as failed:
        distribution.install(LOCK)
    first, missing = str(failed.value).splitlines()
    assert first.startswith(
        f"The jars could not be downloaded: {MESSAGE_OF[refusal]}. Check the network"
    )
    assert "LAB_MAVEN_REPOSITORY" in first
    assert "localhost" not in first
    assert missing.startswith("The first that is missing: ch.qos.reload4j:reload4j:1.2.26")
    assert SECRET not in str(failed.value)
    assert [path.name for path in (cache_dir() / "jars").iterdir()] == [f".{LOCK}.lock"]


def test_jars_with_other_hashes_than_the_locked_ones_are_refused(
    refuses: Callable[[str], None],
) -> None:
    refuses("others")
    with pytest.raises(WrongChecksum, match="is not the jar that was recorded"):
        distribution.install(LOCK)
    assert [path.name for path in (cache_dir() / "jars").iterdir()] == [f".{LOCK}.lock"]


@pytest.mark.parametrize("refusal", ["403", "others"])
def test_the_command_of_incidents_says_why_and_exits_with_3(
    refuses: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, refusal: str
) -> None:
    refuses(refusal)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(CommandError) as failed:
        call_command("incidents", "--verify", INCIDENT.id, "--times", "1", "--on", "affected")
    assert failed.value.returncode == NOT_RUN
    message = MESSAGE_OF.get(refusal, "is not the jar that was recorded and was not installed")
    assert str(failed.value).startswith("not run: ")
    assert message in str(failed.value).splitlines()[0]


def carry_out(experiment: Experiment) -> None:
    """Runs a queued experiment as a worker would."""
    claimed = lifecycle.claim(experiment.slug, experiment.attempt, "us")
    assert claimed
    worker.carry_out(claimed, Path("no-judge.sock"))


@pytest.mark.django_db(transaction=True)  # the heartbeat thread writes, too
@pytest.mark.parametrize("refusal", ["403", "others"])
def test_the_page_of_an_incident_says_why_it_was_not_played(
    refuses: Callable[[str], None], client: Client, refusal: str
) -> None:
    refuses(refusal)
    client.post(reverse("labs:incident-start", args=[INCIDENT.slug]), {"side": ["affected"]})
    play = Experiment.objects.get()
    carry_out(play)
    play.refresh_from_db()
    page = html_of(client.get(play.get_absolute_url()))
    assert play.state == State.FAILED
    assert MESSAGE_OF.get(refusal, "is not the jar that was recorded and was not installed") in page
    assert "Nothing was counted on this release." in page
    assert SECRET not in page
    assert "localhost" not in page


@pytest.mark.django_db(transaction=True)  # the heartbeat thread writes, too
def test_the_page_of_the_time_machine_says_why_a_release_has_no_verdict(
    refuses: Callable[[str], None], client: Client
) -> None:
    refuses("403")
    form = {"scenario": "leader-killed", "pipeline": "", "first": "4.2", "last": "4.3",
             "which": "every"}  # fmt: skip
    client.post(reverse("labs:series-start"), form)
    series = Series.objects.get()
    for run in series.experiments.all():
        carry_out(run)
    page = html_of(client.get(series.get_absolute_url()))
    assert page.count(MESSAGE_OF["403"]) == 2
    assert "No release has a verdict. A comparison needs two." in page
    assert 'id="go-on"' in page
    assert SECRET not in page
    assert "localhost" not in page
