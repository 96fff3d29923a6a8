"""Random listeners of Spring for Apache Kafka, and their code in Java and Kotlin."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.advisor.drawn.drawing import one_record
from tests.advisor.drawn.java import Java
from tests.advisor.drawn.kotlin import Kotlin
from tests.advisor.drawn.loops import Block, Commit, Each, Handler, Loop, parts

_JAVA = """\
import java.util.*;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.Acknowledgment;

@Component
public class Orders {{
    private final Store store = new Store();

{polls}
{methods}}}
"""
_ON_JAVA = """\
@KafkaListener(topics = "orders", groupId = "orders")
public void on(ConsumerRecord<String, String> record{more}) throws Exception {{
{body}
}}"""
_KOTLIN = """\
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.springframework.kafka.annotation.KafkaListener
import org.springframework.kafka.support.Acknowledgment

@Component
class Orders(private val store: Store) {{
{polls}
{methods}}}
"""
_ON_KOTLIN = """\
@KafkaListener(topics = ["orders"], groupId = "orders")
fun on(record: ConsumerRecord<String, String>{more}) {{
{body}
}}"""
_ACKNOWLEDGED = ", Acknowledgment ack"
_HANDLERS = (Handler.LOG, Handler.RETHROW, Handler.SKIP)


@dataclass(frozen=True, slots=True)
class Listener:
    """A listener for one record. Its container commits after all polled records, unless the
    listener acknowledges them itself by a `Commit`."""

    body: Block
    acknowledged: bool

    @property
    def loop(self) -> Loop:
        """The equivalent poll loop, with the commits of the container."""
        each = Each(self.body)
        return Loop((each,) if self.acknowledged else (each, Commit(all=True)))


class JavaListener(Java):
    commit_one = "ack.acknowledge();"
    after_log = {**Java.after_log, Handler.SKIP: ("return;",)}

    def listener(self, drawn: Listener) -> str:
        """The code of the class with this listener."""
        parameters = _ACKNOWLEDGED if drawn.acknowledged else ""
        return _render(self, _JAVA, _ON_JAVA, drawn, parameters)


class KotlinListener(Kotlin):
    commit_one = "ack.acknowledge()"
    after_log = {**Kotlin.after_log, Handler.SKIP: ("return",)}

    def listener(self, drawn: Listener) -> str:
        """The code of the class with this listener."""
        parameters = ", ack: Acknowledgment" if drawn.acknowledged else ""
        return _render(self, _KOTLIN, _ON_KOTLIN, drawn, parameters)


def _render(
    writer: JavaListener | KotlinListener, frame: str, on: str, drawn: Listener, parameters: str
) -> str:
    writer.error_field = ("",) * 3
    body = on.format(body=writer.inner(drawn.body), more=parameters)
    polls = "\n".join(f"    {line}" for line in body.splitlines())
    return frame.format(polls=polls, methods="".join(writer.methods))


@st.composite
def listeners(draw: st.DrawFn) -> Listener:
    """A listener that acknowledges its records, or leaves the commits to its container."""
    acknowledged = draw(st.booleans())
    handlers = st.sampled_from(_HANDLERS)
    body = draw(one_record(handlers, st.just(Commit()) if acknowledged else None))
    is_left = acknowledged and not any(isinstance(part, Commit) for part in parts(Each(body)))
    return Listener((*body, Commit()) if is_left else body, acknowledged)
