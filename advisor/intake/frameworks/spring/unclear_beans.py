"""Beans that are refused: it is not known whether they count, or which listeners use them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from advisor.catalog import Component
from advisor.intake.frameworks.spring.client_factories import Client
from advisor.intake.frameworks.spring.container_factories import FACTORIES, NEW_FACTORY
from advisor.intake.frameworks.spring.factory_methods import FactoryMethod
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError

_MAX_PLACES = 100
CONSUMERS = ("ConsumerFactory", "DefaultKafkaConsumerFactory")
_CONDITIONAL = re.compile(r"@(?:Profile|Conditional(?!OnMissingBean\b)\w*)\b")
_BEAN_CHANGE = re.compile(
    r"\.\s*set(?:CommonErrorHandler|AckMode|BatchListener|RecordFilterStrategy|ConsumerFactory"
    r"|KafkaConsumerProperties|AfterRollbackProcessor|RecordInterceptor|BatchInterceptor)\s*\("
    r"|(?P<other>\bDefaultKafka(?:Consumer|Producer)FactoryCustomizer\b|\bContainerCustomizer\b"
    r"|\bKafkaListenerConfigurer\b|\bBeanPostProcessor\b"
    r"|\b\w*[cC]onfigurer\s*\.\s*(?!configure\b)\w+\s*\()"
)


def refuse_conditions(code: Code, methods: Sequence[FactoryMethod]) -> None:
    """Raises `IntakeError` for beans that depend on a profile or a condition."""
    has_beans = any(method.is_bean for method in methods)
    if has_beans and (match := _CONDITIONAL.search(code.plain)):
        words = "which beans this class creates depends on a condition. Keep only those that count"
        raise IntakeError(f"Line {code.line(match.start())}: {words}.")


def refuse_changes(code: Code, methods: Sequence[FactoryMethod]) -> None:
    """Raises `IntakeError` for code that changes a container or a factory of another bean."""
    factories = [method for method in methods if method.has_type(*FACTORIES)]
    for match in islice(_BEAN_CHANGE.finditer(code.plain), _MAX_PLACES):
        if match["other"] or not any(method.contains(match.start()) for method in factories):
            words = "this changes objects of other beans, and is not read"
            raise IntakeError(f"Line {code.line(match.start())}: {words}.")


def refuse_strays(code: Code, methods: Sequence[FactoryMethod], clients: Sequence[Client]) -> None:
    """Raises `IntakeError` for containers and consumer factories that are created outside of a
    bean."""
    beans = [method for method in methods if method.has_type(*FACTORIES) and method.is_bean]
    makers = [*beans, *(method for method in methods if method.has_type(*CONSUMERS))]
    places = [(match.start(), beans) for match in NEW_FACTORY.finditer(code.plain)]
    places += [(client.at, makers) for client in clients if client.component is Component.CONSUMER]
    for at, creators in places[:_MAX_PLACES]:
        if not any(method.contains(at) for method in creators):
            words = "which listeners use the object that is created here is not known"
            raise IntakeError(f"Line {code.line(at)}: {words}.")
