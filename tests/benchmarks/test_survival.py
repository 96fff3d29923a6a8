"""The random draw of blows, and the record of their results."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.survival import strike
from benchmarks.survival.__main__ import main, summary
from benchmarks.survival.draw import CASES, DEEDS, PARTS, Blow, draw
from benchmarks.survival.record import RECORD_FILE, Line, Record
from labs.calibration.cases import CASES as ALL_CASES
from labs.engine.base import processes
from labs.engine.base.wait import until
from tests.stack.victims import PHASES

LINE = Line(
    1, 7, "behind", "good", "kill", ("broker",), "producing", 1.0, 0.0, "broker", "interrupted",
    "why", {"good": "unknown"}, 2.5, (), "2026-11-23",
)  # fmt: skip


def test_blows_are_reproducible_and_many_of_them_cover_everything() -> None:
    blows = [draw(1, number) for number in range(1, 1_001)]
    assert blows == [draw(1, number) for number in range(1, 1_001)]
    assert blows[0] != replace(draw(2, 1), number=1)
    assert {blow.deed for blow in blows} == set(DEEDS)
    assert {blow.phase for blow in blows} == set(PHASES)
    assert {part for blow in blows for part in blow.parts} == set(PARTS) == set(strike.COMMANDS)
    pairs = [blow.parts for blow in blows if blow.deed == "kill two"]
    assert all(len(set(parts)) == 2 for parts in pairs)
    kills = Counter(blow.deed.startswith("kill") for blow in blows)
    assert 550 < kills[True] < 750


def test_every_drawn_case_is_known() -> None:
    assert set(CASES) <= {case.name for case in ALL_CASES}


def test_recorded_blows_are_read_again_and_the_last_line_counts(tmp_path: Path) -> None:
    file = tmp_path / "survival.jsonl"
    record = Record(file)
    record.add(replace(LINE, wrong=("left: broker",)))
    record.add(replace(LINE, number=8))
    with file.open("a") as out:
        out.write('{"seed": 1')
    again = Record(file)
    assert [line.number for line in again.select(1, range(1, 10))] == [7, 8]
    assert not summary(again, 1, 10)
    again.add(LINE)
    assert summary(Record(file), 1, 10)
    assert summary(Record(file), 2, 10), "another seed's lines are not ours"


def test_a_stopped_process_continues_and_its_file_limit_is_restored() -> None:
    code = "import sys; print('here', flush=True); sys.stdin.readline()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        assert strike.stop([process.pid], 0.0) == "1 processes"
        until(lambda: processes.state(process.pid) == "S", 10, "it was not let go")
        before = Path(f"/proc/{process.pid}/limits").read_text()
        with strike.few_files([process.pid]):
            assert Path(f"/proc/{process.pid}/limits").read_text() != before
        assert Path(f"/proc/{process.pid}/limits").read_text() == before
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


def test_only_a_disk_of_the_house_itself_is_filled(tmp_path: Path) -> None:
    data = tmp_path / "somewhere"
    data.mkdir()
    assert strike.fill(data, 60.0) == ""
    assert list(data.iterdir()) == []


def test_a_number_of_blows_below_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["survival", "--random", "0"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--random 0" in capsys.readouterr().err


UNWINDS = """
import sys
from benchmarks.survival.__main__ import unwind_once
unwind_once()
try:
    print("runs", flush=True)
    sys.stdin.readline()
finally:
    print("unwinds", flush=True)
    print("kept after", sys.stdin.readline(), flush=True)
"""


def test_a_second_signal_does_not_interrupt_the_cleanup_of_the_first() -> None:
    """`timeout` sends SIGTERM twice: to its child and to its group."""
    process = subprocess.Popen(
        [sys.executable, "-c", UNWINDS],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "runs\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "unwinds\n"
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate("the batch\n", timeout=60)
    assert out.startswith("kept after the batch")
    assert error.endswith("KeyboardInterrupt\n")


def test_a_line_of_the_record_has_every_field_of_a_blow() -> None:
    assert set(Blow.__dataclass_fields__) <= set(Line.__dataclass_fields__)


def test_the_committed_record_has_no_wrong_result() -> None:
    lines = Record(RECORD_FILE).lines
    assert lines
    assert not [line for line in lines.values() if line.wrong]
