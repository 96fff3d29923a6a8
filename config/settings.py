"""Django's settings. What an operator may change comes from the environment: docs/setup.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import env, places
from labs.engine.base import slots
from labs.engine.distributions import budget

BASE_DIR = Path(__file__).resolve().parent.parent

# --- where things lie, and how much at once -------------------------------------------------
LAB_DATA_DIR = env.folder("LAB_DATA_DIR", BASE_DIR / "var")
LAB_RUNS_DIR = LAB_DATA_DIR / "runs"
LAB_RECORD = BASE_DIR / "labs" / "calibration" / "record" / "explore.jsonl"
LAB_LESSON_RECORD = BASE_DIR / "labs" / "lessons" / "proofs.jsonl"
LAB_STAGED_RECORD = BASE_DIR / "benchmarks" / "scenarios.jsonl"
LAB_LOGS_DIR = LAB_DATA_DIR / "logs"
LAB_JUDGE_SOCKET = places.socket_path(LAB_DATA_DIR, "judge.sock")
LAB_REDIS_SOCKET = places.socket_path(LAB_DATA_DIR, "redis.sock")
LAB_CLUSTERS_AT_ONCE = env.integer("LAB_CLUSTERS_AT_ONCE", slots.clusters_at_once, least=1, most=64)
# Clusters for one experiment, booted before anybody asks (labs/engine/run/pool.py).
LAB_WARM_POOL = env.flag("LAB_WARM_POOL", default=True)
# Jars and class-data archives; whatever fetches jars reads the variable itself, because it may run
# without Django (labs/engine/distributions/budget.py).
LAB_CACHE_LIMIT_MB = env.integer(
    "LAB_CACHE_LIMIT_MB", lambda: budget.DEFAULT_MB, least=1, most=10**9
)
# All ledgers together, in millions of bytes; the oldest go first (labs/runs/pruning.py).
LAB_RUNS_LIMIT_MB = env.integer("LAB_RUNS_LIMIT_MB", lambda: 5_000, least=1, most=10**9)
# Clusters of one's own that may be described, by name: addresses, or a file of client settings.
LAB_LIVE_CLUSTERS = env.pairs("LAB_LIVE_CLUSTERS")

# --- what one visitor may ask for: a session, or an account -------------------------------------
# Kind: for one visitor, for one address (a whole team may be behind one), in so many seconds.
LAB_LIMITS = {
    # A session is a row of 1 to 6 KB that lasts 30 days. With the longest answers it has below 80.
    "sessions": (1_000, 1_000, 3_600),
    # Reading a file costs up to a second of one core.
    "uploads": (30, 120, 60),
    # Today's rules are applied to a kept description: up to a second of one core.
    "answers": (60, 240, 60),
    # An answer that is kept is a row of 50 KB: 50 MB an hour from one address at most.
    "saves": (200, 1_000, 3_600),
    # A runner does some 80 experiments an hour.
    "starts": (120, 300, 3_600),
    # A room of a class and its pupils: rows of 300 B each that last a week.
    "rooms": (30, 100, 3_600),
    # A whole class joins from one address within a minute; so many guesses of a code of 40 bits.
    "joins": (20, 200, 60),
    # Guesses of the operator's password.
    "logins": (5, 10, 60),
    # A class signs in from one address; a password costs half a second of one core.
    "signins": (5, 30, 60),
    # Guesses of one account's password from everywhere: OWASP ASVS 4.0.3, 2.2.1, has 100 at most.
    "guesses": (60, 60, 3_600),
    # An account is a row of 300 B that lasts as long as it is used.
    "signups": (5, 60, 3_600),
    # Whatever else is sent: a card for each key that is pressed, for example.
    "writes": (600, 3_000, 60),
}
# By the name of an address, or by that and the step that it names.
LAB_LIMITED = {
    "advisor:intake": "uploads", "advisor:live": "uploads", "advisor:intake-use": "saves",
    "advisor:compared": "answers", "advisor:newer": "answers",
    "advisor:renew": "saves", "advisor:describe/needs": "saves",
    "labs:start": "starts", "labs:again": "starts", "labs:repeat": "starts",
    "labs:lesson/run": "starts", "labs:lesson/your-turn": "starts", "labs:toy-start": "starts",
    "labs:scenario-start": "starts",
    "labs:class-open": "rooms", "labs:class-join": "joins", "labs:class-run": "starts",
    "labs:challenge": "starts", "labs:incident-start": "starts",
    "labs:series-start": "starts", "labs:series-go-on": "starts",
    "login": "logins", "labs:sign-in": "signins", "labs:account-password": "signins",
    "labs:account-remove": "signins", "labs:sign-up": "signups",
}  # fmt: skip
# Pages that are counted although they are only looked at.
LAB_LIMITED_PAGES = {"advisor:compared", "advisor:newer"}
# Where a password may be guessed, and the field with the account's name.
LAB_GUESSED = {"labs:sign-in": "name"}
# Waiting at once: at 45 s each the last of 20 waits a quarter of an hour. Half of the places are
# for others than one visitor, a quarter for others than one address.
LAB_QUEUE = {"all": 20, "visitor": 10, "address": 15}
# Rooms that are open at once: a school may be behind one address.
LAB_ROOMS = {"visitor": 5, "address": 50}
# Proxies whose X-Forwarded-For is believed, by address or network.
LAB_TRUSTED_PROXIES = env.networks("LAB_TRUSTED_PROXIES")
# What nobody ran anything for is removed after so many days; 0 keeps it (labs/runs/expiry.py).
LAB_KEEP_DAYS = env.integer("LAB_KEEP_DAYS", lambda: 365, least=0, most=36_500)
# Who has it may log in and cancel anybody's runs. 12 characters: OWASP ASVS 4.0.3, 2.1.1.
LAB_OPERATOR_PASSWORD = env.password("LAB_OPERATOR_PASSWORD", least=12)

# --- Django ---------------------------------------------------------------------------------
DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = env.text("SECRET_KEY", "") or places.secret_key(LAB_DATA_DIR / "secret-key")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "template_partials",
    "config",
    "advisor",
    "labs",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.limits.AddressMiddleware",
    "config.content.ContentMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.errors.MethodMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.limits.LimitsMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "advisor.pages.standing.StaleDescriptionMiddleware",
    "advisor.pages.concept_links.ConceptLinksMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

# --- static files: straight from the sources, unless an image collected them -------------------
STATIC_URL = "/static/"
STATIC_ROOT = env.text("LAB_STATIC_DIR", "") or None
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
WHITENOISE_AUTOREFRESH = DEBUG

# --- database ---------------------------------------------------------------------------------


def database(url: str) -> dict[str, Any]:
    """One connection from its address. Raises `ImproperlyConfigured` without repeating it."""
    try:
        parsed: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, KeyError):
        raise ImproperlyConfigured("DATABASE_URL is not an address of a database.") from None
    if parsed["ENGINE"].endswith("sqlite3"):
        # Web and worker write at once: WAL lets readers go on, and a transaction that will write
        # says so when it begins, so that it waits its turn instead of failing in the middle.
        parsed["OPTIONS"] = {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
            "PRAGMA temp_store=MEMORY;",
        }
        # A connection that stays has its files: a page can be read where the disk has no room for
        # new ones, and needs not open them each time.
        parsed["CONN_MAX_AGE"] = None
    else:
        parsed["CONN_MAX_AGE"] = 60
        parsed["CONN_HEALTH_CHECKS"] = True
    return parsed


DATABASES = {"default": database(env.text("DATABASE_URL", f"sqlite:///{LAB_DATA_DIR / 'lab.db'}"))}
SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30  # progress is kept without an account
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
    )
]
SESSION_COOKIE_HTTPONLY = True
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "login", "labs:experiments", "labs:home"
# In a cookie: a message that was read is forgotten without a write, also where no disk has room.
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"

# --- the browser may trust nothing but this site ----------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
# An uploaded configuration may hold passwords: it stays in memory and never reaches a disk.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
# There is no TLS on a developer's machine; a team behind a proxy that ends it says so.
HTTPS = env.flag("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 30 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # subdomains are not ours to bind
    "security.W021",  # nor is the browsers' preload list
] + ([] if HTTPS else ["security.W004", "security.W008", "security.W012", "security.W016"])

# --- Celery -----------------------------------------------------------------------------------
OWN_REDIS = f"unix://{quote(str(LAB_REDIS_SOCKET))}?db=0"
REDIS_URL = env.address("REDIS_URL", ("redis", "rediss", "unix"), OWN_REDIS)
# Kombu spells a socket's address in its own way.
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://").replace(
    "?db=", "?virtual_host="
)
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
# A task is acknowledged when it is done; one that is handed out again meets a run whose state
# has moved on, and does nothing (labs.runs.lifecycle). An experiment is not retried behind one's
# back.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_TASK_DEFAULT_QUEUE = "experiments"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Threads: one process, so that one kill -9 ends all of it. An experiment runs two arms at once.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = max(1, LAB_CLUSTERS_AT_ONCE // 2)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Who sends does not try again: a click would wait for Redis, and the sweep nudges later anyway. Nor
# does it wait for a Redis that accepts connections and does not answer. A worker goes on trying to
# connect by CELERY_BROKER_CONNECTION_MAX_RETRIES, and waits a second for a task at a time.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 15 * 60, "max_retries": 0,
    "socket_timeout": 5, "socket_connect_timeout": 5,
}  # fmt: skip

# --- logs: `logger.info("…", extra={"run": slug})` makes every line of a run greppable ----------
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "logging.Formatter",
            "fmt": "{asctime} {levelname} {name} [{run}] {message}",
            "style": "{",
            "defaults": {"run": "-"},
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "INFO").upper()},
}
