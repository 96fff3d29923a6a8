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
"""Of some 200 bytes each; beyond that those of the past are dropped."""
SPOKEN = {60: "a minute", 3_600: "an hour"}
_NOTHING_ASKED = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Limit:
    """The most requests of a kind in `seconds`, for one visitor and for one address."""

    visitor: int
    address: int
    seconds: int


@dataclass(slots=True)
class Counters:
    """Requests counted in windows of time that begin at the clock's own multiples."""

    clock: Callable[[], float] = time.monotonic
    _counts: dict[tuple[str, str, int, int], int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, kind: str, who: str, seconds: int) -> int:
        """Adds one; returns the number in this window."""
        window = int(self.clock() // seconds)
        with self._lock:
            if len(self._counts) >= MOST_COUNTERS:
                self._drop_expired()
            key = (kind, who, seconds, window)
            self._counts[key] = self._counts.get(key, 0) + 1
            return self._counts[key]

    def seen(self, kind: str, who: str, seconds: int) -> int:
        """The number in this window."""
        return self._counts.get((kind, who, seconds, int(self.clock() // seconds)), 0)

    def _drop_expired(self) -> None:
        now = self.clock()
        kept = {key: count for key, count in self._counts.items() if key[3] == int(now // key[2])}
        self._counts = kept if len(kept) < MOST_COUNTERS else {}


COUNTERS = Counters()


class AddressMiddleware:
    """Puts the visitor's own address in place of that of a proxy that the operator named.

    Only a proxy of `LAB_TRUSTED_PROXIES` is believed, and of what it forwards only the last
    address that is not such a proxy's: what stands before that anybody may have written.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        near = str(request.META.get("REMOTE_ADDR", ""))
        request.META["REMOTE_ADDR"] = _address(near, request.headers.get("X-Forwarded-For", ""))
        return self._get_response(request)


class LimitsMiddleware:
    """Answers 429 to what is more than a limit allows; it comes behind the session's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        had = request.session.session_key
        answer = self._get_response(request)
        now, is_new = request.session.session_key, not request.session.is_empty()
        # The session's own middleware saves it after this one: until then a new one has no key.
        if now not in (None, had) or (now is None and request.session.modified and is_new):
            limit = _limit("sessions")
            COUNTERS.count("sessions", request.META["REMOTE_ADDR"], limit.seconds)
        return answer

    def process_view(
        self, request: HttpRequest, _view: Any, _args: Any, named: Mapping[str, Any]
    ) -> HttpResponse | None:
        """Refuses before the view looks at the request."""
        name = request.resolver_match.view_name if request.resolver_match else ""
        looks = request.method in _NOTHING_ASKED
        if looks and name not in settings.LAB_LIMITED_PAGES:
            return None
        request.session.keys()  # reads it: a key that somebody made up is none afterwards
        kind = request_kind(name, str(named.get("step", "")))
        refusal = _refusal(request, kind)
        return refusal if looks else refusal or _guess(request, name) or _without_session(request)


def request_kind(name: str, step: str = "") -> str:
    """What a request to this address is counted as; some steps of a way cost more than others."""
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
    """Limits the passwords that are tried for one account, from all addresses together."""
    field, limit = settings.LAB_GUESSED.get(name), _limit("guesses")
    if field is None:
        return None
    whose = plain_name(request.POST.get(field, ""))
    mark = hashlib.sha256(whose.encode("utf-8", "replace")).hexdigest()
    if COUNTERS.count("guesses", mark, limit.seconds) > limit.visitor:
        return _too_many(limit, "for this name")
    return None


def _without_session(request: HttpRequest) -> HttpResponse | None:
    """Refuses a new session to an address that has begun its share of them."""
    limit = _limit("sessions")
    if request.session.session_key is not None:
        return None
    many = COUNTERS.seen("sessions", request.META["REMOTE_ADDR"], limit.seconds) >= limit.address
    return _too_many(limit, "from this address") if many else None


def _too_many(limit: Limit, where: str) -> HttpResponse:
    spoken = SPOKEN.get(limit.seconds, f"{limit.seconds} s")
    text = f"More requests came {where} than are allowed in {spoken}."
    page = render_to_string("429.html", {"message": text, "wait": spoken})
    answer = HttpResponse(page, status=HTTPStatus.TOO_MANY_REQUESTS)
    answer["Retry-After"] = str(limit.seconds)
    return answer


def _address(near: str, forwarded: str) -> str:
    """Whose request it is; of IPv6 the network, because one machine has all of its addresses."""
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
