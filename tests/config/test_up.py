"""What `manage.py up` refuses before it starts anything."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.parametrize("port", [0, -1, 65536, 10**9, "abc", "8000 ", "٣", "9" * 5000])
def test_a_port_that_is_none_is_refused_with_what_would_be_right(port: object) -> None:
    with pytest.raises(CommandError, match="between 1 and 65535") as refused:
        call_command("up", port=port)
    assert refused.value.returncode == 2
