"""The advisor as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class AdvisorConfig(AppConfig):
    """What a team's settings give, and what would give what the team wants."""

    name = "advisor"
    default_auto_field = "django.db.models.BigAutoField"
