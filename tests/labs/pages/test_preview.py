"""The picture for link previews: a PNG of verdicts and plots, drawn by the application."""

from __future__ import annotations

from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image, ImageOps

from labs.engine.scenarios import all_scenarios
from labs.models import State
from labs.pages.canvas import Canvas, width, wrapped
from tests.labs import make

RED, WHITE = (176, 51, 11), (255, 255, 255)


def picture(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png), formats=["PNG"])


def test_a_rectangle_has_its_colour_up_to_its_edges() -> None:
    canvas = Canvas(4, 3, WHITE)
    canvas.fill(1, 1, 2, 5, RED)
    drawn = picture(canvas.png())
    assert drawn.size == (4, 3)
    red = [(x, y) for y in range(3) for x in range(4) if drawn.getpixel((x, y)) == RED]
    assert red == [(1, 1), (2, 1), (1, 2), (2, 2)]


def test_a_translucent_rectangle_shows_the_background() -> None:
    canvas = Canvas(2, 2, WHITE)
    canvas.fill(0, 0, 2, 2, (0, 0, 0), 0.2)
    assert picture(canvas.png()).getpixel((1, 1)) == (204, 204, 204)


def test_a_line_has_the_requested_width() -> None:
    canvas = Canvas(20, 20, WHITE)
    canvas.draw([[(2, 10), (18, 10)]], RED, 4)
    drawn = picture(canvas.png())
    blue = drawn.getchannel("B").crop((10, 0, 11, 20)).tobytes()
    covered = sum(255 - share for share in blue) / (255 - RED[2])
    assert covered == pytest.approx(4, abs=0.1)


def test_a_text_is_on_its_baseline_and_has_the_measured_width() -> None:
    canvas = Canvas(300, 60, WHITE)
    canvas.write("HIM", 20, 40, 24, (0, 0, 0))
    box = ImageOps.invert(picture(canvas.png()).convert("L")).getbbox()
    assert box is not None
    left, top, right, bottom = box
    assert [top, bottom] == pytest.approx([16, 40], abs=1)
    assert 20 <= left < right <= 20 + width("HIM", 24) + 1


def test_every_title_fits() -> None:
    for scenario in all_scenarios():
        lines = wrapped(scenario.title, 32, 1088, 2, bold=True)
        assert " ".join(lines) == scenario.title, "nothing is cut off"


def test_a_long_text_ends_in_an_ellipsis() -> None:
    (line,) = wrapped("one message after the other " * 9, 20, 300, 1)
    assert line.endswith(" …")
    assert width(line, 20) <= 300


@pytest.mark.django_db
def test_the_preview_of_a_run_has_a_picture_and_its_result(client: Client) -> None:
    experiment = make.experiment(State.DONE, "broken", "holds")
    page = client.get(experiment.get_absolute_url()).content.decode()
    address = f"http://testserver{reverse('labs:picture', args=[experiment.slug])}"
    assert f'<meta property="og:image" content="{address}">' in page
    assert 'property="og:description" content="As described: 985 of 10,000' in page
    answer = client.get(address)
    assert answer["Content-Type"] == "image/png"
    drawn = picture(answer.content)
    assert drawn.size == (1200, 630)
    red = sum(count for count, colour in drawn.getcolors(1_000_000) or () if colour == RED)
    assert red > 200, "the verdict and what was lost are drawn"


@pytest.mark.django_db
@pytest.mark.parametrize("state", [State.RUNNING, State.FAILED])
def test_a_run_without_a_verdict_has_no_picture(client: Client, state: State) -> None:
    experiment = make.experiment(state)
    assert client.get(reverse("labs:picture", args=[experiment.slug])).status_code == 404
    assert "og:image" not in client.get(experiment.get_absolute_url()).content.decode()
