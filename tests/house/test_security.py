"""The claims of the pages on security: the named tests exist, the limits are in force."""

from __future__ import annotations

import re

import pytest
from django.conf import global_settings

from advisor.pages import importing
from config import settings, web
from labs.pages.experiments import downloads
from labs.runs import series
from tests.house.files import ROOT

DOCS = ROOT / "docs"
SECURITY = (DOCS / "security.md").read_text("utf-8")
ASVS = (DOCS / "asvs.md").read_text("utf-8")
ROW = re.compile(r"\| (\d[\d., to]+) \| (\S.*?) \| (.+) \|")
STATUSES = {"met", "in part", "not met", "no"}
KIND_OF_ROW = {
    "sessions": "sessions", "uploads and live readings": "uploads", "starts": "starts",
    "pages on which today's rules are applied to a kept answer": "answers",
    "descriptions that are kept": "saves", "class rooms opened": "rooms", "signing in": "signins",
    "accounts made": "signups", "joining a class": "joins", "whatever else is sent": "writes",
}  # fmt: skip
"""The rows of the table of costs, with the kind of limit that each states."""


def costs() -> dict[str, list[str]]:
    """The cells of each row of the table of costs, by the first: limits per visitor and address."""
    table = SECURITY.partition("## What an anonymous visitor may cost")[2].partition("## ")[0]
    rows = (line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| "))
    return {name: cells for name, *cells in rows}


def number(cell: str) -> int:
    return int(cell.split()[0].replace(",", ""))


@pytest.mark.parametrize("page", [SECURITY, ASVS], ids=["security", "asvs"])
def test_every_test_and_file_that_a_claim_names_exists(page: str) -> None:
    named = re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:py|yml))(?:[ `])", page)
    missing = [name for name in named if "/" in name and not _exists(name)]
    assert len(named) > 4
    assert missing == []


def _exists(name: str) -> bool:
    return any((ROOT / folder / name).is_file() for folder in ("", "tests"))


def test_every_requirement_has_a_status_and_a_reason() -> None:
    rows = [ROW.fullmatch(line) for line in ASVS.splitlines() if re.match(r"\| \d", line)]
    assert len(rows) > 80
    for row in rows:
        assert row
        assert row[2] in STATUSES, row[1]


@pytest.mark.parametrize(("row", "kind"), KIND_OF_ROW.items())
def test_each_stated_limit_is_in_force(row: str, kind: str) -> None:
    visitor, address, *_ = costs()[row]
    *most, seconds = settings.LAB_LIMITS[kind]
    # Visitors are distinguished by session, so sessions are counted per address only.
    stated = [number(cell) for cell in (address if visitor == "–" else visitor, address)]
    assert stated == most
    assert address.endswith("a minute" if seconds == 60 else "an hour")


def test_the_limits_of_queue_and_rooms_are_as_stated() -> None:
    for row, limits in (
        ("experiments that wait", settings.LAB_QUEUE),
        ("class rooms that are open at once", settings.LAB_ROOMS),
    ):
        visitor, address, reason = costs()[row]
        assert (number(visitor), number(address)) == (limits["visitor"], limits["address"])
        assert "all" not in limits or f"of {limits['all']} places" in reason


def test_limits_of_other_settings_are_as_stated() -> None:
    comparisons = costs()["comparisons of releases that go on at once"]
    assert (number(comparisons[0]), number(comparisons[1])) == (*series.MOST_ACTIVE.values(),)
    assert number(comparisons[2].replace("each has two", "2")) == series.AT_ONCE
    # Django's defaults: the settings do not raise them.
    megabytes = global_settings.DATA_UPLOAD_MAX_MEMORY_SIZE / 2**20
    fields = global_settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    assert not [name for name in vars(settings) if name.startswith("DATA_UPLOAD_")]
    request_limits = f"{megabytes:.1f} MB, {fields:,} fields, {importing.MAX_FILES} files"
    assert costs()["one request"][0] == request_limits
    connections = costs()["connections"][2]
    assert connections.startswith(f"{web.CONNECTIONS:,} in all; one that is silent for")
    assert f"silent for {web.IDLE_S} s" in connections
    assert number(costs()["ledgers being downloaded"][2]) == downloads.AT_ONCE
    assert f"`LAB_KEEP_DAYS` days ({settings.LAB_KEEP_DAYS})" in SECURITY


def test_every_kind_of_limit_is_stated() -> None:
    # Limits on guessing a password are stated in the reason of signing in.
    assert settings.LAB_LIMITS.keys() == {*KIND_OF_ROW.values(), "logins", "guesses"}
