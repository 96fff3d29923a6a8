"""Skips test_services.py where no pod can be made: it needs root, PostgreSQL and Redis."""

from __future__ import annotations

from tests.image.pod import missing_requirements

collect_ignore = ["test_services.py"] if missing_requirements() else []
