"""The whole machine, for real: web, worker, Redis, brokers; and what survives a kill -9."""

from __future__ import annotations

import os
import re
import signal
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from labs.engine.wait import until
from tests.stack.house import House, house, processes_of

pytestmark = [pytest.mark.cluster, pytest.mark.stack, pytest.mark.timeout(600)]

RUN_LIMIT_S = 240
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


def test_a_killed_worker_leaves_an_interrupted_run_that_can_be_run_again(tmp_path: Path) -> None:
    with house(tmp_path / "data") as up:
        up.wait_until_ready()
        visitor = Visitor(up)
        page = visitor.post("/experiments/start/")
        runs = up.data / "runs" / page.strip("/").rsplit("/", 1)[-1]
        until(lambda: len(brokers_of(up.data)) >= 3, 90, "no brokers were started")
        said(visitor, page, "Sending", 60)
        assert list(runs.iterdir())

        killed_at = time.monotonic()
        os.kill(up.pid_of("celery"), signal.SIGKILL)
        said(visitor, page, "stopped answering", INTERRUPTED_LIMIT_S)
        assert time.monotonic() - killed_at <= INTERRUPTED_LIMIT_S
        until(lambda: not brokers_of(up.data), 20, "brokers outlived their worker")
        until(lambda: not list(runs.iterdir()), 20, "the folder was not cleaned")

        assert visitor.post(f"{page}again/") == page
        said(visitor, page, "Run again", RUN_LIMIT_S)
        end = visitor.get(page)
        assert re.search(r"As described: [1-9][\d,]* of [\d,]+ acknowledged messages are gone", end)
        assert re.search(r"As recommended: 0 of [\d,]+ acknowledged messages are gone", end)
        assert "attempt 2" in end
        until(lambda: not brokers_of(up.data), 20, "brokers outlived their run")


def test_redis_restarting_in_the_middle_loses_no_run(tmp_path: Path) -> None:
    with house(tmp_path / "data") as up:
        up.wait_until_ready()
        visitor = Visitor(up)
        running, waiting = (visitor.post("/experiments/start/") for _ in range(2))
        until(lambda: len(brokers_of(up.data)) >= 3, 90, "no brokers were started")
        os.kill(up.pid_of("redis.sock"), signal.SIGKILL)
        for page in (running, waiting):
            said(visitor, page, "Run again", RUN_LIMIT_S)
            assert "attempt 2" not in visitor.get(page)
            assert "acknowledged messages are gone" in visitor.get(page)


def test_cancelling_ends_the_brokers(tmp_path: Path) -> None:
    with house(tmp_path / "data") as up:
        up.wait_until_ready()
        visitor = Visitor(up)
        page = visitor.post("/experiments/start/")
        until(lambda: len(brokers_of(up.data)) >= 3, 90, "no brokers were started")
        visitor.post(f"{page}cancel/")
        assert "Cancelled by a visitor." in visitor.get(page)
        until(lambda: not brokers_of(up.data), 20, "brokers outlived the cancelled run")
