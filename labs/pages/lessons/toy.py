"""The content of the page of the toy: its choices, its table, and the table as data for the
script."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from django import forms

from advisor.reasoning import leader_loss
from advisor.reasoning.leader_loss import ACKS, MIN_ISR, Follower, Outcome, State

LONGEST_LAG_S = 45
"""The largest lag of a follower: more than the limit of the in-sync set."""
USUAL: dict[str, str] = {"acks": "1", "min_isr": "2", "lag_2": "8", "lag_3": "5"}
"""The initial state of the page: a surprising loss."""

_SITUATIONS: tuple[tuple[str, State], ...] = (
    ("both followers in step", State("", 0, False, False, (Follower.IN_STEP,) * 2)),
    ("both behind, still in sync", State("", 0, False, False, (Follower.BEHIND,) * 2)),
    ("both out of sync", State("", 0, False, False, (Follower.OUT,) * 2)),
    (
        "both out of sync, with eligible leader replicas",
        State("", 0, False, True, (Follower.OUT,) * 2),
    ),
    ("both out of sync, unclean election", State("", 0, True, False, (Follower.OUT,) * 2)),
)


class ToyForm(forms.Form):
    """The controls of the toy."""

    acks = forms.ChoiceField(choices=[(ack, ack) for ack in ACKS])
    min_isr = forms.TypedChoiceField(choices=[(number, number) for number in MIN_ISR], coerce=int)
    unclean = forms.BooleanField(required=False)
    eligible = forms.BooleanField(required=False)
    lag_2 = forms.IntegerField(min_value=0, max_value=LONGEST_LAG_S)
    lag_3 = forms.IntegerField(min_value=0, max_value=LONGEST_LAG_S)

    def state(self) -> State:
        """Returns the state of a valid form."""
        data = self.cleaned_data
        lags = (data["lag_2"], data["lag_3"])
        first, second = (leader_loss.follower(lag) for lag in lags)
        return State(
            data["acks"], data["min_isr"], data["unclean"], data["eligible"], (first, second)
        )


@dataclass(frozen=True, slots=True)
class Row:
    """The outcomes of one `acks` and one `min.insync.replicas`, each with its situation."""

    acks: str
    min_isr: int
    outcomes: tuple[tuple[str, Outcome], ...]


def situations() -> tuple[str, ...]:
    """Returns the headings of the columns."""
    return tuple(words for words, _ in _SITUATIONS)


@cache
def table() -> tuple[Row, ...]:
    """Returns the different outcomes, for browsers without scripts: settings by situations."""
    return tuple(
        Row(
            acks,
            least,
            tuple(
                (words, leader_loss.outcome(replace(state, acks=acks, min_isr=least)))
                for words, state in _SITUATIONS
            ),
        )
        for acks in ACKS
        for least in MIN_ISR
    )


@cache
def data() -> dict[str, Any]:
    """Returns the outcome of every state, for the script; each text is in `texts` once."""
    texts: dict[str, int] = {"": 0}

    def number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    results = {}
    for state in leader_loss.states():
        outcome = leader_loss.outcome(state)
        results[state.key] = {
            "lost": number(outcome.lost),
            "pause": number(outcome.pause),
            "event": number(outcome.event.title),
            "refused": outcome.refused,
            "hidden": outcome.hidden,
        }
    return {
        "lag_max_s": leader_loss.lag_max_ms() / 1000,
        "fencing_s": leader_loss.fencing_ms() / 1000,
        "texts": list(texts),
        "states": results,
    }
