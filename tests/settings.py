"""config.settings with a data folder and a queue of this test session.

An installation that runs in the same checkout, and the environment of its owner, do not affect
the tests. Processes that tests start inherit the folder and use config.settings.
`LAB_TEST_DATABASE_URL` names a database server instead of SQLite; tests create a database there.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_data = tempfile.mkdtemp(prefix="delivery-lab-tests-")
atexit.register(shutil.rmtree, _data, ignore_errors=True)
os.environ["LAB_DATA_DIR"] = _data
for _name in (
    "ALLOWED_HOSTS", "DATABASE_URL", "DEBUG", "HTTPS", "LAB_LIVE_CLUSTERS", "REDIS_URL",
    "SECRET_KEY", "LAB_KEEP_DAYS", "LAB_OPERATOR_PASSWORD", "LAB_TRUSTED_PROXIES",
    "LAB_WARM_POOL",
):  # fmt: skip
    os.environ.pop(_name, None)
if _database := os.environ.get("LAB_TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = _database

from config.settings import *  # noqa: E402, F403

# All tests send from one address, so limits are off; the tests of limits set their own.
LAB_LIMITS = {kind: (10**9, 10**9, seconds) for kind, (_, _, seconds) in LAB_LIMITS.items()}  # noqa: F405
# The hasher of production takes half a second per password, on purpose.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
# Otherwise WhiteNoise would list all static files for each test client.
WHITENOISE_AUTOREFRESH = True
# Processes that a test starts use a database in the data folder of that test.
os.environ.pop("DATABASE_URL", None)
