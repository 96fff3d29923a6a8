"""The settings of an experiment's arm."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.sizes import full_batch
from advisor.reasoning.pipeline import Pipeline


def in_force(pipeline: Pipeline) -> dict[str, dict[str, str | int | bool]]:
    """Returns every setting of the catalog that has a value, stated or not, by component.

    They are complete, so that an arm behaves as described whatever client runs it. Components
    without settings are omitted. `splits.batches` of the application is not a setting: it means
    that the team's client loses all messages of a full batch.
    """
    results = {component.value: pipeline.in_force(component) for component in Component}
    if full_batch(pipeline):
        results[Component.APPLICATION.value]["splits.batches"] = False
    return {component: settings for component, settings in results.items() if settings}
