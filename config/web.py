"""The web server: `python -m config.web --port 8000`.

Waitress reads a whole request before a thread gets it, and sends files without a thread: a slow
visitor costs a socket, never a thread. Its own limit is on silence; the deadline for a slow
request is added here (docs/decisions/0040-a-server-that-waits-for-nobody.md).
"""

from __future__ import annotations

import argparse
import logging.config
import os
import resource
import signal
import socket
import sys
import time
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

THREADS = 8
CONNECTIONS = 1000
"""Open at once; each costs at most three files."""
IDLE_S = 10
"""Without a byte in either direction a connection is closed."""
REQUEST_S = 30
"""From the first byte of a request to its last."""
SEND_BUFFER = 128 * 2**10
"""What the kernel is told to hold of an answer. It takes more, which is no silence, once a third of
twice as much was read: so a reader takes 9 KB a second, or is closed."""
LARGEST_REQUEST = 3 * 2**20
"""Above what Django takes, so that its own page can say no; a request is held in memory."""
TOO_LARGE = "It has more than 3 MB; send fewer or smaller files at once."
LONGEST_HEADERS = 32 * 1024
WATCH_S = 1.0
"""How often the kernel is asked whose worker died: a death shall be on the page within 5 s."""

logger = logging.getLogger(__name__)


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request behind which nothing is taken until it is answered.

    Waitress would answer all that lie in one packet, and keep a thread for as long as nobody reads
    their answers: eight sockets with 170 requests each stopped the site. No browser sends so, and
    whoever does asks again where the connection closes (RFC 9112, 9.3.2).
    """

    def received(self, data: bytes) -> int:
        """How much of the data was taken, as Waitress counts it."""
        taken: int = super().received(data)
        if not self.completed or self.empty or taken >= len(data):
            return taken
        self.headers["CONNECTION"] = "close"
        return len(data)


class Refusal(ErrorTask):  # type: ignore[misc]
    """The page for a request that no thread of ours sees: too large, or not HTTP."""

    def execute(self) -> None:
        """Called by a thread of Waitress."""
        error = self.request.error
        message = TOO_LARGE if error.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else ""
        page = render_to_string("400.html", {"status": error.code, "message": message}).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "text/html; charset=utf-8"))
        self.set_close_on_finish()
        self.content_length = len(page)
        self.write(page)


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when a request has been coming in."""

    parser_class, error_task_class = Request, Refusal
    began: float | None = None

    def received(self, data: bytes) -> bool:
        """Takes bytes from the socket, as Waitress does."""
        taken: bool = super().received(data)
        if self.request is None:
            self.began = None
        elif self.began is None:
            self.began = time.time()
        return taken


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Closes connections that are silent, or whose request takes too long.

    Waitress marks those, and closes a connection when it can next be written to: never, where
    nobody reads what is queued for it. So they are shut down here, and Waitress, which is told so
    by the next poll, closes them. To close them here would free their file numbers in the midst of
    a poll, and the next visitor, who gets such a number, would be closed in their place.
    """

    channel_class = Channel

    def set_socket_options(self, conn: socket.socket) -> None:
        """Called for each connection that comes in."""
        super().set_socket_options(conn)
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)

    def maintenance(self, now: float) -> None:
        """Called every second."""
        super().maintenance(now)
        for channel in list(self.active_channels.values()):
            late = channel.began is not None and now - channel.began > REQUEST_S
            if late or channel.will_close:
                channel.will_close = True
                with suppress(OSError):  # it is closed already
                    channel.socket.shutdown(socket.SHUT_RDWR)


def server(host: str, port: int, application: Any) -> Server:
    """A server that listens already; `run()` serves. Raises OSError if the port is taken."""
    return Server(
        application,
        adj=Adjustments(
            host=host, port=port, threads=THREADS, connection_limit=CONNECTIONS,
            channel_timeout=IDLE_S, cleanup_interval=1, asyncore_use_poll=True,
            max_request_header_size=LONGEST_HEADERS, max_request_body_size=LARGEST_REQUEST,
            # What is uploaded may hold passwords: it stays in memory.
            inbuf_overflow=LARGEST_REQUEST + LONGEST_HEADERS,
            # Django believes the proxy that ends TLS only where HTTPS says that there is one.
            clear_untrusted_proxy_headers=not (settings.HTTPS or settings.LAB_TRUSTED_PROXIES),
            log_socket_errors=False, ident="",
        ),
    )  # fmt: skip


def logged(application: Any) -> Any:
    """The application with a line in the log for each answer."""

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        began = time.monotonic()

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            took = 1e3 * (time.monotonic() - began)
            path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
            logger.info("%s %a %s, %.0f ms", environ["REQUEST_METHOD"], path, status[:3], took)
            return start_response(status, headers, *rest)

        return application(environ, start)

    return answer


def watch() -> None:
    """What pages must not do while they are looked at: it writes, and a GET does not."""
    from labs.runs import lifecycle, presence  # once Django is set up

    lifecycle.interrupt_orphans()
    presence.missing()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    from config.wsgi import application
    from labs.runs.background import Background

    logging.config.dictConfig(settings.LOGGING)
    Background("watch", watch, WATCH_S).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server(options.host, options.port, logged(application)).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
