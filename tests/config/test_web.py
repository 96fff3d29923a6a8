"""The web server with clients that are slow on purpose."""

from __future__ import annotations

import os
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection

import pytest

from config import web
from labs.engine.base.processes import end, spawn
from labs.engine.base.wait import until
from labs.engine.cluster.ports import Ports
from labs.pages.experiments import downloads
from tests.stack import slow
from tests.stack.house import ROOT, free_port

pytestmark = pytest.mark.stack  # these tests wait for a minute, so they should begin early

PAGE_LIMIT_S = 2.0


CREATE_A_LEDGER = """
import os, django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.utils import timezone
from labs import models
now = timezone.now()
made = models.Experiment.objects.create(slug="slow", scenario="leader-killed-followers-behind",
    seed=1, kafka="4.3.1", spec={}, state="done", queued_at=now, started_at=now, ended_at=now)
run = models.Run.objects.create(experiment=made, name="described", position=0, settings={})
run.ledger.mkdir(parents=True)
(run.ledger / "sends.parquet").write_bytes(os.urandom(20_000_000))
(run.ledger.parent / "ledger-jsonl.zip").write_bytes(os.urandom(20_000_000))
other = models.Run.objects.create(experiment=made, name="recommended", position=1, settings={})
other.ledger.mkdir(parents=True)
(other.ledger / "sends.parquet").write_bytes(os.urandom(100_000))
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A data folder with one ledger of 20 MB and nothing else."""
    folder = tmp_path_factory.mktemp("web")
    setup = spawn(
        [sys.executable, "-c", CREATE_A_LEDGER], log=folder / "made.log", env=environment_of(folder)
    )
    assert setup.wait(90) == 0, (folder / "made.log").read_text()
    return folder


@pytest.fixture(scope="module")
def port(data, outcomes):
    """The port of another server on it. Its tests run while those of `outcomes` wait."""
    with serving(data, ["-m", "config.web"]) as number:
        yield number


def environment_of(folder):
    return {**os.environ, "LAB_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": "config.settings"}  # fmt: skip


@contextmanager
def serving(folder, program, port=None):
    port = port or free_port()
    argv = [sys.executable, *program, "--port", str(port)]
    process = spawn(argv, log=folder / f"web-{port}.log", env=environment_of(folder))
    try:
        until(lambda: answers(port, 5), 90, "the web server does not answer", every_s=0.2)
        yield port
    finally:
        end(process, 5)


def answers(port: int, limit_s: float) -> bool:
    try:
        return response_to(port, "/", limit_s)[0] == 200
    except OSError:
        return False


def response_to(port: int, path: str, limit_s: float = 30) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=limit_s)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read(100_000).decode("utf-8", "replace")
    finally:
        connection.close()


def test_a_page_is_served_despite_slow_sockets_which_are_then_closed(port):
    """Sockets with half headers, with nothing and with half bodies are open at the same time."""
    opened: list[socket.socket] = []
    with ExitStack() as stack:
        for sent, count in ((slow.HALF_HEADERS, 40), (slow.SILENCE, 200), (slow.HALF_BODY, 40)):
            opened += stack.enter_context(slow.sockets(port, sent, count))
            for _ in range(3):
                assert answers(port, PAGE_LIMIT_S), sent
        limit_s = web.IDLE_S + 10
        until(lambda: not any(map(slow.is_open, opened)), limit_s, "some are still open")


@pytest.mark.thorough  # it requests pages as fast as it can until the idle timeout
def test_closing_many_silent_sockets_closes_no_active_one(port):
    """A client may connect while they are closed, and get the file descriptor of one of them."""
    served = 0
    with slow.sockets(port, slow.SILENCE, 300) as opened, ThreadPoolExecutor(8) as visitors:

        def round_of_visits() -> bool:
            nonlocal served
            answered = visitors.map(lambda _: response_to(port, "/concepts/")[0], range(16))
            assert set(answered) == {200}
            served += 16
            return not slow.is_open(opened[0])

        until(round_of_visits, web.IDLE_S + 10, "the first is still open", every_s=0)
    assert served > 100


@pytest.mark.parametrize(
    "form", ["ledger.zip", pytest.param("ledger-jsonl.zip", marks=pytest.mark.thorough)]
)
def test_a_page_is_served_despite_more_slow_readers_than_download_places(port, form):
    request = slow.reader(f"/experiments/slow/described/{form}")
    with slow.sockets(port, request, downloads.AT_ONCE + 6) as opened:
        status_lines = sorted(item.recv(12) for item in opened)
        assert status_lines == [b"HTTP/1.1 200"] * downloads.AT_ONCE + [b"HTTP/1.1 503"] * 6
        for _ in range(3):
            assert answers(port, PAGE_LIMIT_S)

    def has_a_place() -> bool:
        with slow.sockets(port, request, 1) as (reader,):
            return reader.recv(12) == b"HTTP/1.1 200"

    until(has_a_place, web.IDLE_S + 10, "who went kept their place", every_s=0.5)


def test_pipelined_requests_are_not_answered(port):
    """Each answer that nobody reads would block a thread, so only one is produced."""
    request = slow.reader("/")
    with slow.sockets(port, b"\r\n" + request * 100, 1) as (connection,):
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    assert received.count(b"HTTP/1.1 200 OK") == 1
    assert b"\r\nConnection: close\r\n" in received


def stalled_reader(port, bytes_at_once):
    """A reader that takes so little loses its place to another one, but not immediately."""
    request = slow.reader("/experiments/slow/described/ledger.zip")
    with slow.sockets(port, request, 1) as (reader,):
        assert reader.recv(12) == b"HTTP/1.1 200"

        def another_has_the_place() -> bool:
            if bytes_at_once:
                reader.recv(bytes_at_once)
            return response_to(port, "/experiments/slow/recommended/ledger.zip")[0] == 200

        assert not another_has_the_place()
        until(another_has_the_place, web.IDLE_S + 10, "he keeps it", every_s=0.5)


def slow_reader(port):
    """A reader of 40 KB a second is served for twice the idle timeout."""
    request = slow.reader("/experiments/slow/described/ledger.zip")
    with slow.sockets(port, request, 1) as (reader,):
        began, bytes_read = time.monotonic(), 0

        def read() -> bool:
            nonlocal bytes_read
            while bytes_read < 40_000 * (time.monotonic() - began):
                chunk = reader.recv(4096)
                assert chunk, f"closed after {bytes_read} bytes"
                bytes_read += len(chunk)
            return time.monotonic() - began > 2 * web.IDLE_S

        until(read, 3 * web.IDLE_S, "he did not come to that time", every_s=0.1)


def trickled_request(port):
    """How long a request was accepted that sends one byte a second, in seconds."""
    began = time.monotonic()
    with slow.sockets(port, slow.HALF_HEADERS, 1) as (connection,):

        def closed() -> bool:
            try:
                connection.sendall(b"x")
            except OSError:
                return True
            return not slow.is_open(connection)

        until(closed, web.REQUEST_S + 15, "it is still taken", every_s=1.0)
    return time.monotonic() - began


ONE_PLACE = """
import sys, threading, django
django.setup()
from config import web
from labs.pages.experiments import downloads
downloads.sending = threading.BoundedSemaphore(1)
sys.exit(web.main())
"""
"""A server with one place for downloads."""

CLIENTS = {
    "nothing": (["-c", ONE_PLACE], lambda port: stalled_reader(port, 0)),
    "next to nothing": (["-c", ONE_PLACE], lambda port: stalled_reader(port, 1000)),
    "slow": (["-c", ONE_PLACE], slow_reader),
    "a trickle": (["-m", "config.web"], trickled_request),
}
"""Each client that waits for a deadline of the server, and the program of its server."""


@pytest.fixture(scope="module")
def outcomes(data):
    """The future of each client in WAITING. They run at the same time, each with its own server."""
    ports = Ports(len(CLIENTS))
    with ExitStack() as servers, ThreadPoolExecutor(len(CLIENTS)) as pool:

        def start(port, program):
            return servers.enter_context(serving(data, program, port))

        programs = [program for program, _ in CLIENTS.values()]
        started = list(pool.map(start, ports.numbers, programs))
        tries = zip(CLIENTS.items(), started, strict=True)
        yield {name: pool.submit(attempt, port) for (name, (_, attempt)), port in tries}
    ports.release()


@pytest.mark.parametrize("taken", ["nothing", "next to nothing"])
def test_a_reader_who_takes_almost_nothing_loses_the_place(outcomes, taken):
    outcomes[taken].result()


def test_a_reader_who_is_slow_and_never_silent_is_served(outcomes):
    outcomes["slow"].result()


def test_a_request_that_arrives_byte_by_byte_has_a_deadline(outcomes):
    assert outcomes["a trickle"].result() > web.IDLE_S + 5, "not for its silence"


FULL_DISK = """
import resource, sys
from config import web
resource.setrlimit(resource.RLIMIT_FSIZE, (32 * 1024, 32 * 1024))  # of each file: setrlimit(2)
sys.exit(web.main())
"""
"""A server with a full disk: neither a download nor more of a log or database can be written."""


def test_pages_are_served_and_downloads_refused_on_a_full_disk(data):
    with serving(data, ["-c", FULL_DISK]) as port:
        for path in ("/", "/experiments/", "/learn/", "/describe/client/", "/reference/"):
            assert response_to(port, path)[0] == 200
        for form in ("ledger.zip", "ledger-jsonl.zip"):
            status, page = response_to(port, f"/experiments/slow/recommended/{form}")
            assert status == 503
            assert "cannot be downloaded right now" in page


def test_a_request_that_is_too_large_is_refused_before_it_is_read(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("POST", "/describe/from-files/")
    connection.putheader("Content-Length", str(100 * web.LARGEST_REQUEST))
    connection.endheaders()
    connection.send(b"x")
    answer = connection.getresponse()
    assert answer.status == 413
    page = answer.read().decode()
    assert "It has more than 3 MB" in page
    assert 'href="/describe/from-files/"' in page
    connection.close()
