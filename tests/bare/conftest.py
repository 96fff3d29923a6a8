"""Only root can make such a machine, and only where debootstrap is."""

from __future__ import annotations

from tests.bare.machine import why_not

collect_ignore = ["test_bare.py"] if why_not() else []
