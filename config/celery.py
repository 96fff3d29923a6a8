"""The worker's application: `celery -A config.celery worker`. Its options are in settings.py."""

from __future__ import annotations

import logging.config
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("delivery-lab")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def use_djangos_logging(**_: Any) -> None:
    """Uses one format for web and worker; with this receiver, Celery does not set up logging."""
    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)
