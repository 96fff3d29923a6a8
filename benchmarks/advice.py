"""How long one advice takes: an assessment and the smallest change for the wanted guarantee.

`python -m benchmarks.advice [--pipelines 1000] [--seed 1]` draws valid pipelines of every family
and version, with up to 12 stated settings, and prints the median, p99 and maximum time of an
assessment and of an advice. The peer, measured on the same pipelines in the same run, is the plain
way to the same answer: all sets of changes by size, each assessed as a whole, until one suffices.
It runs only if the answer has at most 2 changes (larger ones take it seconds), and must find as
many; the last line says how many times as fast the search is. Times are processor time, so that
other load on the machine matters less. Exit code 1 if an advice takes more than 20 ms at p99.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from advisor.catalog import Component, Family, kafka_versions, settings_of, validate, versions
from advisor.reasoning.assess import assess
from advisor.reasoning.fields import from_fields
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import BENDS, Change, recommend
from advisor.reasoning.search import Search
from advisor.reasoning.space import pulled
from advisor.reasoning.wish import forbidden
from tests.advisor.values import texts

LIMIT_MS = 20.0
PEER_CHANGES = 2
WISHES = ("at-most-once", "at-least-once", "exactly-once")


def drawn(draw: random.Random) -> Iterator[Pipeline]:
    """Yields valid pipelines without end, always the same for one seed."""
    while True:
        family = draw.choice(list(Family))
        version, kafka = draw.choice(versions(family)), draw.choice(kafka_versions())
        fields = {
            "family": family.value, "version": version, "kafka": kafka,
            "brokers": draw.choice(["1", "3", "5"]),
            "need.guarantee": draw.choice(WISHES),
            "need.survive": draw.choice(["0", "1", "2"]),
            "need.ordering": draw.choice(["", "on"]),
        }  # fmt: skip
        settings = [
            setting for part in Component for setting in settings_of(family, version, kafka, part)
        ]
        for setting in draw.sample(settings, draw.randint(0, 12)):
            fields[f"{setting.component}.{setting.name}"] = draw.choice(texts(setting))
        pipeline, _ = from_fields(fields)
        if pipeline is not None:
            yield pipeline


def exhaustive_size(pipeline: Pipeline, recommended: Sequence[Change]) -> int | None:
    """The size of the smallest sufficient set of changes, found by trying all of them in turn.

    Changes that bend the application are tried only if one is in `recommended`: having fewer
    changes is not a reason for one.
    """
    may_bend = any((change.component, change.setting) in BENDS for change in recommended)
    order = [
        pull for pull in Search.of(pipeline).order
        if may_bend or pull.key not in BENDS
    ]  # fmt: skip
    forbids = forbidden(pipeline)
    for size in range(PEER_CHANGES + 1):
        for pulls in combinations(order, size):
            after = pulled(pipeline, frozenset(pulls))
            broken = any(
                assessment.in_scope and not forbids.isdisjoint(assessment.permits)
                for assessment in assess(after).failures
            )
            if not broken and not validate(
                after.family, after.version, after.kafka, after.brokers, after.settings
            ):
                return size
    return None


def timed(work: Callable[[Pipeline], Any], pipeline: Pipeline) -> tuple[float, Any]:
    """The milliseconds of processor time of `work`, and its result."""
    began = time.process_time()
    result = work(pipeline)
    return (time.process_time() - began) * 1e3, result


def line(name: str, took: list[float]) -> float:
    """Prints one row of the table; returns its p99 in ms."""
    p99 = statistics.quantiles(took, n=100)[98]
    print(f"{name}: median {statistics.median(took):.2f} ms, p99 {p99:.2f} ms, "
          f"worst {max(took):.2f} ms")  # fmt: skip
    return p99


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pipelines", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = drawn(random.Random(options.seed))  # noqa: S311 - a benchmark is to be repeatable
    pipelines = [next(source) for _ in range(options.pipelines)]
    assessed, advised, ours, peers = [], [], [], []
    for pipeline in pipelines:
        first, _ = timed(assess, pipeline)
        second, result = timed(recommend, pipeline)
        assessed.append(first)
        advised.append(first + second)
        if not result.impossible and len(result.changes) <= PEER_CHANGES:
            took, size = timed(partial(exhaustive_size, recommended=result.changes), pipeline)
            if size != len(result.changes):
                raise SystemExit(f"the peer needs {size} changes: {pipeline}")
            ours.append(second)
            peers.append(took)
    line("assessment", assessed)
    p99 = line("assessment and recommendation", advised)
    line(f"every set of at most {PEER_CHANGES} changes in turn, {len(peers)} pipelines", peers)
    print(f"the search takes {sum(ours) / sum(peers):.3f} of that time: "
          f"{sum(peers) / sum(ours):.1f} times as fast")  # fmt: skip
    return 0 if p99 <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
