"""Arguments that `manage.py up` refuses before it starts anything."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.parametrize("port", [0, -1, 65536, 10**9, "abc", "8000 ", "٣", "9" * 5000])
def test_an_invalid_port_is_refused_with_the_valid_range(port: object) -> None:
    with pytest.raises(CommandError, match="between 1 and 65535") as refused:
        call_command("up", port=port)
    assert refused.value.returncode == 2
