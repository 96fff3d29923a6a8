"""One plain sentence about what a pipeline gives: the number first, no adjectives."""

from __future__ import annotations

from advisor.reasoning.assess import Assessed, Assessment
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Boundary, Guarantee

_MAY = {
    Anomaly.LOST_WRITE: "acknowledged messages can be lost",
    Anomaly.GIVEN_UP: "messages can be given up while brokers change over",
    Anomaly.SKIPPED: "messages can be passed over by the consumer",
    Anomaly.EFFECT_MISSING: "messages can be without an effect",
    Anomaly.DUPLICATE: "messages can be in the log twice",
    Anomaly.REDELIVERY: "messages can be processed twice",
    Anomaly.EFFECT_DUPLICATED: "effects can be applied twice",
}
"""In the order in which they are told: losses first."""

_GIVES = {
    Guarantee.EXACTLY_ONCE: "Exactly once is what these settings give",
    Guarantee.AT_LEAST_ONCE: "At least once is what these settings give",
    Guarantee.AT_MOST_ONCE: "At most once is all that these settings give",
    Guarantee.NONE: "No delivery guarantee is left by these settings",
}


def describe_guarantee(assessment: Assessment) -> str:
    """The end-to-end guarantee in a sentence, and the worst that can happen with its event."""
    guarantee = assessment.guarantees[Boundary.END_TO_END]
    scoped = [failure for failure in assessment.failures if failure.in_scope]
    told = [
        (f"{words[0].upper()}{words[1:]}", anomaly)
        for anomaly, words in _MAY.items()
        if anomaly in FORBIDS[Guarantee.EXACTLY_ONCE] - FORBIDS[guarantee]
    ]
    events = {anomaly: _events(scoped, anomaly) for _, anomaly in told}
    sentences = [
        f"{words} in {len(events[anomaly])} of {len(scoped)} failures, such as: "
        f"{events[anomaly][0]}."
        for words, anomaly in told
        if events[anomaly]
    ]
    if guarantee is Guarantee.EXACTLY_ONCE or not sentences:
        return f"{_GIVES[guarantee]}, in all {len(scoped)} failures that were looked at."
    return f"{_GIVES[guarantee]}: {sentences[0][0].lower()}{sentences[0][1:]}" + _second(
        guarantee, sentences
    )


def _second(guarantee: Guarantee, sentences: list[str]) -> str:
    """With no guarantee at all, a loss and a repeat are both told."""
    if guarantee is not Guarantee.NONE:
        return ""
    return f" {sentences[-1]}" if len(sentences) > 1 else ""


def _events(failures: list[Assessed], anomaly: Anomaly) -> list[str]:
    titles = [each.event.title for each in failures if anomaly in each.permits]
    return [f"{title[0].lower()}{title[1:]}" for title in titles]
