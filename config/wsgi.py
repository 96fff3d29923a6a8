"""The WSGI application of the web server."""

from __future__ import annotations

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

# The pages nudge the workers through Celery's current application: this import makes it ours.
from config import celery  # noqa: E402, F401
from config.warm import warm  # noqa: E402 - imports what must be set up first

warm()
# These objects stay alive: collecting them again and again would delay pages by 60 ms.
gc.collect()
gc.freeze()
