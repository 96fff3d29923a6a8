"""The control channel of the link proxy: lines of JSON, in and out."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Wish = Callable[..., dict[str, Any]]


class Wishes:
    """The owner's lines on standard input; each is answered by one, and their end is ours."""

    def __init__(self) -> None:
        self._lines = asyncio.StreamReader()

    async def first(self) -> dict[str, Any]:
        """What the owner begins with."""
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self._lines), sys.stdin)
        data: dict[str, Any] = json.loads(await self._lines.readline())
        return data

    async def serve(self, report: Mapping[str, Wish]) -> None:
        """Says that all is ready, and then does what each line wants of which flows."""
        _answer({})
        while line := await self._lines.readline():
            wish = json.loads(line)
            flows = [tuple(key) for key in wish.pop("flows")]
            _answer(report[wish.pop("do")](flows, **wish))


def _answer(answers: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answers) + "\n")
    sys.stdout.flush()
