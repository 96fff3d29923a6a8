"""Rate limits for visitors and for addresses: `LAB_LIMITS` in the settings.

The queue is counted in the database (`labs.runs.admission`). The rest is counted in the memory of
this process, and written nowhere.
"""

from __future__ import annotations

import hashlib
import ipaddress
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from labs.runs.accounts import plain_name

MOST_COUNTERS = 20_000
"""The most counters, of about 200 bytes each; beyond that, expired ones are dropped."""
SPOKEN = {60: "a minute", 3_600: "an hour"}
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Limit:
    """The most requests of a kind in `seconds`, for one visitor and for one address."""

    visitor: int
    address: int
    seconds: int


@dataclass(slots=True)
class Counters:
    """Counts requests in windows of time, which begin at multiples of their length."""

    clock: Callable[[], float] = time.monotonic
    _counts: dict[tuple[str, str, int, int], int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, kind: str, client: str, seconds: int) -> int:
        """Counts a request; returns the number in this window."""
        window = int(self.clock() // seconds)
        with self._lock:
            if len(self._counts) >= MOST_COUNTERS:
                self._drop_expired()
            key = (kind, client, seconds, window)
            self._counts[key] = self._counts.get(key, 0) + 1
            return self._counts[key]

    def seen(self, kind: str, client: str, seconds: int) -> int:
        """Returns the number in this window."""
        return self._counts.get((kind, client, seconds, int(self.clock() // seconds)), 0)

    def _drop_expired(self) -> None:
        now = self.clock()
        current = {
            key: count for key, count in self._counts.items() if key[3] == int(now // key[2])
        }
        self._counts = current if len(current) < MOST_COUNTERS else {}


COUNTERS = Counters()


class AddressMiddleware:
    """Replaces the address of a trusted proxy with that of the visitor.

    Only proxies of `LAB_TRUSTED_PROXIES` are trusted, and of the forwarded addresses only the last
    one that is not such a proxy: anybody may have written the others.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        near = str(request.META.get("REMOTE_ADDR", ""))
        request.META["REMOTE_ADDR"] = _address(near, request.headers.get("X-Forwarded-For", ""))
        return self._get_response(request)


class LimitsMiddleware:
    """Answers 429 to requests beyond a limit; it comes after the session middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        had = request.session.session_key
        answer = self._get_response(request)
        now, is_new = request.session.session_key, not request.session.is_empty()
        # The session middleware saves it after this one; until then, a new one has no key.
        if now not in (None, had) or (now is None and request.session.modified and is_new):
            limit = _limit("sessions")
            COUNTERS.count("sessions", request.META["REMOTE_ADDR"], limit.seconds)
        return answer

    def process_view(
        self, request: HttpRequest, _view: Any, _args: Any, kwargs: Mapping[str, Any]
    ) -> HttpResponse | None:
        """Rejects a request before the view reads it."""
        name = request.resolver_match.view_name if request.resolver_match else ""
        is_read = request.method in _READING
        if is_read and name not in settings.LAB_LIMITED_PAGES:
            return None
        request.session.keys()  # reads it: an invented key is None afterwards
        kind = request_kind(name, str(kwargs.get("step", "")))
        refusal = _refusal(request, kind)
        return refusal if is_read else refusal or _guess(request, name) or _without_session(request)


def request_kind(name: str, step: str = "") -> str:
    """Returns the kind of a request to this address; some steps cost more than others."""
    limited = settings.LAB_LIMITED
    return str(limited.get(f"{name}/{step}") or limited.get(name, "writes"))


def _limit(kind: str) -> Limit:
    return Limit(*settings.LAB_LIMITS[kind])


def _refusal(request: HttpRequest, kind: str) -> HttpResponse | None:
    limit = _limit(kind)
    address, visitor = request.META["REMOTE_ADDR"], request.session.session_key
    if COUNTERS.count(kind, address, limit.seconds) > limit.address:
        return _too_many(limit, "from this address")
    if visitor and COUNTERS.count(f"{kind} of", visitor, limit.seconds) > limit.visitor:
        return _too_many(limit, "from this browser")
    return None


def _guess(request: HttpRequest, name: str) -> HttpResponse | None:
    """Limits the password guesses for one account, from all addresses together."""
    field, limit = settings.LAB_GUESSED.get(name), _limit("guesses")
    if field is None:
        return None
    account = plain_name(request.POST.get(field, ""))
    mark = hashlib.sha256(account.encode("utf-8", "replace")).hexdigest()
    if COUNTERS.count("guesses", mark, limit.seconds) > limit.visitor:
        return _too_many(limit, "for this name")
    return None


def _without_session(request: HttpRequest) -> HttpResponse | None:
    """Rejects a new session for an address that has begun too many."""
    limit = _limit("sessions")
    if request.session.session_key is not None:
        return None
    many = COUNTERS.seen("sessions", request.META["REMOTE_ADDR"], limit.seconds) >= limit.address
    return _too_many(limit, "from this address") if many else None


def _too_many(limit: Limit, origin: str) -> HttpResponse:
    spoken = SPOKEN.get(limit.seconds, f"{limit.seconds} s")
    text = f"More requests came {origin} than are allowed in {spoken}."
    page = render_to_string("429.html", {"message": text, "wait": spoken})
    answer = HttpResponse(page, status=HTTPStatus.TOO_MANY_REQUESTS)
    answer["Retry-After"] = str(limit.seconds)
    return answer


def _address(near: str, forwarded: str) -> str:
    """Returns the address of the client; for IPv6 its network, which one machine can use up."""
    result = near
    for item in reversed([part.strip() for part in forwarded.split(",")]):
        if not _is_trusted(result) or not _parsed(item):
            break
        result = item
    address = _parsed(result)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return result


def _is_trusted(address: str) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(parsed in proxy for proxy in settings.LAB_TRUSTED_PROXIES)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None
