"""Who a visitor is: the account of a user who is signed in, else a session.

A session begins when there is something to keep. An account is optional; it keeps what a session
keeps, on every device of one person (`labs.runs.accounts`).
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from labs.models import Experiment, Series

ACCOUNT_PREFIX = "@"
"""What the keys of accounts begin with. A session's has 32 letters and digits, and no @."""
_SALT = "labs.runs.visitors.address"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks for an experiment: the visitor's key, and a mark of the address it came from.

    Both are empty for a command of the operator's.
    """

    key: str = ""
    address: str = ""


NOBODY = Visitor()


def account_key(user: User) -> str:
    """The key of an account."""
    return f"{ACCOUNT_PREFIX}{user.pk}"


def existing_key(request: HttpRequest) -> str:
    """The key of the visitor, as far as there is one; empty if nothing can be kept of them yet."""
    # Asking for the user reads the session: a made-up key is empty afterwards.
    if isinstance(request.user, User):
        return account_key(request.user)
    return request.session.session_key or ""


def key(request: HttpRequest) -> str:
    """The key of the visitor; a session begins if there is none."""
    if isinstance(request.user, User):
        return account_key(request.user)
    if not request.session.session_key:
        request.session["visits"] = True  # an empty session is never sent to the browser
        request.session.save()
    request.session.modified = True  # it lasts from the last thing that was kept, not the first
    return str(request.session.session_key)


def identify(request: HttpRequest) -> Visitor:
    """The visitor, whose session begins if there is none.

    The address itself is not kept, only a mark that tells two addresses apart on this site.
    """
    mark = salted_hmac(_SALT, request.META["REMOTE_ADDR"]).hexdigest()
    return Visitor(key(request), mark)


def is_operator(request: HttpRequest) -> bool:
    """Whether an operator is logged in."""
    return isinstance(request.user, User) and request.user.is_staff


def learner(request: HttpRequest) -> User | None:
    """The signed-in user; None without one, and for an operator."""
    user = request.user
    return user if isinstance(user, User) and not user.is_staff else None


def canceller(request: HttpRequest, started: Experiment | Series) -> str:
    """Who cancels it, in words."""
    return "a visitor" if started.visitor == existing_key(request) else "an operator"


def may_cancel(request: HttpRequest, started: Experiment | Series) -> bool:
    """Whether this visitor started it, or is an operator."""
    mine = existing_key(request)
    return (bool(mine) and started.visitor == mine) or is_operator(request)
