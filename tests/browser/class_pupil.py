"""A pupil without a browser: a session with cookies that asks as often as a browser would."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import Counter
from html import unescape
from http.cookiejar import CookieJar
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

from labs.lessons import Lesson

POLL_S = 2.0
TIMEOUT_S = 60.0


class Pupil(threading.Thread):
    """Joins a room, predicts, follows its teacher to the end, and answers every question rightly.

    `stages` are those that it saw, `statuses` the answers to its polls, `slowest_s` the longest of
    them, `replay` the digest of the replay that it was given, `problem` what went wrong, if
    anything did.
    """

    def __init__(self, site: str, code: str, number: int, lesson: Lesson) -> None:
        super().__init__(name=f"pupil-{number}", daemon=True)
        self._site, self._code, self._number, self._lesson = site, code, number, lesson
        self._opener: OpenerDirector = build_opener(HTTPCookieProcessor(CookieJar()))
        self._over = threading.Event()
        self._seen, self._token = "", ""
        self.stages: list[str] = []
        self.statuses: Counter[int] = Counter()
        self.slowest_s = 0.0
        self.replay = self.problem = ""

    def stop(self) -> None:
        """Ends it at its next poll."""
        self._over.set()

    def run(self) -> None:
        try:
            self._get("/class/")
            nickname = {"code": self._code, "nickname": f"pupil {self._number}"}
            self._post("/class/join/", nickname)
            predicted = {prediction.name: "none" for prediction in self._lesson.predictions}
            sure = {f"{name}-confidence": "guess" for name in predicted}
            self._post(f"/class/{self._code}/predict/", predicted | sure)
            while not self._over.is_set() and "closed" not in self.stages:
                self._poll()
                self._over.wait(POLL_S)
        except Exception as error:  # told by the test: a thread has nobody to raise it to
            self.problem = repr(error)

    def _poll(self) -> None:
        began = time.monotonic()
        address = f"/class/{self._code}/live/?{urlencode({'seen': self._seen})}"
        with self._opener.open(self._site + address, timeout=TIMEOUT_S) as answer:
            status, text = answer.status, answer.read().decode()
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)
        self.statuses[status] += 1
        if status == 204:
            return
        self._read(text)
        if address := _after(text, 'data-replay="'):
            self.replay = hashlib.sha256(self._get(address).encode()).hexdigest()
        if f"/class/{self._code}/answer/" in text:
            self._answer(text)

    def _answer(self, text: str) -> None:
        words = unescape(text)
        question = next(
            field for field in self._lesson.questions if f'id="question">{field.ask}' in words
        )
        right = next(place for place, answer in enumerate(question.answers) if answer.right)
        self._post(f"/class/{self._code}/answer/", {"answer": str(right)})

    def _read(self, text: str) -> None:
        stage = "closed" if 'id="closed"' in text else _after(text, 'data-stage-of-class="')
        if stage and stage not in self.stages:
            self.stages.append(stage)
        self._token = _after(text, 'name="csrfmiddlewaretoken" value="') or self._token
        self._seen = _after(text, "/live/?seen=") or self._seen

    def _get(self, address: str) -> str:
        with self._opener.open(self._site + address, timeout=TIMEOUT_S) as answer:
            text: str = answer.read().decode()
        self._read(text)
        return text

    def _post(self, address: str, sent: dict[str, str]) -> None:
        body = urlencode({**sent, "csrfmiddlewaretoken": self._token}).encode()
        with self._opener.open(self._site + address, body, timeout=TIMEOUT_S) as answer:
            self._read(answer.read().decode())


def _after(text: str, mark: str) -> str:
    """What stands behind a mark, up to the next quotation mark."""
    match = re.search(re.escape(mark) + r'([^"]*)"', text)
    return match[1] if match else ""
