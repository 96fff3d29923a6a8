"""The files of continuous integration and of pre-commit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.house.files import ROOT, files, name


@pytest.mark.parametrize("path", files(".github/*.yml", ".pre-commit-config.yaml"), ids=name)
def test_ci_files_are_valid_yaml_and_call_existing_commands(path: Path) -> None:
    data = yaml.safe_load(path.read_text("utf-8"))
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for job in data.get("jobs", {}).values():
        for command in filter(None, (step.get("run") for step in job["steps"])):
            program, *rest = command.split()
            assert rest[0] in targets if program == "make" else (ROOT / program).is_file()
