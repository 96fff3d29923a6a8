"""A minimal browser without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from types import MappingProxyType
from urllib.parse import urlencode

from labs.engine.base.wait import until
from tests.stack.house import House

OVER = "Run again"
"""A button that every page of a finished experiment has, however it ended."""


class Visitor:
    """Keeps cookies, and sends the CSRF token back."""

    def __init__(self, up: House) -> None:
        self._port, self._token = up.port, ""
        self._cookies: dict[str, str] = {}
        self.get("/")

    def get(self, path: str) -> str:
        return self._ask("GET", path)[1]

    def post(self, path: str, **fields: str) -> str:
        """Sends a form with these fields and returns the location of the redirect."""
        return self._ask("POST", path, fields)[0]

    def looks(self, path: str) -> str:
        """Returns the page, or an empty text while the web server is down."""
        try:
            return self.get(path)
        except (OSError, HTTPException):
            return ""

    def waits_for(self, page: str, words: str, limit_s: float) -> str:
        """Waits until a page contains these words, and returns the page."""
        text = f"{page} never said: {words}"
        return until(
            lambda: text if words in (text := self.looks(page)) else "", limit_s, text, every_s=0.5
        )

    def _ask(
        self, method: str, path: str, fields: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[str, str]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        form = {"csrfmiddlewaretoken": self._token, **fields}
        body = urlencode(form) if method == "POST" else None
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        assert answer.status < 400, (method, path, answer.status, text[:2000])
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.split(";")[0].partition("=")
            self._cookies[name] = value
        if token := re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text):
            self._token = token[1]
        return answer.getheader("Location") or "", text
