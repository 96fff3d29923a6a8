"""The tests of the site and the labs, with PostgreSQL in place of SQLite."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.house.files import ROOT
from tests.postgresql.server import serving

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]

SUITES = ("tests/advisor", "tests/config", "tests/labs")


def test_site_and_lab_tests_pass_on_postgresql() -> None:
    names = [
        "-q",
        "-p",
        "tests.postgresql.database_only",
        "-p",
        "no:cacheprovider",
        "-m",
        "not thorough",
    ]
    with serving() as address:
        process = subprocess.run(
            [sys.executable, "-m", "pytest", *names, *SUITES], cwd=ROOT, text=True,
            env={**os.environ, "LAB_TEST_DATABASE_URL": address},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    assert process.returncode == 0, process.stdout[-6000:]
