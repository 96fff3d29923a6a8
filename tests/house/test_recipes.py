"""Every recipe of docs/contributing works in a scratch copy of the project."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.files import ROOT, files, name

RECIPES = [path for path in files("docs/contributing/*.md") if "## Check it" in path.read_text()]
BLOCK = re.compile(r"^```\w+ (file|append|insert)=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHECKS = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT_S = 240.0
THOROUGH = ("count",)
"""Recipes whose check starts its own Spark."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project, as in a fresh clone."""
    for path in files():
        target = tmp_path / name(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return tmp_path


def write(recipe: str, copy: Path) -> None:
    for action, file, text in BLOCK.findall(recipe):
        target = copy / file
        if action == "file":
            assert not target.exists(), f"{file}: a recipe writes a new file"
            target.parent.mkdir(exist_ok=True)
            target.write_text(text, "utf-8")
        elif action == "insert":
            after, _, _ = text.partition("\n")
            present = target.read_text("utf-8")
            assert present.count(f"{after}\n") == 1, f"{file} has not one line {after!r}"
            target.write_text(present.replace(f"{after}\n", text), "utf-8")
        else:
            target.write_text(target.read_text("utf-8") + "\n\n" + text, "utf-8")


def commands(recipe: str) -> list[tuple[str, list[str]]]:
    """Each command with pieces of its output: the lines after it, split at each ellipsis."""
    results: list[tuple[str, list[str]]] = []
    for line in CHECKS.findall(recipe)[0].splitlines():
        if line.startswith("$ "):
            results.append((line[2:], []))
        else:
            results[-1][1].extend(piece.strip() for piece in line.split("…") if piece.strip())
    return results


@pytest.mark.process
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "recipe",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.thorough] * (path.stem in THOROUGH))
        for path in RECIPES
    ],
)
def test_each_recipe_produces_the_result_that_it_promises(recipe: Path, copy: Path) -> None:
    text = recipe.read_text("utf-8")
    write(text, copy)
    env = os.environ | {"LAB_DATA_DIR": str(copy / "data"), "PYTHONPATH": str(copy)}
    for command, promised in commands(text):
        program, *rest = shlex.split(command)
        assert program == "python"
        ended = subprocess.run(
            [sys.executable, *rest], cwd=copy, env=env, capture_output=True, text=True,
            check=False, timeout=LIMIT_S,
        )  # fmt: skip
        assert ended.returncode in (0, 1), f"{command}\n{ended.stdout}\n{ended.stderr}"
        assert "pytest" not in rest or ended.returncode == 0, ended.stdout
        for piece in promised:
            assert piece in " ".join(ended.stdout.split()), f"{command} prints: {piece}"


def test_every_recipe_is_linked_from_the_index() -> None:
    index = (ROOT / "docs" / "contributing" / "README.md").read_text("utf-8")
    linked = set(re.findall(r"\]\((\w+\.md)\)", index))
    assert linked == {path.name for path in files("docs/contributing/*.md")} - {"README.md"}
