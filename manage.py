#!/usr/bin/env python3
"""The command line of the house: `manage.py help` lists what it can do."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if os.environ.get("NO_COLOR"):  # https://no-color.org
        os.environ["DJANGO_COLORS"] = "nocolor"
    from django.core.management import execute_from_command_line

    from config.broken_pipe import quiet_when_unread
    from config.preflight import readable_errors

    with quiet_when_unread(), readable_errors(sys.argv):
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
