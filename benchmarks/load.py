"""The pages under many visitors, and under an attack of slow connections.

`python -m benchmarks.load [--visitors 200] [--queued 20] [--slow 50] [--seconds 60] [--seed 1]`
creates a data folder with that many queued experiments and one completed one, starts the real web
server on it (`config.web`, no worker), and requests the pages in phases:

- quiet: one visitor, page after page, and nobody else;
- load: the visitors, of whom as many as there are queued experiments watch one each, on a page that
  requests its live part every second; each of the others loads a page every 5 to 15 seconds;
- attack: the same, and slow sockets: a third send half a request, a third nothing, a third request
  `ledger-jsonl.zip` and read nothing;
- readers: the same, and all slow sockets request that file, more of them than the server allows.

Each page uses its own connection. For each phase it prints pages per second, the median, p95 and
p99 of a page in milliseconds, the ratio of the p99 to that of the quiet phase in the same run
(other load on the machine is in both), the pages that were served, refused (503) and failed, the
server's processor time per page in milliseconds, and the machine's load. Exit code 1 if one failed.
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
"""A little longer than the server keeps an idle connection."""
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
"""Creates the folder's database, with code of the tests, and prints its content."""


@dataclass(slots=True)
class Outcomes:
    """The outcomes of the pages of one phase."""

    took_ms: list[float] = field(default_factory=list)
    refused: int = 0
    failed: list[str] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        """The quantile of the times in ms; NaN if there was no page."""
        took = sorted(self.took_ms)
        return took[math.ceil(share * len(took)) - 1] if took else math.nan


@dataclass(frozen=True, slots=True)
class Server:
    """A running web server."""

    port: int
    pid: int

    def cpu_s(self) -> float:
        """Its CPU-seconds so far."""
        return cpu_s(self.pid)


def request(path: str) -> bytes:
    """A GET request after which the server closes the connection."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()


async def page(port: int, path: str, outcomes: Outcomes) -> None:
    """Requests one page, reads all of it, and records the outcome."""
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
        outcomes.failed.append(f"{path}: {error!r}")
        return
    status = answer[9:12].decode(errors="replace")
    if status == "503":
        outcomes.refused += 1
    elif status not in ("200", "286", "302"):
        outcomes.failed.append(f"{path}: {status or 'nothing'}")
    else:
        outcomes.took_ms.append((time.perf_counter() - began) * 1e3)


async def browse(port: int, pages: list[str], rng: random.Random, outcomes: Outcomes) -> None:
    """A visitor who thinks between pages."""
    await asyncio.sleep(rng.uniform(0, THINK_S[1]))
    while True:
        await page(port, rng.choice(pages), outcomes)
        await asyncio.sleep(rng.uniform(*THINK_S))


async def watch(port: int, slug: str, rng: random.Random, outcomes: Outcomes) -> None:
    """A visitor who watches a queued experiment."""
    await asyncio.sleep(rng.uniform(0, WATCH_S))
    while True:
        await page(port, f"/experiments/{slug}/live/", outcomes)
        await asyncio.sleep(WATCH_S)


async def attack(server: Server, content: dict, options: argparse.Namespace) -> Outcomes:
    """All visitors for some seconds, together with slow connections of each kind."""
    return await with_slow_connections(server, content, options, attacks(content))


async def read_slowly(server: Server, content: dict, options: argparse.Namespace) -> Outcomes:
    """All visitors for some seconds, together with slow readers only."""
    return await with_slow_connections(server, content, options, attacks(content)[-1:])


async def with_slow_connections(
    server: Server, content: dict, options: argparse.Namespace, sent: tuple[bytes, ...]
) -> Outcomes:
    """All visitors for some seconds, together with slow connections that send `sent`."""
    rng = random.Random(options.seed)  # noqa: S311
    slow = [asyncio.create_task(connect_slowly(server.port, sent[number % len(sent)], rng))
            for number in range(options.slow)]  # fmt: skip
    outcomes = await crowd(server, content, options)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    return outcomes


async def crowd(server: Server, content: dict, options: argparse.Namespace) -> Outcomes:
    """All visitors for some seconds."""
    rng, outcomes, pages = random.Random(options.seed), Outcomes(), pages_of(content)  # noqa: S311
    watching = [watch(server.port, slug, rng, outcomes) for slug in content["waiting"]]
    reading = max(0, options.visitors - len(watching))
    visitors = [browse(server.port, pages, rng, outcomes) for _ in range(reading)] + watching
    tasks = [asyncio.create_task(coroutine) for coroutine in visitors]
    await asyncio.sleep(options.seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return outcomes


async def alone(server: Server, content: dict, options: argparse.Namespace) -> Outcomes:
    """One visitor without pauses, on every page three times."""
    outcomes = Outcomes()
    for path in pages_of(content) * 3:
        await page(server.port, path, outcomes)
    return outcomes


def pages_of(content: dict) -> list[str]:
    """The paths that visitors request."""
    slug, done = content["slug"], content["done"]
    return [
        "/", "/experiments/", f"/experiments/{done}/", f"/experiments/{done}/report.txt",
        f"/pipelines/{slug}/", f"/pipelines/{slug}/report/", "/describe/client/",
        "/describe/producer/", "/learn/", "/learn/what-an-acknowledgement-means/story/",
        "/reference/", "/reference/settings/producer/acks/", "/evidence/",
    ]  # fmt: skip


async def connect_slowly(port: int, sent: bytes, rng: random.Random) -> None:
    """Sends `sent`, reads almost nothing, and reconnects once the server has closed it."""
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            try:
                writer.write(sent)
                await asyncio.sleep(rng.uniform(*SLOW_S))
            finally:
                writer.close()


def attacks(content: dict) -> tuple[bytes, ...]:
    """The requests of slow attackers."""
    archive = f"/experiments/{content['done']}/described/ledger-jsonl.zip"
    return b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: ", b"", request(archive)


@contextmanager
def serving(folder: Path, queued: int) -> Iterator[tuple[Server, dict]]:
    """The real web server on its own folder, and the content of that folder."""
    env = {**os.environ, "LAB_DATA_DIR": str(folder / "data"), "DATABASE_URL": "",
           "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings",
           "REDIS_URL": f"unix://{folder}/nobody.sock"}  # fmt: skip
    command = [sys.executable, "-c", _MAKE, str(queued)]
    created = subprocess.run(command, env=env, cwd=ROOT, check=True, capture_output=True, text=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    argv = [sys.executable, "-m", "config.web", "--port", str(port)]
    process = spawn(argv, log=folder / "web.log", env=env, cwd=ROOT)
    try:
        until(lambda: answers(port), 120, "the web server does not answer", every_s=0.2)
        yield Server(port, process.pid), json.loads(created.stdout)
    finally:
        end(process, 5)


def answers(port: int) -> bool:
    outcomes = Outcomes()
    asyncio.run(page(port, "/", outcomes))
    return bool(outcomes.took_ms)


def line(phase: str, outcomes: Outcomes, took_s: float, cpu_s: float, quiet_ms: float) -> None:
    """Prints one row of the table."""
    served, p99 = len(outcomes.took_ms), outcomes.quantile(0.99)
    median = statistics.median(outcomes.took_ms) if served else math.nan
    print(f"{phase:8} {served / took_s:8.1f} {median:8.0f} {outcomes.quantile(0.95):8.0f} "
          f"{p99:8.0f} {p99 / quiet_ms:9.1f} "
          f"{served:8} {outcomes.refused:8} {len(outcomes.failed):7} "
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
        serving(Path(folder), options.queued) as (server, content),
    ):
        failed = phases(server, content, options)
    print("\n".join(failed[:10]))
    return 1 if failed else 0


def phases(server: Server, content: dict, options: argparse.Namespace) -> list[str]:
    """Runs all phases in order and prints them; returns the pages that failed."""
    failed, quiet_ms = [], math.nan
    for phase, visit in (
        ("warm", alone), ("quiet", alone), ("load", crowd), ("attack", attack),
        ("readers", read_slowly),
    ):  # fmt: skip
        began, cpu_s = time.monotonic(), server.cpu_s()
        outcomes = asyncio.run(visit(server, content, options))
        took_s, used_s = time.monotonic() - began, server.cpu_s() - cpu_s
        quiet_ms = outcomes.quantile(0.99) if phase == "quiet" else quiet_ms
        line(phase, outcomes, took_s, used_s, quiet_ms)
        failed += outcomes.failed
    return failed


if __name__ == "__main__":
    sys.exit(main())
