"""The JVM of a gateway ends with its block."""

from __future__ import annotations

from pathlib import Path

from labs.maintenance.products.gateway import gateway


def test_a_jvm_ends_with_its_block_even_with_running_threads() -> None:
    with gateway([]) as opened:
        pid = int(opened.jvm.java.lang.ProcessHandle.current().pid())
        opened.jvm.java.util.Timer()  # its thread is not a daemon
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()
