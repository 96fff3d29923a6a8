"""A plugin of pytest: of what was collected, the tests that ask the database."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects all others: to them it is the same which database it is."""
    asking = [item for item in items if _asks(item)]
    config.hook.pytest_deselected(items=[item for item in items if not _asks(item)])
    items[:] = asking


def _asks(item: pytest.Item) -> bool:
    fixtures = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
    return bool(fixtures) or item.get_closest_marker("django_db") is not None
