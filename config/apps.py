"""The project as a Django app: updates the operator's account from the settings."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "The house"

    def ready(self) -> None:
        from config import operators  # models are loaded by now

        # The sender is the app with the accounts: apps without models send no such signal.
        post_migrate.connect(operators.keep, sender=apps.get_app_config("auth"))
