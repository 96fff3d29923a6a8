"""Writes a program in Scala."""

from __future__ import annotations

from textwrap import indent

from tests.advisor.drawn.loops import (
    TRIES,
    Check,
    Each,
    Handler,
    ResultCheck,
    Retry,
    Save,
    Try,
    parts,
)
from tests.advisor.drawn.writer import Braced, jumps

_IMPORTS = """\
import java.time.Duration
import java.util.Properties
import java.util.concurrent._
import java.util.concurrent.atomic._
import org.apache.kafka.clients.consumer._
import org.apache.kafka.clients.producer._
import org.apache.kafka.common.TopicPartition
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{{Failure, Success, Try}}
import scala.util.control.Breaks._
import scala.util.control.NonFatal
"""
_PROGRAM = (
    _IMPORTS
    + """
class Orders(store: Store) {{
    private val pool = Executors.newFixedThreadPool(4)
    private var consumer: KafkaConsumer[String, String] = _
{fields}
    def run(): Unit = {{
        val settings = new Properties()
        settings.put("bootstrap.servers", "kafka:9092")
        settings.put("group.id", "orders")
        settings.put("auto.offset.reset", "earliest")
        settings.put("enable.auto.commit", "{auto_commit}")
{producer}        consumer = new KafkaConsumer[String, String](settings)
        consumer.subscribe(List("orders").asJava)
{polls}
    }}
{methods}}}
"""
)
_JOB = (
    _IMPORTS
    + """
class Orders {{
{fields}
    def run(records: List[Order]): Unit = {{
{producer}{polls}
    }}
{methods}}}

object Orders {{
    def main(given: Array[String]): Unit = {{
        new Orders().run(Order.readAll(given(0)))
    }}
}}
"""
)
_FIELDS = "    private var producer: KafkaProducer[String, String] = _\n"
_PRODUCER = """\
val sending = new Properties()
sending.put("bootstrap.servers", "kafka:9092")
sending.put("acks", "all")
sending.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer")
sending.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer")
producer = new KafkaProducer[String, String](sending)
"""
_RECORD = "ConsumerRecord[String, String]"
_SEND_CALL = 'producer.send(new ProducerRecord("out", record.key(), record.value()){callback})'
_WAIT_FOR_FUTURES = (
    "futures.foreach(_.get())",
    "for (future <- futures) {\n    future.get(30, TimeUnit.SECONDS)\n}",
    "futures.foreach { future => future.get() }",
)
_WAIT_IMMEDIATELY = (
    "{sent}.get()",
    "{sent}.get(30, TimeUnit.SECONDS)",
    "val sent = {sent}\nsent.get()",
    'val metadata = {sent}.get()\nlog.info(s"at ${{metadata.offset()}}")',
)
_CALLBACKS = {
    ResultCheck.LOGGED: (
        'log.error("failed", e)',
        "errors.increment()",
        'log.warn(s"lost $metadata", e)',
    ),
    ResultCheck.STORED: ("",),
    ResultCheck.THROWN: ("throw new IllegalStateException(e)",),
    ResultCheck.EXITED: ("sys.exit(1)", 'log.error("failed", e)\nRuntime.getRuntime.halt(1)'),
}
_ERROR_FIELDS = (
    ("private val failed = new AtomicBoolean()", "failed.set(true)", "failed.get()"),
    ("@volatile private var failure: Exception = null", "failure = e", "failure != null"),
    (
        "private val errors = new ConcurrentLinkedQueue[Exception]()",
        "errors.add(e)",
        "!errors.isEmpty",
    ),
)
_RECORD_LOOPS = {
    "for": "for (record <- {all}.asScala) {{\n{body}\n}}",
    "foreach": "{all}.asScala.foreach {{ record =>\n{body}\n}}",
    "forEach": "{all}.forEach {{ record =>\n{body}\n}}",
}
_COPIES_TO_LIST = (
    "val batch = new java.util.ArrayList[ConsumerRecord[String, String]]()\n"
    "for (each <- records.asScala) {\n    batch.add(each)\n}\n",
    "val batch = new java.util.ArrayList[ConsumerRecord[String, String]]()\n"
    "records.forEach(each => batch.add(each))\n",
)
_COMMIT_ONE = (
    "consumer.commitSync(java.util.Map.of(new TopicPartition(record.topic, record.partition), "
    "new OffsetAndMetadata(record.offset + 1)))"
)
_AFTER_LOG = {
    Handler.LOG: (),
    Handler.FLAG: (),
    Handler.RETHROW: ("throw new IllegalStateException({error})",),
    Handler.SKIP: ("break()",),
    Handler.STOP: ("break()",),
    Handler.LEAVE: ("return",),
}
_FLAGS = (
    ("var ok = true", "ok = false", "ok"),
    ("var failed = 0", "failed += 1", "failed == 0"),
    ("val failed = new AtomicInteger()", "failed.incrementAndGet()", "failed.get() == 0"),
)
_TASK = "pool.submit(() => store.save(record.value()))"
_TRY_SAVE = """\
try {
    store.save(record.value())
    true
} catch {
    case e: Exception => false
}"""


class Scala(Braced):
    frame = _PROGRAM
    record_loops, loops_with_jump, copies_to_list = _RECORD_LOOPS, ("for",), _COPIES_TO_LIST
    commit_one, caught, after_log, end = _COMMIT_ONE, "e: Exception", _AFTER_LOG, ""
    job, fields, producer, send_call = _JOB, _FIELDS, _PRODUCER, _SEND_CALL
    record, flags = _RECORD, _FLAGS
    futures = "val futures = mutable.ListBuffer[Future[RecordMetadata]]()"
    add_future, wait_for_futures, wait_immediately = (
        "futures += {sent}",
        _WAIT_FOR_FUTURES,
        _WAIT_IMMEDIATELY,
    )
    callbacks, error_fields = _CALLBACKS, _ERROR_FIELDS

    def send_with_callback(self, statements: str) -> str:
        failed = f"if (e != null) {{\n{indent(statements or self.error_field[1], '    ')}\n}}"
        match self.choose(("lambda", "method", "object")):
            case "method":
                head = "    private def sent(metadata: RecordMetadata, e: Exception): Unit ="
                self.methods.append(f"\n{head} {{\n{indent(failed, ' ' * 8)}\n    }}\n")
                return self.send_call.format(callback=", sent _")
            case "object":
                head = "override def onCompletion(metadata: RecordMetadata, e: Exception): Unit ="
                body = f"    {head} {{\n{indent(failed, ' ' * 8)}\n    }}"
                return self.send_call.format(callback=f", new Callback {{\n{body}\n}}")
            case _:
                body = indent(failed, "    ")
                return self.send_call.format(callback=f", (metadata, e) => {{\n{body}\n}}")

    def save(self) -> str:
        match self.choose(("call", "parsed", "method", "expression", "procedure")):
            case "parsed":
                return "val order = parse(record.value())\nstore.save(order)"
            case "method":
                return self.method("one", "store.save(record.value())")
            case "expression":
                return self.method("one", "= store.save(record.value())")
            case _:
                return "store.save(record.value)"

    def log(self) -> str:
        return 'log.info(s"got ${record.offset()}")'

    def submit(self, waited: bool) -> str:
        if not waited:
            return f"for (record <- records.asScala) {{\n    {_TASK}\n}}"
        return (
            f"val futures = records.asScala.map {{ record => {_TASK} }}.toList\n"
            "futures.foreach(_.get())"
        )

    def each(self, each: Each) -> str:
        """A loop in which `break()` skips a record or leaves the loop."""
        handlers = {part.handler for part in parts(each) if isinstance(part, Try | Check)}
        if Handler.SKIP in handlers and Handler.STOP in handlers:
            self.after_log = {**_AFTER_LOG, Handler.STOP: ("all.break()",)}
            return f"val all = new Breaks\nall.breakable {{\n{indent(self._each(each), '    ')}\n}}"
        text = self._each(each) if Handler.SKIP in handlers else super().each(each)
        return f"breakable {{\n{indent(text, '    ')}\n}}" if Handler.STOP in handlers else text

    def _each(self, each: Each) -> str:
        """A loop in which `break()` skips a record."""
        before, breakable = self.record_loops, "breakable {{\n{body}\n}}"
        self.record_loops = {
            name: form.replace("{body}", breakable) for name, form in before.items()
        }
        text = super().each(each)
        self.record_loops = before
        return text

    def try_catch(self, block: Try) -> str:
        text = f"try {{\n{self.inner(block.body)}\n}}"
        if block.handler is not Handler.RETHROW or not block.last:
            case = self.choose(("case e: Exception", "case NonFatal(e)", "case e: Throwable"))
            case = "case NonFatal(e)" if jumps(block) else case
            handler_code = indent(self.handler_body(block.handler, "e"), "    ")
            text += f" catch {{\n    {case} =>\n{handler_code}\n}}"
        if block.last:
            text += f" finally {{\n{self.inner(block.last)}\n}}"
        return text

    def guarded(self, block: Try) -> str:
        forms = ["try"]
        if tuple(block.body) == (Save(),) and not block.last:
            forms.append("if")
        if block.handler in (Handler.LOG, Handler.RETHROW) and not block.last and not jumps(block):
            forms += ["match", "recover"]
        match self.choose(forms):
            case "if":
                call = self.method("tried", f"= {_TRY_SAVE}", ": Boolean")
                return f"if (!{call}) {{\n{self.handler_body(block.handler, '')}\n}}"
            case "match":
                body, after = (
                    self.inner(block.body),
                    indent(self.handler_body(block.handler, "e"), "    "),
                )
                cases = f"    case Failure(e) =>\n{after}\n    case Success(_) => ()"
                return f"Try {{\n{body}\n}} match {{\n{cases}\n}}"
            case "recover" if block.handler is Handler.LOG:
                body, after = self.inner(block.body), self.handler_body(block.handler, "e")
                return f"Try {{\n{body}\n}}.recover {{ case e =>\n{after}\n}}"
            case _:
                return self.try_catch(block)

    def retry(self, block: Retry) -> str:
        last = f"\n            if (attempt == {TRIES}) throw e" if block.throws else ""
        return (
            "var attempt = 0\nvar done = false\n"
            f"while (!done && attempt < {TRIES}) {{\n    attempt += 1\n    try {{\n"
            + indent(self.block(block.body), " " * 8)
            + "\n        done = true\n    } catch {\n        case e: Exception =>\n"
            f'            log.warn("again", e){last}\n    }}\n}}'
        )

    def method(self, name: str, body: str, returns: str = "") -> str:
        # A body that begins with `=` is an expression body.
        head = f"    private def {name}(record: {_RECORD})"
        if body.startswith("= "):
            text = f"{head}{returns or ': Unit'} {indent(body, ' ' * 4).strip()}\n"
        elif self.choose(("unit", "procedure")) == "unit":
            text = f"{head}{returns or ': Unit'} = {{\n{indent(body, ' ' * 8)}\n    }}\n"
        else:
            text = f"{head} {{\n{indent(body, ' ' * 8)}\n    }}\n"
        self.methods.append("\n" + text)
        return f"{name}(record)"
