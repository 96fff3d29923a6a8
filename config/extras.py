"""`python -m config.extras`: the locks of wheels for programs that the system lacks."""

from __future__ import annotations

import os
import sys

from config.redis_server import RedisMissing, find_redis
from labs.engine.distributions.java import JavaMissing, find_java


def missing_locks() -> list[str]:
    """Returns `java`, `redis`, both or none; Redis is not needed if REDIS_URL is set."""
    locks = []
    try:
        find_java()
    except JavaMissing:
        locks.append("java")
    try:
        if not os.environ.get("REDIS_URL"):
            find_redis()
    except RedisMissing:
        locks.append("redis")
    return locks


if __name__ == "__main__":
    sys.stdout.write("".join(f"{lock}\n" for lock in missing_locks()))
