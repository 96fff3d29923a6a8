"""config.settings on a data folder and a queue of this test session alone.

A house that runs in the same checkout, and what its owner put into the environment, stay out
of the tests. Processes that tests start inherit the folder and use config.settings.
`LAB_TEST_DATABASE_URL` names another database server than SQLite, on which tests make their own.
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

# All tests come from one address; those of the limits themselves set their own.
LAB_LIMITS = {kind: (10**9, 10**9, seconds) for kind, (_, _, seconds) in LAB_LIMITS.items()}  # noqa: F405
# A real one takes half a second of one core for each password, on purpose.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
# WhiteNoise would list all static files anew for each test's client.
WHITENOISE_AUTOREFRESH = True
# What a test starts has a database below its own data folder.
os.environ.pop("DATABASE_URL", None)
