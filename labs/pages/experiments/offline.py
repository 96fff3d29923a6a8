"""A run as one HTML file that plays without a server: styles, script and telemetry are inside."""

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
"""A concept's word leads to a page of the installation, which the file knows nothing of."""


def page(experiment: Experiment, context: dict[str, Any]) -> str:
    """The file. `context` is what the experiment's own page shows."""
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
        raise FileNotFoundError(f"the static file {name} is not there")
    return Path(path)


def _inside(name: str) -> SafeString:
    return mark_safe(_text(name))  # noqa: S308 - our own files, and the vendored one as published


@cache
def _styles() -> SafeString:
    styles = "\n".join(_text(name) for name in _STYLES)
    return mark_safe(_FONT.sub(_font, styles))  # noqa: S308 - our own


def _font(match: re.Match[str]) -> str:
    """A font of ours as part of the sheet that names it."""
    font = base64.b64encode(_file(match[1]).read_bytes()).decode()
    return f'url("data:font/woff2;base64,{font}")'


@cache
def _player() -> SafeString:
    """The replay's two modules as one: a file opened from a disk may not import another."""
    chart, player = _text("replay-chart.js"), _text("replay.js")
    if _EXPORT not in chart or _IMPORT not in player:
        raise ValueError("the modules of the replay are not joined as they were")
    joined = chart.replace(_EXPORT, "function chart(") + player.replace(_IMPORT, "")
    return mark_safe(joined)  # noqa: S308 - our own


def _plain(data: Any) -> SafeString:
    """JSON in which nothing can end the script element that holds it."""
    text = json.dumps(data, separators=(",", ":"))
    return mark_safe(text.replace("<", "\\u003c"))  # noqa: S308 - no < is left in it
