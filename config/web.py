"""The web server: `python -m config.web --port 8000`.

Waitress reads a whole request before a thread gets it, and sends files without a thread: a slow
visitor costs a socket, never a thread. It limits inactivity; the deadline for a slow request is
added here (docs/decisions/0040-waitress-serves-pages.md).
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
"""The most open connections; each needs at most three files."""
IDLE_S = 10
"""The time without a byte in either direction after which a connection is closed."""
REQUEST_S = 30
"""The most time from the first byte of a request to its last."""
SEND_BUFFER = 128 * 2**10
"""The kernel's buffer for a response. It accepts more, which counts as activity, once a third of
twice as much was read: so a client must read 9 KB per second, or is closed."""
LARGEST_REQUEST = 3 * 2**20
"""More than Django accepts, so that its page can reject it; a request is held in memory."""
TOO_LARGE = "It has more than 3 MB; send fewer or smaller files at once."
LONGEST_HEADERS = 32 * 1024
WATCH_S = 1.0
"""The interval of checks for dead workers; a death must be on the page within 5 s."""

logger = logging.getLogger(__name__)


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request after which no other is accepted until it is answered.

    Waitress would answer all requests of one packet, and occupy a thread as long as the responses
    are not read: eight sockets with 170 requests each stopped the site. No browser does this, and
    other clients repeat requests when the connection closes (RFC 9112, 9.3.2).
    """

    def received(self, data: bytes) -> int:
        """Returns how many bytes were consumed, as Waitress counts them."""
        consumed: int = super().received(data)
        if not self.completed or self.empty or consumed >= len(data):
            return consumed
        self.headers["CONNECTION"] = "close"
        return len(data)


class Refusal(ErrorTask):  # type: ignore[misc]
    """The page for a request that no application thread handles: too large, or not HTTP."""

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
    """A connection with the time at which its current request began to arrive."""

    parser_class, error_task_class = Request, Refusal
    began: float | None = None

    def received(self, data: bytes) -> bool:
        """Takes bytes from the socket, as Waitress does."""
        consumed: bool = super().received(data)
        if self.request is None:
            self.began = None
        elif self.began is None:
            self.began = time.time()
        return consumed


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Closes connections that are inactive, or whose request takes too long.

    Waitress marks these, and closes a connection when it is next writable, which never happens if
    its client does not read. So they are shut down here, and Waitress closes them after the next
    poll. Closing them here would free their file descriptors during a poll, and a new connection
    with such a descriptor would be closed instead.
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
    """Returns a listening server; `run()` serves. Raises OSError if the port is in use."""
    return Server(
        application,
        adj=Adjustments(
            host=host, port=port, threads=THREADS, connection_limit=CONNECTIONS,
            channel_timeout=IDLE_S, cleanup_interval=1, asyncore_use_poll=True,
            max_request_header_size=LONGEST_HEADERS, max_request_body_size=LARGEST_REQUEST,
            # Uploads may contain passwords: they stay in memory.
            inbuf_overflow=LARGEST_REQUEST + LONGEST_HEADERS,
            # Django trusts a proxy that terminates TLS only if HTTPS is set.
            clear_untrusted_proxy_headers=not (settings.HTTPS or settings.LAB_TRUSTED_PROXIES),
            log_socket_errors=False, ident="",
        ),
    )  # fmt: skip


def logged(application: Any) -> Any:
    """Returns the application with a log line for each response."""

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
    """Does the checks that write to the database, which a GET must not do."""
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
