"""Kafka's own classes on a JVM, through py4j: what they read, refuse and put in force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.java_gateway import JavaGateway, get_field
from py4j.protocol import Py4JJavaError

from labs.maintenance.products.gateway import gateway

_UNREACHABLE = {"bootstrap.servers": "127.0.0.1:1"}
_SERIAL = "org.apache.kafka.common.serialization.ByteArray"


class Jvm:
    """One JVM with one version of Kafka's jars. No broker is needed for anything here."""

    def __init__(self, opened: JavaGateway) -> None:
        self.gateway = opened
        self.java: Any = opened.jvm
        self.kafka: Any = opened.jvm.org.apache.kafka

    def properties(self, settings: Mapping[str, str]) -> Any:
        """A `java.util.Properties` of these settings."""
        properties = self.java.java.util.Properties()
        for key, value in settings.items():
            properties.setProperty(key, value)
        return properties

    def read(self, text: str) -> dict[str, str]:
        """A properties file as Java itself reads it."""
        properties = self.java.java.util.Properties()
        properties.load(self.java.java.io.StringReader(text))
        return {key: properties.getProperty(key) for key in properties.stringPropertyNames()}

    def unreadable(self, text: str) -> bool:
        """Whether Java cannot read this as a properties file."""
        try:
            self.read(text)
        except Py4JJavaError:
            return True
        return False

    def keys(self, config_def: Any) -> set[str]:
        """The names of a ConfigDef."""
        return {str(key) for key in config_def.configKeys()}

    def producer_refusal(self, settings: Mapping[str, str]) -> str | None:
        """Why `new KafkaProducer` refuses these settings, or None if it starts."""
        kind = self.kafka.clients.producer.KafkaProducer
        serial = self.kafka.common.serialization.ByteArraySerializer
        return self._refusal(kind, settings, serial)

    def consumer_refusal(self, settings: Mapping[str, str]) -> str | None:
        """Why `new KafkaConsumer` refuses these settings, or None if it starts."""
        kind = self.kafka.clients.consumer.KafkaConsumer
        serial = self.kafka.common.serialization.ByteArrayDeserializer
        return self._refusal(kind, {"group.id": "contract", **settings}, serial)

    def _refusal(self, kind: Any, settings: Mapping[str, str], serial: Any) -> str | None:
        try:
            client = kind(self.properties({**_UNREACHABLE, **settings}), serial(), serial())
        except Py4JJavaError as error:
            return root_message(error.java_exception)
        client.close(self.java.java.time.Duration.ZERO)
        return None

    def producer_values(self, settings: Mapping[str, str]) -> dict[str, str]:
        """The values in force after `ProducerConfig` and `KafkaProducer` have adjusted them."""
        all_settings = {
            **_UNREACHABLE, "key.serializer": f"{_SERIAL}Serializer",
            "value.serializer": f"{_SERIAL}Serializer", **settings,
        }  # fmt: skip
        config = self.kafka.clients.producer.ProducerConfig(self.properties(all_settings))
        values = self.strings(config.values())
        values["delivery.timeout.ms"] = str(self._delivery_timeout(config))
        return values

    def consumer_values(self, settings: Mapping[str, str]) -> dict[str, str]:
        """The values in force after `ConsumerConfig` has adjusted them."""
        all_settings = {
            **_UNREACHABLE, "group.id": "contract", "key.deserializer": f"{_SERIAL}Deserializer",
            "value.deserializer": f"{_SERIAL}Deserializer", **settings,
        }  # fmt: skip
        config = self.kafka.clients.consumer.ConsumerConfig(self.properties(all_settings))
        return self.strings(config.values())

    def _delivery_timeout(self, config: Any) -> int:
        find = self.java.java.lang.Class.forName
        producer = find("org.apache.kafka.clients.producer.KafkaProducer")
        parameter_types = self.gateway.new_array(self.java.java.lang.Class, 2)
        parameter_types[0] = config.getClass()
        parameter_types[1] = find("org.slf4j.Logger")
        method = producer.getDeclaredMethod("configureDeliveryTimeout", parameter_types)
        method.setAccessible(True)
        arguments = self.gateway.new_array(self.java.java.lang.Object, 2)
        arguments[0] = config
        arguments[1] = self.java.org.slf4j.LoggerFactory.getLogger("contract")
        return int(method.invoke(None, arguments))

    def defaults(self, config_def: Any) -> dict[str, str]:
        """Every default of a ConfigDef, as text; keys that are unset are absent."""
        keys = config_def.configKeys()
        # A key without a default has a sentinel, and a null default is None: both are left out.
        results = {str(key): get_field(keys[key], "defaultValue") for key in keys}
        return {key: self._text(value) for key, value in results.items() if value is not None}

    def parsed(self, config_def: Any, settings: Mapping[str, str]) -> dict[str, str]:
        """The values that a ConfigDef parses; raises Py4JJavaError if it refuses them."""
        return self.strings(config_def.parse(self.properties(settings)))

    def strings(self, values: Any) -> dict[str, str]:
        """The values of a configuration as text; unset ones are absent."""
        return {str(key): self._text(values[key]) for key in values if values[key] is not None}

    def _text(self, value: Any) -> str:
        if isinstance(value, (bool, int, float, str)):
            return str(value)
        if hasattr(value, "_get_object_id") and "List" in str(value.getClass().getName()):
            return ",".join(str(item) for item in value)
        return str(value.toString())


@contextmanager
def jvm(jars: Iterable[Path]) -> Iterator[Jvm]:
    """A JVM with these jars."""
    with gateway(jars) as opened:
        yield Jvm(opened)


def root_message(error: Any) -> str:
    """The message of an exception's root cause."""
    while error.getCause() is not None:
        error = error.getCause()
    return str(error.getMessage())
