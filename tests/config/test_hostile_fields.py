"""Values that no form sends, in every field of every address, are answered without an error."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from config import limits
from labs.engine.base.processes import ROOT
from tests.addresses import addresses

pytestmark = [pytest.mark.django_db, pytest.mark.wide]

VALUES = {
    "null byte": "a\0b",
    "markup": '"><script>alert(1)</script>{{ 7|add:7 }}',
}
THOROUGH_VALUES = {
    "end of a header": "x\r\nSet-Cookie: a=b",
    "huge number": "9" * 5000,
    "nothing": "",
    "negative": "-1",
    "no number": "NaN",
    "digits of another script": "\u0663",
    "a path": "../../../etc/passwd",
}
_FORM_FIELD = re.compile(r'<(?:input|select|textarea|button)[^>]* name="([^"]+)"')
_VIEW_FIELD = re.compile(r"""(?:POST|GET)(?:\.get|\.getlist)?[(\[]["']([\w.-]+)["']""")


def _fields(client: Client, pages_of: list[tuple[str, str]]) -> list[str]:
    """Every field name that a form of a page has or a view reads."""
    views = [path.read_text("utf-8") for app in ("advisor", "labs") for path in
             (ROOT / app).rglob("*.py")]  # fmt: skip
    pages = [client.get(address) for _, address in pages_of]
    html_pages = [page.content.decode() for page in pages
             if page.headers.get("Content-Type", "").startswith("text/html")]  # fmt: skip
    names = {name for text in views for name in _VIEW_FIELD.findall(text)}
    names |= {name for text in html_pages for name in _FORM_FIELD.findall(text)}
    assert names > {"producer.acks", "scenario", "text", "nickname"}, sorted(names)
    return sorted(names)


@pytest.mark.parametrize(
    "value",
    [
        *(pytest.param(value, id=name) for name, value in VALUES.items()),
        *(pytest.param(value, id=name, marks=pytest.mark.thorough)
          for name, value in THOROUGH_VALUES.items()),
    ],
)  # fmt: skip
def test_every_field_accepts_hostile_values_without_an_error(
    client: Client, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    requests = [*{name: (name, address) for name, address in addresses()}.values()]
    fields = dict.fromkeys(_fields(client, requests), value)
    for name, address in requests:
        for send in (client.post, client.get):
            monkeypatch.setattr(limits, "COUNTERS", limits.Counters())
            answer = send(address, fields)
            if answer.streaming:  # a download occupies its place until it is read
                b"".join(answer)
            assert answer.status_code < 500, (name, address, value)
            assert "Set-Cookie: a=b" not in str(answer.headers)
            if "html" in answer.headers.get("Content-Type", ""):
                assert b"<script>alert(1)" not in answer.content, name
