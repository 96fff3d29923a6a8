"""Fills the caches of a process before the first visitor has to wait for them."""

from __future__ import annotations

from django.conf import settings
from django.template.loader import get_template
from django.urls import reverse

from advisor.advisories import advisories
from advisor.catalog import Family, versions
from advisor.export import all_exports
from advisor.intake.registry import all_readers
from advisor.pages import reference, rules_changelog
from advisor.reasoning.answer import answer
from advisor.reasoning.pipeline import Pipeline
from labs.calibration import table
from labs.evidence import trials


def warm() -> None:
    """Loads views, templates, catalog tables, readers, advisories and the record of runs."""
    reverse("labs:home")
    folder = settings.BASE_DIR / "templates"
    for page in folder.rglob("*.html"):
        get_template(page.relative_to(folder).as_posix())
    for family in Family:
        answer(Pipeline(family, versions(family)[0]))
    all_exports()
    all_readers()
    advisories()
    table.compare(())
    trials.warm()
    reference.entries()
    rules_changelog.releases()
