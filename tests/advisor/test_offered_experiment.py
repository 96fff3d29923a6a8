"""The event that the advice offers first as an experiment."""

from __future__ import annotations

import pytest

from advisor.pages.presentation import to_prove
from advisor.reasoning.answer import judgement
from advisor.reasoning.words import PLAINEST
from tests.advisor.pipelines import ACKS_1, SAFE, UNCLEAN, described

ONE_COPY = {"topic.replication.factor": "1", "topic.min.insync.replicas": "1"}


@pytest.mark.parametrize(
    ("fields", "events"),
    [
        # Many events lose messages: the shortest experiment, which shows it every time.
        (SAFE | ACKS_1, {PLAINEST}),
        # With acks=all nothing is lost in that event: another one in which these settings lose.
        (SAFE | UNCLEAN, {"isr-shrunk-leader-down", "unclean-election"}),
        (SAFE | ONE_COPY, {"broker-disk-lost"}),
        # No event loses messages: one that shows duplicate processing.
        (SAFE, {"consumer-killed-before-commit"}),
    ],
)
def test_the_offered_event_may_cause_the_worst_anomaly(fields: dict[str, str], events: set[str]):
    pipeline = described(fields | {"need.survive": "1"})
    offered = to_prove(judgement(pipeline))
    assert offered is not None
    assert offered.name in events
