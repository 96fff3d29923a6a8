"""The version that every answer and every export carries.

It stands outside the reasoning: a new reader of files raises it, too, and no run on brokers is
older than the code for that (`labs.calibration.fingerprint`).
"""

from __future__ import annotations

RULES_VERSION = "50"
"""Of the failure model, the rules and the readers together; raised when an answer may change."""
