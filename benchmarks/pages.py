"""How long the server takes for each of the advisor's pages.

`python -m benchmarks.pages [--pipelines 20] [--rounds 3] [--seed 1]` creates a database, saves that
many random pipelines, and requests every page of every kind through Django's handler with all its
middleware: the questionnaire's steps and their card, the intake, the advice by current and by older
rules, what is newer, the report, each file, the archive, and the whole reference. For each kind it
prints the time of the first page that a process serves, then the median, p99 and maximum of all
visits, and the ratio of the median to the peer measured in the same run: the bare frame of a page,
for an address that does not exist. Times are processor time, so that other load on the machine
matters less; they do not include waiting for the disk. Exit code 1 if a page takes more than
100 ms; its address is printed.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import pickle
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from django.test import Client

LIMIT_MS = 100.0
FRAME = "the frame alone"
OLDER = "0"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Visit:
    """One request for a page; with `posted`, it sends a form."""

    kind: str
    url: str
    posted: dict[str, str] | None = None

    def measure(self, client: Client) -> float:
        """Makes the request; returns the milliseconds of processor time until the response."""
        began = time.process_time()
        response = (
            client.get(self.url) if self.posted is None else client.post(self.url, self.posted)
        )
        took = (time.process_time() - began) * 1e3
        if response.status_code not in (200, 302) and self.kind != FRAME:
            raise SystemExit(f"{self.url} answers {response.status_code}")
        return took


@dataclass(slots=True)
class Kind:
    """The times of the visits to one kind of page, in ms, and the address of the slowest."""

    first: float
    took: list[float] = field(default_factory=list)
    worst: str = ""

    def add(self, visit: Visit, took: float) -> None:
        """Adds the time of one visit."""
        if took > max(self.took, default=0.0):
            self.worst = visit.url
        self.took.append(took)


def visits(slugs: list[str], older: list[str]) -> Iterator[Visit]:
    """Yields a visit to every page, kind by kind."""
    from advisor.pages.reference import entries
    from advisor.questions.questionnaire import STEPS

    yield Visit(FRAME, "/nothing/here/")
    for step in STEPS:
        yield Visit("questionnaire", f"/describe/{step.slug}/")
        yield Visit("questionnaire, card", f"/describe/{step.slug}/card/", {"producer.acks": "1"})
        yield Visit("questionnaire, answered", f"/describe/{step.slug}/", {"producer.acks": "1"})
    files = {"text": "acks=1\nenable.idempotence=false\n", "kind": "producer-properties"}
    yield Visit("intake", "/describe/from-files/")
    yield Visit("intake, read", "/describe/from-files/", files)
    for slug in slugs:
        for kind, path in (("advice", ""), ("report", "report/"), ("archive", "archive.zip")):
            yield Visit(kind, f"/pipelines/{slug}/{path}")
        for product in exports_of(slug):
            yield Visit("export", f"/pipelines/{slug}/export/{product}/")
    for slug in older:
        yield Visit("advice of older rules", f"/pipelines/{slug}/")
        yield Visit("report of older rules", f"/pipelines/{slug}/report/")
        yield Visit("compared with today", f"/pipelines/{slug}/compared/")
        yield Visit("the newer advice", f"/pipelines/{slug}/newer/")
    yield Visit("reference", "/reference/")
    yield Visit("reference, searched", "/reference/?q=acks")
    for entry in entries():
        yield Visit(f"reference, a {entry.kind}", entry.url)


def exports_of(slug: str) -> list[str]:
    """The names of the exports that the page of a saved pipeline offers."""
    from advisor.export import exports_for
    from advisor.services import find

    saved = find(slug)
    return [export.name for export in exports_for(saved.recommended(), saved.described())]


def saved(pipelines: int, seed: int) -> list[Visit]:
    """Creates the database and its pipelines; returns every visit to make."""
    from django.core.management import call_command

    from advisor import services
    from benchmarks.advice import drawn

    call_command("migrate", verbosity=0)
    source = drawn(random.Random(seed))  # noqa: S311 - a benchmark is to be repeatable
    slugs, older = [], []
    for _ in range(pipelines):
        pipeline = next(source)
        before = services.save(pipeline)
        before.rules_version, before.digest = OLDER, ""
        before.save()
        older.append(before.slug)
        slugs.append(services.save(pipeline).slug)
    return list(visits(slugs, older))


def in_child_process(work: Callable[[], _T]) -> _T:
    """The result of `work`, computed in a child process, so that this process does not change."""
    reader, writer = os.pipe()
    if child := os.fork():
        os.close(writer)
        with os.fdopen(reader, "rb") as answer:
            text = answer.read()
        if os.waitpid(child, 0)[1] or not text:
            raise SystemExit("a page did not answer; see above")
        result: _T = pickle.loads(text)  # noqa: S301 - from our own child
        return result
    code = 1
    try:
        with os.fdopen(writer, "wb") as answer:
            answer.write(pickle.dumps(work()))
        code = 0
    finally:
        os._exit(code)


def line(name: str, kind: Kind, frame: float) -> bool:
    """Prints one row of the table; returns whether every visit of this kind was fast enough."""
    took = sorted(kind.took)
    median, p99, worst = statistics.median(took), took[math.ceil(0.99 * len(took)) - 1], took[-1]
    slow = f"  over {LIMIT_MS:.0f} ms: {kind.worst}" if worst > LIMIT_MS else ""
    slow += f"  the first is over {LIMIT_MS:.0f} ms" if kind.first > LIMIT_MS else ""
    print(f"{name:24} {len(kind.took):6} {kind.first:8.1f} {median:8.1f} {p99:8.1f} "
          f"{worst:8.1f} {median / frame:9.1f}{slow}")  # fmt: skip
    return not slow


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pipelines", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="delivery-lab-pages-") as folder:
        os.environ["LAB_DATA_DIR"] = folder
        from django.conf import settings
        from django.test import Client

        import config.wsgi  # noqa: F401 - as the web server does before it serves

        logging.disable(logging.WARNING)
        # No visitor makes as many requests.
        settings.LAB_LIMITS = {
            kind: (sys.maxsize, sys.maxsize, seconds)
            for kind, (_, _, seconds) in settings.LAB_LIMITS.items()
        }
        client = Client(headers={"host": "localhost"})
        client.handler.load_middleware()  # as a server does before its first visitor
        visits_to_make = in_child_process(partial(saved, options.pipelines, options.seed))
        kinds: dict[str, Kind] = {}
        for visit in visits_to_make:
            if visit.kind not in kinds:
                kinds[visit.kind] = Kind(in_child_process(partial(visit.measure, client)))
        for visit in visits_to_make * options.rounds:
            kinds[visit.kind].add(visit, visit.measure(client))
    print(f"{'ms of processor time':24} {'pages':>6} {'first':>8} {'median':>8} {'p99':>8} "
          f"{'worst':>8} {'× frame':>9}")  # fmt: skip
    frame = statistics.median(kinds[FRAME].took)
    slow = [name for name, kind in kinds.items() if not line(name, kind, frame)]
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
