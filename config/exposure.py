"""The settings that are required before the site is bound to a public address."""

from __future__ import annotations

import ipaddress

from django.conf import settings

from config import env


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host. No name but localhost is resolved."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refusal(host: str) -> str:
    """Returns why the site is not bound to this address, and the remedy; "" if it may be.

    Everybody who reaches it can start experiments, which use its processors and its disk. So the
    operator must set its host names, and a password with which any run can be cancelled.
    """
    if is_loopback(host):
        return ""
    missing = []
    hosts = env.words("ALLOWED_HOSTS")
    if not hosts or "*" in hosts:
        missing.append("ALLOWED_HOSTS, the names that it answers to (lab.example.com)")
    if not settings.LAB_OPERATOR_PASSWORD:
        missing.append("LAB_OPERATOR_PASSWORD, with which an operator may cancel any run")
    if not missing:
        return ""
    return (
        f"{host} can be reached from other machines. Set {' and '.join(missing)}, or "
        "leave LAB_HOST and --host out. docs/security.md says what a visitor may do."
    )
