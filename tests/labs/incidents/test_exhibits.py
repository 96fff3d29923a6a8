"""The exhibits of every play: lines of the brokers' logs, and segments."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.engine.cluster.broker import Broker
from labs.engine.distributions.java import find_java
from labs.incidents import exhibits
from labs.incidents.programs import ProgramFailed

WARNING = "[2026-11-26 06:00:01,000] WARN Something is amiss (kafka.Kafka)"
OWN_TOPIC_LINE = "[2026-11-26 06:00:02,000] INFO [UnifiedLog partition=orders-0] Rolled (kafka.log)"


def broker(folder: Path, *logs: str, lines: list[str]) -> Broker:
    result = Broker(1, 9092, ["true"], folder / "broker-1", folder / "broker-1.log")
    for log in logs:
        (result.data / log).mkdir(parents=True)
        (result.data / log / f"{0:020}.log").touch()
    result.log.write_text("\n".join(["[…] INFO booting (kafka.Kafka)", *lines]))
    return result


def test_the_log_shows_warnings_and_lines_of_own_topics_without_folders(tmp_path: Path) -> None:
    source = broker(tmp_path, "orders-0", "__consumer_offsets-0",
                  lines=[WARNING, OWN_TOPIC_LINE, f"[…] INFO orders-0 in {tmp_path}/broker-1/data",
                         "[…] INFO __consumer_offsets-0 loaded"])  # fmt: skip
    text = exhibits.log_exhibit({1: source}, tmp_path).text
    assert text.splitlines() == [
        "broker 1:", WARNING, OWN_TOPIC_LINE, "[…] INFO orders-0 in broker-1/data",
    ]  # fmt: skip


def test_the_last_lines_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    source = broker(
        tmp_path, "orders-0", lines=[f"{OWN_TOPIC_LINE} {number}" for number in range(40)]
    )
    assert exhibits.log_exhibit({1: source}, tmp_path).text.startswith(
        "broker 1, after 26 earlier lines"
    )


def test_repeated_lines_of_a_broker_are_shown_once(tmp_path: Path) -> None:
    later = [WARNING.replace("06:00:01", f"06:00:{second}") for second in range(10, 40)]
    source = broker(tmp_path, "orders-0", lines=[WARNING, OWN_TOPIC_LINE, *later])
    shown = exhibits.log_exhibit({1: source}, tmp_path).text.splitlines()
    assert shown == ["broker 1:", OWN_TOPIC_LINE, later[-1]]


def test_segments_of_an_own_topic_are_shown_without_the_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = broker(tmp_path, "__consumer_offsets-0", "orders-0", lines=[])
    commands: list[str] = []

    def printed(*words: object) -> str:
        commands.extend(map(str, words))
        return "\n".join(f"baseOffset: {number}" for number in range(100))

    monkeypatch.setattr(exhibits, "run_java", printed)
    seen = exhibits.segment_exhibit(source, "4.3.1", "tools.jar", find_java(), tmp_path)
    assert seen.title.endswith("orders-0 on broker 1")
    assert "… 72 lines …" in seen.text
    assert commands[-1].endswith("orders-0/00000000000000000000.log")


def test_a_log_that_cannot_be_dumped_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(*_: object) -> str:
        raise ProgramFailed("the index is corrupt")

    monkeypatch.setattr(exhibits, "run_java", failed)
    source = broker(tmp_path, "orders-0", lines=[])
    seen = exhibits.segment_exhibit(source, "4.3.1", "tools.jar", find_java(), tmp_path)
    assert seen.text == "the index is corrupt"
