"""The whole machine, for real: web, worker, Redis, brokers; and what survives a kill -9."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from labs.engine.wait import until
from tests.stack.house import House, house, processes_of

pytestmark = [pytest.mark.cluster, pytest.mark.stack, pytest.mark.timeout(1500)]

RUN_LIMIT_S = 420
INTERRUPTED_LIMIT_S = 30


class Visitor:
    """Somebody with a browser, without JavaScript: keeps the cookie, sends its token back."""

    def __init__(self, up: House) -> None:
        self._port, self._cookie, self._token = up.port, "", ""
        self.get("/")

    def get(self, path: str) -> str:
        return self._ask("GET", path)[1]

    def post(self, path: str) -> str:
        """Returns where the answer leads."""
        return self._ask("POST", path)[0]

    def _ask(self, method: str, path: str) -> tuple[str, str]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        body = urlencode({"csrfmiddlewaretoken": self._token}) if method == "POST" else None
        headers = {"Cookie": self._cookie, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        assert answer.status < 400, (method, path, answer.status, text[:2000])
        if cookie := answer.getheader("Set-Cookie"):
            self._cookie = cookie.split(";")[0]
        if token := re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text):
            self._token = token[1]
        return answer.getheader("Location") or "", text


def brokers_of(data: Path) -> list[int]:
    return [pid for pid, command in processes_of(data).items() if "kafka.Kafka" in command]


def said(visitor: Visitor, page: str, words: str, limit_s: float) -> None:
    until(lambda: words in visitor.get(page), limit_s, f"{page} never said: {words}", every_s=0.5)


def kill(up: House, part: str) -> None:
    pid = up.pid_of(part)
    assert pid is not None, (part, up.output())
    os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("survival") / "data") as started:
        started.wait_until_ready()
        yield started


@pytest.fixture
def visitor(up: House) -> Visitor:
    return Visitor(up)


@pytest.fixture
def running(up: House, visitor: Visitor) -> Iterator[str]:
    """The page of an experiment whose brokers have just been started."""
    until(lambda: not brokers_of(up.data), 20, "brokers outlived the run of another test")
    page = visitor.post("/experiments/start/")
    # Places for clusters are the machine's: whoever else runs experiments on it comes first.
    until(lambda: len(brokers_of(up.data)) >= 3, RUN_LIMIT_S, "no brokers were started")
    yield page
    visitor.post(f"{page}cancel/")


def folders(up: House, page: str) -> list[Path]:
    return list((up.data / "runs" / page.strip("/").rsplit("/", 1)[-1]).iterdir())


def nothing_left(up: House, page: str) -> None:
    until(lambda: not brokers_of(up.data), 20, "brokers outlived their owner")
    until(lambda: not folders(up, page), 20, "the folder was not cleaned")


def test_a_killed_worker_leaves_an_interrupted_run_that_can_be_run_again(
    up: House, visitor: Visitor, running: str
) -> None:
    said(visitor, running, "Sending", 60)
    assert folders(up, running)
    killed_at = time.monotonic()
    kill(up, "celery")
    said(visitor, running, "stopped answering", INTERRUPTED_LIMIT_S)
    assert time.monotonic() - killed_at <= INTERRUPTED_LIMIT_S
    nothing_left(up, running)

    assert visitor.post(f"{running}again/") == running
    said(visitor, running, "Run again", RUN_LIMIT_S)
    end = visitor.get(running)
    assert re.search(r"As described: [1-9][\d,]* of [\d,]+ acknowledged messages are gone", end)
    assert re.search(r"As recommended: 0 of [\d,]+ acknowledged messages are gone", end)
    assert "attempt 2" in end


def test_a_killed_runner_is_an_interruption_too(up: House, visitor: Visitor, running: str) -> None:
    (runner,) = (pid for pid, cmd in processes_of(up.data).items() if "labs.engine.run " in cmd)
    os.kill(runner, signal.SIGKILL)
    said(visitor, running, "The process that ran the brokers was killed.", INTERRUPTED_LIMIT_S)
    nothing_left(up, running)


def test_redis_restarting_in_the_middle_loses_no_run(
    up: House, visitor: Visitor, running: str
) -> None:
    waiting = visitor.post("/experiments/start/")
    kill(up, "redis.sock")
    for each in (running, waiting):
        said(visitor, each, "Run again", RUN_LIMIT_S)
        assert "attempt 2" not in visitor.get(each)
        assert "acknowledged messages are gone" in visitor.get(each)


def test_cancelling_ends_the_brokers(up: House, visitor: Visitor, running: str) -> None:
    visitor.post(f"{running}cancel/")
    assert "Cancelled by a visitor." in visitor.get(running)
    nothing_left(up, running)
