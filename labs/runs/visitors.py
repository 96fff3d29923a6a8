"""The identity of a visitor: the account of a signed-in user, else a session.

A session begins when there is something to store. An account is optional; it stores what a session
stores, for every device of one person (`labs.runs.accounts`).
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from labs.models import Experiment, Series

ACCOUNT_PREFIX = "@"
"""The prefix of the keys of accounts. The key of a session has 32 letters and digits, no @."""
_SALT = "labs.runs.visitors.address"


@dataclass(frozen=True, slots=True)
class Visitor:
    """The person who requests an experiment: the visitor's key, and a hash of the address.

    Both are empty for a command of the operator.
    """

    key: str = ""
    address: str = ""


NOBODY = Visitor()


def account_key(user: User) -> str:
    """Returns the key of an account."""
    return f"{ACCOUNT_PREFIX}{user.pk}"


def existing_key(request: HttpRequest) -> str:
    """Returns the key of the visitor; empty if there is no session yet."""
    # Accessing the user reads the session: an invented session key is empty afterwards.
    if isinstance(request.user, User):
        return account_key(request.user)
    return request.session.session_key or ""


def key(request: HttpRequest) -> str:
    """Returns the key of the visitor; starts a session if there is none."""
    if isinstance(request.user, User):
        return account_key(request.user)
    if not request.session.session_key:
        request.session["visits"] = True  # an empty session is never sent to the browser
        request.session.save()
    request.session.modified = True  # it lasts from the last change that was stored, not the first
    return str(request.session.session_key)


def identify(request: HttpRequest) -> Visitor:
    """Returns the visitor; starts a session if there is none.

    The address itself is not stored, only a salted hash that distinguishes addresses.
    """
    mark = salted_hmac(_SALT, request.META["REMOTE_ADDR"]).hexdigest()
    return Visitor(key(request), mark)


def is_operator(request: HttpRequest) -> bool:
    """Whether an operator is logged in."""
    return isinstance(request.user, User) and request.user.is_staff


def learner(request: HttpRequest) -> User | None:
    """Returns the signed-in learner; None if there is none, and for an operator."""
    user = request.user
    return user if isinstance(user, User) and not user.is_staff else None


def canceller(request: HttpRequest, started: Experiment | Series) -> str:
    """Returns the person who cancels it, in words."""
    return "a visitor" if started.visitor == existing_key(request) else "an operator"


def may_cancel(request: HttpRequest, started: Experiment | Series) -> bool:
    """Whether this visitor started it, or is an operator."""
    key = existing_key(request)
    return (bool(key) and started.visitor == key) or is_operator(request)
