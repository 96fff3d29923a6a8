"""Writes a program in Kotlin."""

from __future__ import annotations

from textwrap import indent

from tests.advisor.drawn.loops import TRIES, Handler, ResultCheck, Retry, Save, Try
from tests.advisor.drawn.writer import Braced, jumps

_PROGRAM = """\
import java.time.Duration
import java.util.*
import java.util.concurrent.*
import java.util.concurrent.atomic.*
import org.apache.kafka.clients.consumer.*
import org.apache.kafka.clients.producer.*
import org.apache.kafka.common.TopicPartition

class Orders(private val store: Store) {{
    private val pool = Executors.newFixedThreadPool(4)
    private lateinit var consumer: KafkaConsumer<String, String>
{fields}
    fun run() {{
        val settings = Properties().apply {{
            put("bootstrap.servers", "kafka:9092")
            put("group.id", "orders")
            put("auto.offset.reset", "earliest")
            put("enable.auto.commit", "{auto_commit}")
        }}
{producer}        consumer = KafkaConsumer<String, String>(settings)
        consumer.subscribe(listOf("orders"))
{polls}
    }}
{methods}}}
"""
_JOB = """\
import java.time.Duration
import java.util.*
import java.util.concurrent.*
import java.util.concurrent.atomic.*
import org.apache.kafka.clients.producer.*

class Orders {{
{fields}
    fun run(records: List<Order>) {{
{producer}{polls}
    }}
{methods}}}

fun main(given: Array<String>) {{
    Orders().run(readAll(given[0]))
}}
"""
_FIELDS = "    private lateinit var producer: KafkaProducer<String, String>\n"
_PRODUCER = """\
val sending = Properties().apply {
    put("bootstrap.servers", "kafka:9092")
    put("acks", "all")
    put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer")
    put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer")
}
producer = KafkaProducer<String, String>(sending)
"""
_RECORD = "ConsumerRecord<String, String>"
_SEND_CALL = 'producer.send(ProducerRecord("out", record.key(), record.value()){callback})'
_WAIT_FOR_FUTURES = (
    "futures.forEach { it.get() }",
    "for (future in futures) {\n    future.get(30, TimeUnit.SECONDS)\n}",
    "futures.map { it.get() }",
)
_WAIT_IMMEDIATELY = (
    "{sent}.get()",
    "{sent}.get(30, TimeUnit.SECONDS)",
    "val sent = {sent}\nsent.get()",
    'val metadata = {sent}.get()\nlog.info("at ${{metadata.offset()}}")',
)
_CALLBACKS = {
    ResultCheck.LOGGED: (
        'log.error("failed", e)',
        "errors.increment()",
        'log.warn("lost $metadata", e)',
    ),
    ResultCheck.STORED: ("",),
    ResultCheck.THROWN: ("throw IllegalStateException(e)",),
    ResultCheck.EXITED: ("exitProcess(1)", 'log.error("failed", e)\nRuntime.getRuntime().halt(1)'),
}
_ERROR_FIELDS = (
    ("private val failed = AtomicBoolean()", "failed.set(true)", "failed.get()"),
    ("@Volatile private var failure: Exception? = null", "failure = e", "failure != null"),
    (
        "private val errors = ConcurrentLinkedQueue<Exception>()",
        "errors.add(e)",
        "errors.isNotEmpty()",
    ),
)
_RECORD_LOOPS = {
    "for": "for (record in {all}) {{\n{body}\n}}",
    "forEach": "{all}.forEach {{ record ->\n{body}\n}}",
    "onEach": "{all}.asSequence().forEach {{ record ->\n{body}\n}}",
}
_COPIES_TO_LIST = (
    "val batch = records.toList()\n",
    "val batch = records.map { it }\n",
    "val batch = mutableListOf<ConsumerRecord<String, String>>()\nbatch.addAll(records)\n",
)
_COMMIT_ONE = (
    "consumer.commitSync(mapOf(TopicPartition(record.topic(), record.partition()) to "
    "OffsetAndMetadata(record.offset() + 1)))"
)
_AFTER_LOG = {
    Handler.LOG: (),
    Handler.FLAG: (),
    Handler.RETHROW: ("throw IllegalStateException({error})",),
    Handler.SKIP: ("continue",),
    Handler.STOP: ("break",),
    Handler.LEAVE: ("return",),
}
_FLAGS = (
    ("var ok = true", "ok = false", "ok"),
    ("var failed = 0", "failed += 1", "failed == 0"),
    ("val failed = AtomicInteger()", "failed.incrementAndGet()", "failed.get() == 0"),
)
_TASK = "pool.submit { store.save(record.value()) }"
_TRY_SAVE = """\
try {
    store.save(record.value())
    true
} catch (e: Exception) {
    false
}"""


class Kotlin(Braced):
    frame = _PROGRAM
    record_loops, loops_with_jump, copies_to_list = _RECORD_LOOPS, ("for",), _COPIES_TO_LIST
    commit_one, caught, after_log, end = _COMMIT_ONE, "e: Exception", _AFTER_LOG, ""
    job, fields, producer, send_call = _JOB, _FIELDS, _PRODUCER, _SEND_CALL
    record, flags = _RECORD, _FLAGS
    futures = "val futures = mutableListOf<Future<RecordMetadata>>()"
    add_future, wait_for_futures, wait_immediately = (
        "futures += {sent}",
        _WAIT_FOR_FUTURES,
        _WAIT_IMMEDIATELY,
    )
    callbacks, error_fields = _CALLBACKS, _ERROR_FIELDS

    def send_with_callback(self, statements: str) -> str:
        statements = statements or self.error_field[1]
        failed = f"if (e != null) {{\n{indent(statements, '    ')}\n}}"
        match self.choose(("braces", "method", "let")):
            case "method":
                head = "    private fun sent(metadata: RecordMetadata?, e: Exception?)"
                self.methods.append(f"\n{head} {{\n{indent(failed, ' ' * 8)}\n    }}\n")
                return self.send_call.format(callback=", ::sent")
            case "let":
                failed = f"e?.let {{\n{indent(statements, '    ')}\n}}"
            case _:
                pass
        body = indent(failed, "    ")
        return self.send_call.format(callback="") + f" {{ metadata, e ->\n{body}\n}}"

    def save(self) -> str:
        match self.choose(("call", "parsed", "method", "expression")):
            case "parsed":
                return "val order = parse(record.value())\nstore.save(order)"
            case "method":
                return self.method("one", "store.save(record.value())")
            case "expression":
                return self.method("one", "= store.save(record.value())")
            case _:
                return "store.save(record.value())"

    def log(self) -> str:
        return 'log.info("got ${record.offset()}")'

    def submit(self, waited: bool) -> str:
        if not waited:
            return f"for (record in records) {{\n    {_TASK}\n}}"
        return f"val futures = records.map {{ record -> {_TASK} }}\nfutures.forEach {{ it.get() }}"

    def guarded(self, block: Try) -> str:
        forms = ["try"]
        if tuple(block.body) == (Save(),) and not block.last:
            forms.append("if")
        if block.handler in (Handler.LOG, Handler.RETHROW) and not block.last and not jumps(block):
            forms.append("runCatching")
        match self.choose(forms):
            case "if":
                call = self.method("tried", f"= {_TRY_SAVE}", ": Boolean")
                return f"if (!{call}) {{\n{self.handler_body(block.handler, '')}\n}}"
            case "runCatching":
                after = self.handler_body(block.handler, "it")
                return f"runCatching {{\n{self.inner(block.body)}\n}}.onFailure {{\n{after}\n}}"
            case _:
                return self.try_catch(block)

    def retry(self, block: Retry) -> str:
        last = f"\n        if (attempt == {TRIES}) throw e" if block.throws else ""
        return (
            f"for (attempt in 1..{TRIES}) {{\n    try {{\n"
            + indent(self.block(block.body), " " * 8)
            + "\n        break\n    } catch (e: Exception) {\n"
            f'        log.warn("again", e){last}\n    }}\n}}'
        )

    def method(self, name: str, body: str, returns: str = "") -> str:
        # A body that begins with `=` is an expression body.
        head = f"    private fun {name}(record: {_RECORD}){returns}"
        if body.startswith("= "):
            text = f"{head} {indent(body, ' ' * 4).strip()}\n"
        else:
            text = f"{head} {{\n{indent(body, ' ' * 8)}\n    }}\n"
        self.methods.append("\n" + text)
        return f"{name}(record)"
