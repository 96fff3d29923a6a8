"""The pages under many visitors and an attack of slow ones.

`python -m benchmarks.load [--visitors 200] [--queued 20] [--slow 50] [--seconds 60] [--seed 1]`
makes a data folder of its own with that many queued experiments and one that is done, starts the
real web server on it (`config.web`, no worker), and has the pages asked for:

- quiet: one visitor, page after page, nobody else;
- load: the visitors, of whom as many as there are queued experiments watch one each, whose page
  asks for its live part every second; each of the others loads a page every 5 to 15 seconds;
- attack: the same, and slow sockets: a third send half a request, a third nothing, a third ask for
  `ledger-jsonl.zip` and read nothing;
- readers: the same, and all slow sockets ask for that, more of them than have a place.

Each page comes over a connection of its own. Printed are, by phase, pages a second, the median, p95
and p99 of a page in milliseconds, how many times the p99 is that of the quiet phase in the same run
(what else a machine does is in both), how many pages were served, refused (503) and failed, the
server's processor time a page in milliseconds, and the machine's load. Exit code 1 if one failed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.cpu import cpu_s
from labs.engine.base.processes import ROOT, end, spawn
from labs.engine.base.wait import until

THINK_S = (5.0, 15.0)
WATCH_S = 1.0
SLOW_S = (11.0, 14.0)
"""A little longer than the server bears silence."""
LIMIT_S = 30.0

_MAKE = """
import json, sys, django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from labs.runs import queue, services
queue.nudge = lambda *_: False  # nobody works here
from tests.addresses import FIELDS
from tests.labs import make
from advisor import services as advisor
pipeline, _ = advisor.from_fields(FIELDS)
slug = advisor.save(pipeline).slug
done = make.recorded()
(done.runs.all()[0].ledger.parent / "ledger-jsonl.zip").write_bytes(bytes(20_000_000))
services.QUEUE_LIMIT = int(sys.argv[1])
waiting = [services.start(slug, services.FIRST_SCENARIO).slug for _ in range(int(sys.argv[1]))]
print(json.dumps({"slug": slug, "done": done.slug, "waiting": waiting}))
"""
"""The folder's database, by the code that the tests use; prints what it holds."""


@dataclass(slots=True)
class Seen:
    """The outcomes of the pages of one phase."""

    took_ms: list[float] = field(default_factory=list)
    refused: int = 0
    failed: list[str] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        """NaN if there was no page."""
        took = sorted(self.took_ms)
        return took[math.ceil(share * len(took)) - 1] if took else math.nan


@dataclass(frozen=True, slots=True)
class Server:
    """One that runs."""

    port: int
    pid: int

    def cpu_s(self) -> float:
        """Processor time so far."""
        return cpu_s(self.pid)


def request(path: str) -> bytes:
    """One GET, after which the server closes."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()


async def page(port: int, path: str, seen: Seen) -> None:
    """Asks for one page and reads it whole."""
    began = time.perf_counter()
    try:
        async with asyncio.timeout(LIMIT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(request(path))
                answer = await reader.read()
            finally:
                writer.close()
    except OSError as error:  # a timeout is one
        seen.failed.append(f"{path}: {error!r}")
        return
    status = answer[9:12].decode(errors="replace")
    if status == "503":
        seen.refused += 1
    elif status not in ("200", "286", "302"):
        seen.failed.append(f"{path}: {status or 'nothing'}")
    else:
        seen.took_ms.append((time.perf_counter() - began) * 1e3)


async def reads(port: int, pages: list[str], rng: random.Random, seen: Seen) -> None:
    """A visitor who thinks between pages."""
    await asyncio.sleep(rng.uniform(0, THINK_S[1]))
    while True:
        await page(port, rng.choice(pages), seen)
        await asyncio.sleep(rng.uniform(*THINK_S))


async def watches(port: int, slug: str, rng: random.Random, seen: Seen) -> None:
    """A visitor who watches a queued experiment."""
    await asyncio.sleep(rng.uniform(0, WATCH_S))
    while True:
        await page(port, f"/experiments/{slug}/live/", seen)
        await asyncio.sleep(WATCH_S)


async def attacked(server: Server, made: dict, options: argparse.Namespace) -> Seen:
    """All visitors for some seconds, beside slow ones of each kind."""
    return await beside(server, made, options, attacks(made))


async def read_slowly(server: Server, made: dict, options: argparse.Namespace) -> Seen:
    """The same beside slow readers alone."""
    return await beside(server, made, options, attacks(made)[-1:])


async def beside(
    server: Server, made: dict, options: argparse.Namespace, sent: tuple[bytes, ...]
) -> Seen:
    """All visitors, and beside them slow ones who send this."""
    rng = random.Random(options.seed)  # noqa: S311
    slow = [asyncio.create_task(is_slow(server.port, sent[number % len(sent)], rng))
            for number in range(options.slow)]  # fmt: skip
    seen = await crowd(server, made, options)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    return seen


async def crowd(server: Server, made: dict, options: argparse.Namespace) -> Seen:
    """All visitors for some seconds."""
    rng, seen, pages = random.Random(options.seed), Seen(), pages_of(made)  # noqa: S311
    watching = [watches(server.port, slug, rng, seen) for slug in made["waiting"]]
    reading = max(0, options.visitors - len(watching))
    everybody = [reads(server.port, pages, rng, seen) for _ in range(reading)] + watching
    tasks = [asyncio.create_task(coroutine) for coroutine in everybody]
    await asyncio.sleep(options.seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return seen


async def alone(server: Server, made: dict, options: argparse.Namespace) -> Seen:
    """One visitor who does not think, on every page three times."""
    seen = Seen()
    for path in pages_of(made) * 3:
        await page(server.port, path, seen)
    return seen


def pages_of(made: dict) -> list[str]:
    """What visitors look at."""
    slug, done = made["slug"], made["done"]
    return [
        "/", "/experiments/", f"/experiments/{done}/", f"/experiments/{done}/report.txt",
        f"/pipelines/{slug}/", f"/pipelines/{slug}/report/", "/describe/client/",
        "/describe/producer/", "/learn/", "/learn/what-an-acknowledgement-means/story/",
        "/reference/", "/reference/settings/producer/acks/", "/evidence/",
    ]  # fmt: skip


async def is_slow(port: int, sent: bytes, rng: random.Random) -> None:
    """Sends this, reads next to nothing, and comes back once it must have been closed."""
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            try:
                writer.write(sent)
                await asyncio.sleep(rng.uniform(*SLOW_S))
            finally:
                writer.close()


def attacks(made: dict) -> tuple[bytes, ...]:
    """The requests of slow attackers."""
    archive = f"/experiments/{made['done']}/described/ledger-jsonl.zip"
    return b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: ", b"", request(archive)


@contextmanager
def serving(folder: Path, queued: int) -> Iterator[tuple[Server, dict]]:
    """The real web server on a folder of its own, and what is in it."""
    env = {**os.environ, "LAB_DATA_DIR": str(folder / "data"), "DATABASE_URL": "",
           "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings",
           "REDIS_URL": f"unix://{folder}/nobody.sock"}  # fmt: skip
    making = [sys.executable, "-c", _MAKE, str(queued)]
    made = subprocess.run(making, env=env, cwd=ROOT, check=True, capture_output=True, text=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    argv = [sys.executable, "-m", "config.web", "--port", str(port)]
    process = spawn(argv, log=folder / "web.log", env=env, cwd=ROOT)
    try:
        until(lambda: answers(port), 120, "the web server does not answer", every_s=0.2)
        yield Server(port, process.pid), json.loads(made.stdout)
    finally:
        end(process, 5)


def answers(port: int) -> bool:
    seen = Seen()
    asyncio.run(page(port, "/", seen))
    return bool(seen.took_ms)


def line(phase: str, seen: Seen, took_s: float, cpu_s: float, quiet_ms: float) -> None:
    """Prints one row of the table."""
    served, p99 = len(seen.took_ms), seen.quantile(0.99)
    median = statistics.median(seen.took_ms) if served else math.nan
    print(f"{phase:8} {served / took_s:8.1f} {median:8.0f} {seen.quantile(0.95):8.0f} {p99:8.0f} "
          f"{p99 / quiet_ms:9.1f} {served:8} {seen.refused:8} {len(seen.failed):7} "
          f"{1e3 * cpu_s / max(1, served):8.1f} {os.getloadavg()[0]:8.1f}", flush=True)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("visitors", 200), ("queued", 20), ("slow", 50), ("seconds", 60)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("phase     pages/s   median      p95   p99 ms   × quiet   served  refused  failed "
          "  CPU ms     load")  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="delivery-lab-load-") as folder,
        serving(Path(folder), options.queued) as (server, made),
    ):
        failed = phases(server, made, options)
    print("\n".join(failed[:10]))
    return 1 if failed else 0


def phases(server: Server, made: dict, options: argparse.Namespace) -> list[str]:
    """Runs them in order and prints each; the pages that failed."""
    failed, quiet_ms = [], math.nan
    for phase, visit in (
        ("warm", alone), ("quiet", alone), ("load", crowd), ("attack", attacked),
        ("readers", read_slowly),
    ):  # fmt: skip
        began, cpu_s = time.monotonic(), server.cpu_s()
        seen = asyncio.run(visit(server, made, options))
        took_s, used_s = time.monotonic() - began, server.cpu_s() - cpu_s
        quiet_ms = seen.quantile(0.99) if phase == "quiet" else quiet_ms
        line(phase, seen, took_s, used_s, quiet_ms)
        failed += seen.failed
    return failed


if __name__ == "__main__":
    sys.exit(main())
