"""The picture for previews of links: a PNG of verdicts and plots, drawn here."""

from __future__ import annotations

import struct
import zlib

import pytest
from django.test import Client
from django.urls import reverse

from labs.engine.scenarios import all_scenarios
from labs.models import State
from labs.pages.canvas import Canvas
from labs.pages.lettering import strokes, width, wrapped
from tests.labs import make

RED, WHITE = (176, 51, 11), (255, 255, 255)


def points(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and the colours of a PNG as `Canvas` writes it; every checksum is checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(
            kind + data
        )
        chunks[kind] = data
        at += 12 + length
    wide, high = struct.unpack(">II", chunks[b"IHDR"][:8])
    rows = zlib.decompress(chunks[b"IDAT"])
    step = 3 * wide + 1
    assert len(rows) == step * high
    return wide, high, b"".join(rows[row * step + 1 : (row + 1) * step] for row in range(high))


def test_a_rectangle_has_its_colour_and_its_edges() -> None:
    canvas = Canvas(4, 3, WHITE)
    canvas.fill(1, 1, 2, 5, RED)
    wide, high, colours = points(canvas.png())
    assert (wide, high) == (4, 3)
    red = [at for at in range(12) if colours[3 * at : 3 * at + 3] == bytes(RED)]
    assert red == [5, 6, 9, 10]


def test_a_line_is_as_thick_as_was_asked() -> None:
    canvas = Canvas(20, 20, WHITE)
    canvas.draw([((2, 10), (18, 10))], RED, 4)
    _, _, colours = points(canvas.png())
    column = [colours[3 * (20 * row + 10) : 3 * (20 * row + 10) + 3] for row in range(20)]
    assert sum(block == bytes(RED) for block in column) == 4


def test_every_title_can_be_written_and_fits() -> None:
    for scenario in all_scenarios():
        lines = wrapped(scenario.title, 32, 1088, 2)
        assert " ".join(lines) == scenario.title, "nothing is cut off"
        for sign in set(scenario.title) - {" "}:
            assert list(strokes(sign, 0, 0, 14)), f"{sign!r} has no glyph"


def test_what_is_too_long_ends_in_dots() -> None:
    (line,) = wrapped("one message after the other " * 9, 20, 300, 1)
    assert line.endswith(" ...")
    assert width(line, 20) <= 300


@pytest.mark.django_db
def test_a_link_to_a_run_has_a_picture_and_says_its_result(client: Client) -> None:
    made = make.experiment(State.DONE, "broken", "holds")
    page = client.get(made.get_absolute_url()).content.decode()
    address = f"http://testserver{reverse('labs:picture', args=[made.slug])}"
    assert f'<meta property="og:image" content="{address}">' in page
    assert 'property="og:description" content="As described: 985 of 10,000' in page
    answer = client.get(address)
    assert answer["Content-Type"] == "image/png"
    wide, high, colours = points(answer.content)
    assert (wide, high) == (1200, 630)
    lost = sum(colours[at : at + 3] == bytes(RED) for at in range(0, len(colours), 3))
    assert lost > 200, "the verdict and what was lost are drawn"


@pytest.mark.django_db
@pytest.mark.parametrize("state", [State.RUNNING, State.FAILED])
def test_a_run_without_a_verdict_has_none(client: Client, state: State) -> None:
    made = make.experiment(state)
    assert client.get(reverse("labs:picture", args=[made.slug])).status_code == 404
    assert "og:image" not in client.get(made.get_absolute_url()).content.decode()
