"""A run as one HTML file that works without a server: it contains styles, script and telemetry."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from labs.models import Experiment
from labs.pages.experiments import replays

_STYLES = (
    "tokens.css", "page.css", "forms.css", "data.css", "tables.css", "replay.css",
    "vendor/uplot/uPlot.min.css",
)  # fmt: skip
_FONT = re.compile(r'url\("(fonts/[^"]+)"\)')
_IMPORT = 'import { chart } from "./replay-chart.js"\n'
_EXPORT = "export function chart("
_LINK = re.compile(r'<a class="term" href="[^"]*">(.*?)</a>', re.DOTALL)
"""A link to the page of a concept, which exists only on the installation."""


def page(experiment: Experiment, context: dict[str, Any]) -> str:
    """Returns the file. `context` is that of the experiment's page."""
    html = render_to_string(
        "labs/offline.html",
        {
            **context,
            "styles": _styles(),
            "plotter": _inside("vendor/uplot/uPlot.iife.min.js"),
            "player": _player(),
            "telemetry": _plain(replays.data(experiment)),
        },
    )
    return _LINK.sub(r"\1", html)


@cache
def _text(name: str) -> str:
    return _file(name).read_text("utf-8")


def _file(name: str) -> Path:
    path = finders.find(name)
    if not isinstance(path, str):
        raise FileNotFoundError(f"the static file {name} does not exist")
    return Path(path)


def _inside(name: str) -> SafeString:
    return mark_safe(_text(name))  # noqa: S308 - our files, and the vendored one as published


@cache
def _styles() -> SafeString:
    styles = "\n".join(_text(name) for name in _STYLES)
    return mark_safe(_FONT.sub(_font, styles))  # noqa: S308 - our own


def _font(match: re.Match[str]) -> str:
    """Returns the reference to a font with the font itself inline."""
    font = base64.b64encode(_file(match[1]).read_bytes()).decode()
    return f'url("data:font/woff2;base64,{font}")'


@cache
def _player() -> SafeString:
    """Returns the two modules of the replay as one: a local file cannot import another."""
    chart, player = _text("replay-chart.js"), _text("replay.js")
    if _EXPORT not in chart or _IMPORT not in player:
        raise ValueError("the modules of the replay have unexpected imports or exports")
    joined = chart.replace(_EXPORT, "function chart(") + player.replace(_IMPORT, "")
    return mark_safe(joined)  # noqa: S308 - our own


def _plain(data: Any) -> SafeString:
    """Returns JSON that cannot end the script element that contains it."""
    text = json.dumps(data, separators=(",", ":"))
    return mark_safe(text.replace("<", "\\u003c"))  # noqa: S308 - no < is left in it
