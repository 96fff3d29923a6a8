"""The house as a Django app: the operator's account is kept in step with the settings."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "The house"

    def ready(self) -> None:
        from config import operators  # models are there by now

        # Of the app that has the accounts: apps without models get no such signal.
        post_migrate.connect(operators.keep, sender=apps.get_app_config("auth"))
