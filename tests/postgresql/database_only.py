"""A pytest plugin that keeps only the tests that use the database."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects all other tests: the database makes no difference to them."""
    database_tests = [item for item in items if _uses_database(item)]
    config.hook.pytest_deselected(items=[item for item in items if not _uses_database(item)])
    items[:] = database_tests


def _uses_database(item: pytest.Item) -> bool:
    fixtures = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
    return bool(fixtures) or item.get_closest_marker("django_db") is not None
