"""The JVM that answers for the products: it must be gone when nobody asks any more."""

from __future__ import annotations

from pathlib import Path

from labs.maintenance.products.gateway import gateway


def test_a_jvm_ends_with_its_block_whatever_still_runs_in_it() -> None:
    with gateway([]) as opened:
        pid = int(opened.jvm.java.lang.ProcessHandle.current().pid())
        opened.jvm.java.util.Timer()  # its thread is no daemon
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()
