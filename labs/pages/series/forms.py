"""The form of the time machine: a scenario, settings, and a range of release lines."""

from __future__ import annotations

from typing import Any, cast

from django import forms

from advisor.catalog import kafka_line, written
from advisor.reasoning.pipeline import Pipeline
from labs.engine.distributions.distribution import all_versions
from labs.engine.scenarios import all_scenarios
from labs.runs.planning import saved_pipeline

_MOST_SETTINGS = 4
"""The number of settings in the name of a description."""
DEFAULTS = "A Java client with its defaults, three copies"


def _lines() -> list[tuple[str, str]]:
    lines = [kafka_line(release) for release in all_versions()]
    return [(line, line) for line in lines]


class SeriesForm(forms.Form):
    """`slugs` are the descriptions that can be chosen in addition to the defaults."""

    scenario = forms.ChoiceField(label="Failure")
    pipeline = forms.ChoiceField(label="Settings", required=False)
    first = forms.ChoiceField(label="From release line", choices=_lines, initial="3.9")
    last = forms.ChoiceField(label="To release line", choices=_lines)
    which = forms.ChoiceField(
        label="Run",
        choices=[
            ("bisect", "only the releases that show where the verdict changes"),
            ("every", "every release line"),
        ],
        initial="bisect",
        help_text="To find the release of a change, patch releases are run, too.",
    )
    experiment = forms.SlugField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, slugs: tuple[str, ...] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        scenarios = sorted(all_scenarios(), key=lambda scenario: scenario.title)
        self._choose("scenario", [(scenario.name, scenario.title) for scenario in scenarios])
        words_by_slug = {slug: words for slug in slugs if (words := described_as(slug))}
        self._choose("pipeline", [*words_by_slug.items(), ("", DEFAULTS)])
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices


def described_as(slug: str) -> str:
    """Returns a description in a few words; empty if it does not exist or is no longer valid."""
    described = saved_pipeline(slug)
    return in_words(described) if described else ""


def in_words(pipeline: Pipeline) -> str:
    """Returns its first settings, such as `acks=1, min.insync.replicas=2`."""
    stated = [
        f"{name}={written(value)}"
        for component in pipeline.settings
        for name, value in pipeline.stated(component).items()
    ]
    more = len(stated) - _MOST_SETTINGS
    text = ", ".join(stated[:_MOST_SETTINGS]) or "nothing stated"
    return f"{text} and {more} more" if more > 0 else text
