"""Hypothesis without its stopwatch: on a shared machine a pause is no slowness of ours."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
