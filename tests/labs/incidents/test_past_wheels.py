"""Past releases of librdkafka: only the wheel in the lock is run."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from labs.engine.distributions.distribution import UnknownVersion, WrongChecksum
from labs.engine.distributions.download import DownloadFailed
from labs.incidents import wheels
from tests.image.image import instructions

NAME = "confluent_kafka-2.3.0-cp311-cp311-any.whl"


@pytest.fixture
def served_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel that a patched pip downloads, a lock that names it, and an empty cache."""
    wheel = tmp_path / NAME
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("confluent_kafka/__init__.py", "")
    locks = tmp_path / "locks"
    locks.mkdir()
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (locks / "confluent-kafka-2.3.0.txt").write_text(f"{NAME} {digest}\n")
    monkeypatch.setattr(wheels, "LOCKS", locks)
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))

    def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        folder = Path(command[command.index("--dest") + 1])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / NAME).write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", pip)
    return wheel


def test_the_locked_wheel_is_unpacked_for_a_play(served_wheel: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    wheels.unpack("2.3.0", tmp_path / "one", lines.append)
    served_wheel.unlink()  # the second play uses the cache
    wheels.unpack("2.3.0", tmp_path / "two", lines.append)
    assert (tmp_path / "two" / "confluent_kafka" / "__init__.py").is_file()
    assert lines == ["downloading confluent-kafka 2.3.0"]


def test_another_wheel_is_refused_and_not_kept(served_wheel: Path, tmp_path: Path) -> None:
    served_wheel.write_bytes(b"changed on its way")
    for _ in range(2):
        with pytest.raises(WrongChecksum, match="not a recorded wheel"):
            wheels.unpack("2.3.0", tmp_path / "modules", lambda _: None)
    assert not (tmp_path / "modules").exists()


def test_a_release_without_a_lock_is_refused(served_wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownVersion, match=r"1\.0\.0"):
        wheels.unpack("1.0.0", tmp_path / "modules", lambda _: None)


def test_the_error_message_of_the_package_index_is_reported(
    served_wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "ERROR: No matching distribution\n")

    monkeypatch.setattr(subprocess, "run", refused)
    with pytest.raises(DownloadFailed, match=r"has none for Python 3[\s\S]*No matching"):
        wheels.unpack("2.3.0", tmp_path / "modules", lambda _: None)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize(
    "release",
    sorted(path.stem.split("-")[-1] for path in Path(wheels.__file__).parent.glob("*.txt")),
)
def test_each_release_has_a_wheel_for_the_python_of_the_image(release: str, machine: str) -> None:
    [python] = {rest.split(":")[1].split("-")[0] for word, rest in instructions() if word == "FROM"}
    tag = f"-cp{python.replace('.', '')}-"
    names = [name for name in wheels.locked(release) if tag in name and machine in name]
    assert names, f"{release} cannot be played in the image, which has Python {python}"
