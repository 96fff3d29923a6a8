"""The lines that a client writes to its owner."""

from __future__ import annotations

import json
import sys
import threading

import pytest

from labs.engine.clients.control import report


def test_concurrent_reports_are_written_as_separate_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def report_numbers() -> None:
        for number in range(500):
            report(said=number)

    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=report_numbers) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval_s)
    numbers = [json.loads(line)["said"] for line in capsys.readouterr().out.splitlines()]
    assert sorted(numbers) == sorted([*range(500)] * 4)
