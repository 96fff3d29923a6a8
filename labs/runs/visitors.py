"""Who a visitor is, without accounts: a session, which begins when there is something to keep."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from labs.models import Experiment

_SALT = "labs.runs.visitors.address"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks for an experiment: the key of a session, and a mark of the address it came from.

    Both are empty for a command of the operator's.
    """

    key: str = ""
    address: str = ""


NOBODY = Visitor()


def key(request: HttpRequest) -> str:
    """The key of the visitor's session; one begins if there is none."""
    if not request.session.session_key:
        request.session["visits"] = True  # an empty session is never sent to the browser
        request.session.save()
    return str(request.session.session_key)


def of(request: HttpRequest) -> Visitor:
    """The visitor, whose session begins if there is none.

    The address itself is not kept: what is kept tells two addresses apart, here alone.
    """
    mark = salted_hmac(_SALT, request.META["REMOTE_ADDR"]).hexdigest()
    return Visitor(key(request), mark)


def is_operator(request: HttpRequest) -> bool:
    """Whether an operator is logged in."""
    return bool(request.user.is_authenticated)


def name(request: HttpRequest, experiment: Experiment) -> str:
    """Who cancels it, in words."""
    return "a visitor" if experiment.visitor == request.session.session_key else "an operator"


def may_cancel(request: HttpRequest, experiment: Experiment) -> bool:
    """Whether this visitor started it, or is an operator."""
    mine = request.session.session_key
    return (bool(mine) and experiment.visitor == mine) or is_operator(request)
