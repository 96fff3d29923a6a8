"""The project's commands on a minimal machine that has no network after set-up."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.bare.machine import USER, Machine

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(4 * 3600)]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    tree = tmp_path_factory.mktemp("bare") / "tree"
    try:
        prepared = Machine(tree)
        prepared.give_home_to(USER)
        process = prepared.run(USER, "make", "dev", network=True)
        assert process.returncode == 0, process.stdout[-4000:]
        yield prepared
    finally:
        shutil.rmtree(tree, ignore_errors=True)


def test_the_machine_has_none_of_the_optional_programs(machine: Machine) -> None:
    names = ["java", "git", "ps", "kill", "redis-server", "ip", "chromium", "docker"]
    script = f"import shutil; print([name for name in {names} if shutil.which(name)])"
    assert machine.run(USER, "python3", "-c", script).stdout == "[]\n"


def test_make_test_names_missing_system_packages_first(machine: Machine) -> None:
    process = machine.run(USER, "make", "test")
    assert process.returncode == 2
    assert "apt-get install chromium" in process.stdout
    assert "BROWSER=no" in process.stdout
    assert len(process.stdout.splitlines()) == 1


@pytest.mark.parametrize("user", [USER, 0], ids=["somebody", "root"])
def test_make_check_and_make_test_pass(machine: Machine, user: int) -> None:
    machine.give_home_to(user)
    for command in (("make", "check"), ("make", "test", "BROWSER=no")):
        process = machine.run(user, *command)
        assert process.returncode == 0, process.stdout[-6000:]
