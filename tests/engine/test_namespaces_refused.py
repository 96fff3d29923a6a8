"""Where no network namespaces can be made, links lead through a proxy and runs say why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs.engine.network import namespaces

pytestmark = pytest.mark.process


@pytest.fixture
def _afresh() -> Iterator[None]:
    namespaces.why_not.cache_clear()
    yield
    namespaces.why_not.cache_clear()


@pytest.mark.usefixtures("_afresh")
def test_they_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_NAMESPACES", "no")
    assert namespaces.why_not() == "LAB_NAMESPACES=no"


@pytest.mark.usefixtures("_afresh")
def test_without_the_system_s_tools_there_are_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert namespaces.why_not() == "ip and unshare: not installed"


@pytest.mark.usefixtures("_afresh")
def test_where_the_kernel_refuses_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refuses = tmp_path / "unshare"
    refuses.write_text("#!/bin/sh\nexit 1\n")
    refuses.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "may make no network namespaces" in namespaces.why_not()
