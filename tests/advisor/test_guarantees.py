"""The anomalies that each guarantee forbids, and the strongest guarantee for anomalies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.guarantees import FORBIDS, Anomaly, Guarantee, Requirement, strongest

ANOMALIES = st.frozensets(st.sampled_from(list(Anomaly)))


def test_exactly_once_forbids_what_both_others_forbid_and_more():
    both = FORBIDS[Guarantee.AT_MOST_ONCE] | FORBIDS[Guarantee.AT_LEAST_ONCE]
    halves = {Anomaly.ABORTED_READ, Anomaly.TORN_TRANSACTION, Anomaly.STATE_LOST}
    assert FORBIDS[Guarantee.EXACTLY_ONCE] == both | halves
    assert not halves & both
    assert not FORBIDS[Guarantee.AT_MOST_ONCE] & FORBIDS[Guarantee.AT_LEAST_ONCE]


def test_unavailability_breaks_no_guarantee():
    assert strongest({Anomaly.UNAVAILABLE, Anomaly.BLOCKED}) is Guarantee.EXACTLY_ONCE


def test_a_loss_and_a_redelivery_leave_no_guarantee():
    assert strongest({Anomaly.LOST_WRITE}) is Guarantee.AT_MOST_ONCE
    assert strongest({Anomaly.REDELIVERY}) is Guarantee.AT_LEAST_ONCE
    assert strongest({Anomaly.LOST_WRITE, Anomaly.REDELIVERY}) is Guarantee.NONE


@given(ANOMALIES)
def test_the_strongest_guarantee_forbids_nothing_that_is_permitted(permitted):
    guarantee = strongest(permitted)

    assert not FORBIDS[guarantee] & permitted
    for other in Guarantee:
        if FORBIDS[other] > FORBIDS[guarantee]:
            assert FORBIDS[other] & permitted


def test_ordering_forbids_only_reordering():
    without, with_order = Requirement(), Requirement(ordering=True)
    assert with_order.forbids() - without.forbids() == {Anomaly.REORDERED, Anomaly.KEY_REORDERED}
