"""Only root can make a pod, and only with Debian's PostgreSQL and Redis."""

from __future__ import annotations

from tests.image.pod import why_not

collect_ignore = ["test_services.py"] if why_not() else []
