"""Repeats a background task of a process every few seconds until the process ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

logger = logging.getLogger(__name__)


class Background(threading.Thread):
    """Does `work` at once and then every `every_s` seconds, until it is stopped.

    What fails is logged and done again: a database without room may have some later.
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
            logger.warning("%s: the database did not take part: %s", self.name, error)
            close_old_connections()
        except Exception:
            logger.exception("%s failed; it is tried again", self.name)
            close_old_connections()

    def stop(self) -> None:
        """Returns at once; what is being done is done to its end."""
        self._over.set()
