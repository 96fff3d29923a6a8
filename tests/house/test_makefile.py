"""What the targets of the Makefile check, print and run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from config.doctor import chromium_program
from tests.house.files import ROOT


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine that has only make."""
    make = shutil.which("make")
    assert make
    (tmp_path / "make").symlink_to(make)
    return {"PATH": str(tmp_path)}


def planned(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The process of `make --dry-run`, which prints what `make` would run."""
    return subprocess.run(
        ["make", "--dry-run", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("goal", ["test", "nightly"])
def test_without_chromium_nothing_starts_and_the_remedy_is_named(
    bare: dict[str, str], goal: str
) -> None:
    process = planned(bare, goal)
    assert process.returncode == 2
    assert process.stdout == ""
    (line,) = process.stderr.splitlines()
    assert "apt-get install chromium" in line
    assert f"make {goal} BROWSER=no" in line


def test_chromium_is_found_under_each_of_its_names(bare: dict[str, str]) -> None:
    for name in ("chromium-headless-shell", "chromium", "chromium-browser"):
        program = Path(bare["PATH"], name)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", bare["PATH"])
            assert chromium_program() == str(program)
        assert planned(bare, "test").returncode == 0
        program.unlink()


def test_omitted_tests_are_named_at_the_end(bare: dict[str, str]) -> None:
    lines = planned(bare, "test", "BROWSER=no").stdout.replace("\\\n", "").splitlines()
    assert lines[-1] == 'echo "Left out: the browser tests (BROWSER=no)"'
    runs = [line for line in lines if "pytest" in line]
    assert len(runs) == 7
    assert all("not (" in line and "browser" in line for line in runs)


def test_each_folder_of_timeless_tests_is_run_once(bare: dict[str, str]) -> None:
    lines = planned(bare, "test", "BROWSER=no").stdout.splitlines()
    runs = [line.split('" ')[1].split(" 2>")[0] for line in lines if '-m "timeless and' in line]
    ignored = {folder: ignored for folder, *ignored in (run.split(" --ignore ") for run in runs)}
    assert len(ignored) == len(runs)
    assert "tests" in ignored
    for folder, others in ignored.items():
        assert all((ROOT / other).is_dir() for other in (folder, *others))
        below = {other for other in ignored if other.startswith(f"{folder}/")}
        nearest = {other for other in below if not any(other.startswith(f"{o}/") for o in below)}
        assert {*others} == nearest, "what one run ignores is another run, and nothing runs twice"


def test_targets_without_a_browser_do_not_require_one(bare: dict[str, str]) -> None:
    assert planned(bare, "check").returncode == 0


def test_started_programs_keep_their_bytecode(bare: dict[str, str]) -> None:
    probe = "probe: ; @echo [$(origin PYTHONDONTWRITEBYTECODE)] [$$PYTHONDONTWRITEBYTECODE]"
    process = subprocess.run(
        ["make", f"--eval={probe}", "probe"], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MAKELEVEL": "", "MAKEFLAGS": ""},
    )  # fmt: skip
    assert process.stdout == "[environment] []\n"
