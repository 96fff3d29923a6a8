"""How long a browser takes to paint each kind of page.

`python -m benchmarks.paint [--rounds 5]` starts the site with its own data (the pages and states of
tests.browser.pages), opens each page in Chromium with an empty cache, and reads the browser's first
and largest contentful paint, in milliseconds from the click. It prints the first visit, for which
the server has nothing cached, then the median and maximum of the rounds, the script that a page
loads, and the ratio of the median to the peer measured in the same run: the bare frame of a page,
for an address that does not exist. Exit code 1 if a first paint takes more than a second, or a page
loads more than 200 kB of script.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from labs.engine.base.processes import end, spawn
from labs.engine.base.wait import until

LIMIT_MS = 1_000
SCRIPT_LIMIT_BYTES = 200_000
FRAME = "the frame alone"
START_LIMIT_S = 60.0
_LEFT_OUT = frozenset({"missing", "experiments-empty", "compare-empty"})
"""Pages that are left out: the frame again, and lists that are not empty here."""
_OTHER_PAGES = {
    "evidence": "/evidence/",
    "known bugs": "/advisories/",
    "a known bug": "/advisories/librdkafka--4953/",
    "all scenarios": "/scenarios/",
    "challenges": "/challenges/",
    "sign-up": "/account/sign-up/",
}
"""Pages that are not in tests.browser.pages."""

PAINTED = """() => new Promise(done => {
  const largest = new PerformanceObserver(list => {
    const first = performance.getEntriesByName("first-contentful-paint")[0]
    const script = performance.getEntriesByType("resource")
      .filter(entry => entry.name.split("?")[0].endsWith(".js"))
      .reduce((sum, entry) => sum + entry.decodedBodySize, 0)
    if (first) done([first.startTime, list.getEntries().at(-1).startTime, script])
  })
  largest.observe({ type: "largest-contentful-paint", buffered: true })
})"""


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit to a page: milliseconds to the first and the largest paint, and bytes of script."""

    first_ms: float
    largest_ms: float
    script: int


def create_pages() -> Mapping[str, str]:
    """Creates the database and its content; returns the address of each page by its name."""
    import django
    from django.core.management import call_command

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from tests.browser.pages import PAGES

    call_command("migrate", verbosity=0)
    pages = {name: make() for name, make in PAGES.items() if name not in _LEFT_OUT}
    return {FRAME: "/nothing/here/", **pages, **_OTHER_PAGES}


@contextlib.contextmanager
def site() -> Iterator[str]:
    """The web server on a free port, until the block ends."""
    from tests.stack.house import free_port

    port = free_port()
    log = Path(os.environ["LAB_DATA_DIR"]) / "web.log"
    server = spawn([sys.executable, "-m", "config.web", "--port", str(port)], log=log)
    try:
        until(lambda: server.poll() is not None or _is_open(port), START_LIMIT_S,
              "the site does not answer")  # fmt: skip
        yield f"http://127.0.0.1:{port}"
    finally:
        end(server, 30)


def _is_open(port: int) -> bool:
    """Whether the port accepts connections. Requests no page, so that nothing is cached."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def open_page(browser: Browser, address: str) -> Visit:
    """One visit with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address)
    first, largest, script = page.evaluate(PAINTED)
    context.close()
    return Visit(first, largest, script)


def line(name: str, visits: list[Visit], frame_ms: float) -> bool:
    """Prints one row of the table; returns whether the page keeps within its limits."""
    cold, *warm = visits
    median = statistics.median(visit.first_ms for visit in warm)
    largest = statistics.median(visit.largest_ms for visit in warm)
    worst, script = max(visit.first_ms for visit in visits), max(visit.script for visit in visits)
    over = f"  over {LIMIT_MS:,} ms" * (worst > LIMIT_MS)
    over += f"  over {SCRIPT_LIMIT_BYTES:,} bytes" * (script > SCRIPT_LIMIT_BYTES)
    print(f"{name:18} {cold.first_ms:8.0f} {median:8.0f} {worst:8.0f} {largest:8.0f} "
          f"{script:9,} {median / frame_ms:8.1f}{over}")  # fmt: skip
    return not over


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    from config.doctor import chromium_program

    with tempfile.TemporaryDirectory(prefix="delivery-lab-paint-") as folder:
        os.environ["LAB_DATA_DIR"] = folder
        # Playwright's loop runs in this thread, so the database is queried before it starts.
        pages = create_pages()
        with site() as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium_program(), args=["--no-sandbox", "--disable-gpu"]
            )
            open_page(browser, "data:text/html,<p>The browser's own start</p>")
            visits_by_name = {
                name: [open_page(browser, address + path) for _ in range(options.rounds + 1)]
                for name, path in pages.items()
            }
            browser.close()
    frame_ms = statistics.median(visit.first_ms for visit in visits_by_name[FRAME][1:])
    print(f"{'ms to first paint':18} {'first':>8} {'median':>8} {'worst':>8} {'largest':>8} "
          f"{'script':>9} {'× frame':>8}")  # fmt: skip
    slow = [name for name, visits in visits_by_name.items() if not line(name, visits, frame_ms)]
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
