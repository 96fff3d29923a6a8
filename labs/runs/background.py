"""Repeats a background task of a process every few seconds until the process ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

logger = logging.getLogger(__name__)


class Background(threading.Thread):
    """Calls `work` immediately and then every `every_s` seconds, until it is stopped.

    An error is logged, and the work is repeated: a full database may have room later.
    """

    def __init__(self, name: str, work: Callable[[], object], every_s: float) -> None:
        super().__init__(name=name, daemon=True)
        self._work, self._every_s = work, every_s
        self._over = threading.Event()

    def run(self) -> None:
        try:
            while not self._over.is_set():
                self._try()
                self._over.wait(self._every_s)
        finally:
            connection.close()

    def _try(self) -> None:
        try:
            self._work()
        except DatabaseError as error:
            logger.warning("%s: the database failed: %s", self.name, error)
            close_old_connections()
        except Exception:
            logger.exception("%s failed and will be tried again", self.name)
            close_old_connections()

    def stop(self) -> None:
        """Returns immediately; work in progress is completed."""
        self._over.set()
