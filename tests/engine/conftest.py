"""What only some machines can show."""

from __future__ import annotations

from labs.engine.network import namespaces

collect_ignore = ["test_namespaces.py"] if namespaces.why_not() else []
