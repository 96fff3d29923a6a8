"""The experiments and lessons as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class LabsConfig(AppConfig):
    name = "labs"
    verbose_name = "Experiments and lessons"
    default_auto_field = "django.db.models.BigAutoField"
