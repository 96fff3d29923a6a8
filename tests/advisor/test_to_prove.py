"""Which of the events that can be staged the advice offers on top, and where the others are."""

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
        # A loss in many events: the shortest experiment, which shows it every time.
        (SAFE | ACKS_1, {PLAINEST}),
        # acks=all never loses in that one: an event in which these settings do.
        (SAFE | UNCLEAN, {"isr-shrunk-leader-down", "unclean-election"}),
        (SAFE | ONE_COPY, {"broker-disk-lost"}),
        # Nothing is lost anywhere: what is processed twice can still be looked at.
        (SAFE, {"consumer-killed-before-commit"}),
    ],
)
def test_what_is_offered_may_do_the_gravest_thing(fields: dict[str, str], events: set[str]):
    pipeline = described(fields | {"need.survive": "1"})
    offered = to_prove(judgement(pipeline))
    assert offered is not None
    assert offered.name in events
