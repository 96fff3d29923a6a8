"""What a client says to its owner."""

from __future__ import annotations

import json
import sys
import threading

import pytest

from labs.engine.clients.control import report


def test_what_two_threads_say_at_once_is_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    def speak() -> None:
        for number in range(500):
            report(said=number)

    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=speak) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval_s)
    output = [json.loads(line)["said"] for line in capsys.readouterr().out.splitlines()]
    assert sorted(output) == sorted([*range(500)] * 4)
