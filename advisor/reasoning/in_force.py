"""The settings that an experiment's arm runs with."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.sizes import full_batch
from advisor.reasoning.pipeline import Pipeline


def in_force(pipeline: Pipeline) -> dict[str, dict[str, str | int | bool]]:
    """Every setting of the catalog that has a value here, stated or not, by component.

    They are complete, so that an arm behaves as described whatever client runs it. A part that
    this client does not have is left out. `splits.batches` of the application is no setting: it
    says that the team's client loses a full batch whole.
    """
    results = {component.value: pipeline.in_force(component) for component in Component}
    if full_batch(pipeline):
        results[Component.APPLICATION.value]["splits.batches"] = False
    return {component: settings for component, settings in results.items() if settings}
