"""What a class makes or changes of which it is not known who has it, or whether it counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from advisor.catalog import Component
from advisor.intake.frameworks.spring.client_factories import Client
from advisor.intake.frameworks.spring.container_factories import FACTORIES, NEW_FACTORY
from advisor.intake.frameworks.spring.made_beans import Made
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError

_MOST = 100
CONSUMERS = ("ConsumerFactory", "DefaultKafkaConsumerFactory")
_DEPENDS = re.compile(r"@(?:Profile|Conditional(?!OnMissingBean\b)\w*)\b")
_CHANGES = re.compile(
    r"\.\s*set(?:CommonErrorHandler|AckMode|BatchListener|RecordFilterStrategy|ConsumerFactory"
    r"|KafkaConsumerProperties|AfterRollbackProcessor|RecordInterceptor|BatchInterceptor)\s*\("
    r"|(?P<other>\bDefaultKafka(?:Consumer|Producer)FactoryCustomizer\b|\bContainerCustomizer\b"
    r"|\bKafkaListenerConfigurer\b|\bBeanPostProcessor\b"
    r"|\b\w*[cC]onfigurer\s*\.\s*(?!configure\b)\w+\s*\()"
)


def refuse_conditions(code: Code, methods: Sequence[Made]) -> None:
    """Raises `IntakeError` for beans that only a profile or a condition makes."""
    makes = any(one.is_bean for one in methods)
    if makes and (match := _DEPENDS.search(code.plain)):
        words = "which beans this class makes depends on a condition. Leave only what counts"
        raise IntakeError(f"Line {code.line(match.start())}: {words}.")


def refuse_changes(code: Code, methods: Sequence[Made]) -> None:
    """Raises `IntakeError` for what changes a container or a factory that others have made."""
    own = [one for one in methods if one.is_of(*FACTORIES)]
    for match in islice(_CHANGES.finditer(code.plain), _MOST):
        if match["other"] or not any(one.holds(match.start()) for one in own):
            words = "this changes what other beans have made, and is not read"
            raise IntakeError(f"Line {code.line(match.start())}: {words}.")


def refuse_strays(code: Code, methods: Sequence[Made], clients: Sequence[Client]) -> None:
    """Raises `IntakeError` for containers and factories of consumers of which it is not known who
    has them."""
    beans = [one for one in methods if one.is_of(*FACTORIES) and one.is_bean]
    makers = [*beans, *(one for one in methods if one.is_of(*CONSUMERS))]
    places = [(match.start(), beans) for match in NEW_FACTORY.finditer(code.plain)]
    places += [(one.at, makers) for one in clients if one.component is Component.CONSUMER]
    for at, own in places[:_MOST]:
        if not any(one.holds(at) for one in own):
            words = "which listeners have what is made here is not known"
            raise IntakeError(f"Line {code.line(at)}: {words}.")
