"""What a crawler gets for link previews: absolute addresses and a picture."""

from __future__ import annotations

import re
import struct
from html import unescape
from http import HTTPStatus
from urllib.request import Request, urlopen

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from labs.models import State
from tests.advisor.answers import RISKY, saved
from tests.labs import make

pytestmark = pytest.mark.django_db(transaction=True)

LARGEST_BYTES = 300_000
"""The limit of WhatsApp, which omits larger pictures; all others accept megabytes."""


def fetched(address: str) -> tuple[int, str, bytes]:
    """Status, content type and body for a crawler without cookies."""
    request = Request(address, headers={"User-Agent": "facebookexternalhit/1.1"})
    with urlopen(request, timeout=60) as answer:
        return answer.status, answer.headers["Content-Type"], answer.read()


def metadata_of(address: str) -> dict[str, str]:
    """The metadata of the page (https://ogp.me)."""
    status, kind, body = fetched(address)
    assert (status, kind.partition(";")[0]) == (HTTPStatus.OK, "text/html")
    tags = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">',
                       body.decode())  # fmt: skip
    return {name: unescape(text) for name, text in tags}


def check_picture(metadata: dict[str, str]) -> None:
    status, kind, png = fetched(metadata["og:image"])
    assert (status, kind) == (HTTPStatus.OK, "image/png")
    assert struct.unpack(">II", png[16:24]) == (1200, 630)
    assert (metadata["og:image:width"], metadata["og:image:height"]) == ("1200", "630")
    assert 5_000 < len(png) < LARGEST_BYTES


def test_a_run_is_shown_with_its_verdict_and_its_picture(live_server: LiveServer) -> None:
    experiment = make.experiment(State.DONE, "broken", "holds")
    page = metadata_of(f"{live_server.url}{experiment.get_absolute_url()}")
    assert page["og:url"] == f"{live_server.url}{experiment.get_absolute_url()}"
    assert page["og:title"] == "The leader dies while its followers are behind"
    assert page["og:description"].startswith("As described: 985 of 10,000")
    assert page["twitter:card"] == "summary_large_image"
    check_picture(page)


def test_an_answer_is_shown_with_its_verdict_and_its_picture(live_server: LiveServer) -> None:
    slug = saved(RISKY)
    address = f"{live_server.url}/pipelines/{slug}/"
    page = metadata_of(address)
    assert (page["og:url"], page["og:image"]) == (address, f"{address}picture.png")
    assert page["og:title"].startswith("You need at least once; with these settings")
    assert "Smallest change: acks=all" in page["og:description"]
    check_picture(page)


def test_the_picture_of_an_answer_says_what_was_run_with_it(live_server: LiveServer) -> None:
    slug = saved(RISKY)
    address = f"{live_server.url}/pipelines/{slug}/picture.png"
    picture_before = fetched(address)[2]
    make.experiment(State.DONE, "broken", "holds", pipeline=slug)
    assert fetched(address)[2] != picture_before


def test_an_unsaved_description_has_no_picture(client: Client) -> None:
    assert client.get("/pipelines/nothing1/picture.png").status_code == HTTPStatus.NOT_FOUND
