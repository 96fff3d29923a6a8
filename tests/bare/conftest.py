"""Skips test_bare.py where no such machine can be made: it needs root and debootstrap."""

from __future__ import annotations

from tests.bare.machine import missing_requirements

collect_ignore = ["test_bare.py"] if missing_requirements() else []
