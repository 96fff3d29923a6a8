"""Writes a program in Java."""

from __future__ import annotations

from textwrap import indent

from tests.advisor.drawn.loops import TRIES, Handler, ResultCheck, Retry, Save, Try
from tests.advisor.drawn.writer import Braced

_PROGRAM = """\
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;

public class Orders {{
    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private final Store store = new Store();
    private KafkaConsumer<String, String> consumer;
{fields}
    public void run() throws Exception {{
        Properties settings = new Properties();
        settings.put("bootstrap.servers", "kafka:9092");
        settings.put("group.id", "orders");
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", "{auto_commit}");
{producer}        consumer = new KafkaConsumer<>(settings);
        consumer.subscribe(List.of("orders"));
{polls}
    }}
{methods}}}
"""
_JOB = """\
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.apache.kafka.clients.producer.*;

public class Orders {{
{fields}
    public static void main(String[] given) throws Exception {{
        new Orders().run(Order.readAll(given[0]));
    }}

    public void run(List<Order> records) throws Exception {{
{producer}{polls}
    }}
{methods}}}
"""
_FIELDS = "    private KafkaProducer<String, String> producer;\n"
_PRODUCER = """\
Properties sending = new Properties();
sending.put("bootstrap.servers", "kafka:9092");
sending.put("acks", "all");
sending.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
sending.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
producer = new KafkaProducer<>(sending);
"""
_SEND_CALL = 'producer.send(new ProducerRecord<>("out", record.key(), record.value()){callback})'
_WAIT_FOR_FUTURES = (
    "for (Future<RecordMetadata> future : futures) {\n    future.get();\n}",
    "for (var future : futures) {\n    future.get(30, TimeUnit.SECONDS);\n}",
    "for (int i = 0; i < futures.size(); i++) {\n    futures.get(i).get();\n}",
)
_WAIT_IMMEDIATELY = (
    "{sent}.get();",
    "{sent}.get(30, TimeUnit.SECONDS);",
    "Future<RecordMetadata> sent = {sent};\nsent.get();",
    'RecordMetadata metadata = {sent}.get();\nlog.info("at {{}}", metadata.offset());',
)
_CALLBACKS = {
    ResultCheck.LOGGED: (
        'log.error("failed", e);',
        "errors.increment();",
        'log.warn("lost {}", metadata, e);',
    ),
    ResultCheck.STORED: ("",),
    ResultCheck.THROWN: ("throw new IllegalStateException(e);",),
    ResultCheck.EXITED: (
        "System.exit(1);",
        'log.error("failed", e);\nRuntime.getRuntime().halt(1);',
    ),
}
_ERROR_FIELDS = (
    (
        "private final AtomicBoolean failed = new AtomicBoolean();",
        "failed.set(true);",
        "failed.get()",
    ),
    ("private volatile Exception failure;", "failure = e;", "failure != null"),
    (
        "private final Queue<Exception> errors = new ConcurrentLinkedQueue<>();",
        "errors.add(e);",
        "!errors.isEmpty()",
    ),
)
_POLLS = """\
while (true) {{
    ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(500));
{body}
}}"""
_RECORD = "ConsumerRecord<String, String>"
_PARAMETER = f"{_RECORD} record"
_RECORD_LOOPS = {
    "for": f"for ({_PARAMETER} : {{all}}) {{{{\n{{body}}\n}}}}",
    "forEach": "{all}.forEach(record -> {{\n{body}\n}});",
    "iterator": f"Iterator<{_RECORD}> all = {{all}}.iterator();\nwhile (all.hasNext()) {{{{\n"
    f"    {_PARAMETER} = all.next();\n{{body}}\n}}}}",
}
_COPIES_TO_LIST = (
    f"List<{_RECORD}> batch = new ArrayList<>();\nrecords.forEach(batch::add);\n",
    f"List<{_RECORD}> batch = new ArrayList<>();\n"
    f"for ({_RECORD} each : records) {{\n    batch.add(each);\n}}\n",
)
_COMMIT_ONE = (
    "consumer.commitSync(Map.of(new TopicPartition(record.topic(), record.partition()), "
    "new OffsetAndMetadata(record.offset() + 1)));"
)
_AFTER_LOG = {
    Handler.LOG: (),
    Handler.FLAG: (),
    Handler.RETHROW: ("throw new IllegalStateException({error});",),
    Handler.SKIP: ("continue;",),
    Handler.STOP: ("break;",),
    Handler.LEAVE: ("return;",),
}
_FLAGS = (
    ("boolean ok = true;", "ok = false;", "ok"),
    ("int failed = 0;", "failed++;", "failed == 0"),
    ("AtomicBoolean failed = new AtomicBoolean();", "failed.set(true);", "!failed.get()"),
)
_TASK = "pool.submit(() -> store.save(record.value()))"
_TRY_SAVE = """\
    try {
        store.save(record.value());
        return true;
    } catch (Exception e) {
        return false;
    }"""


class Java(Braced):
    frame, polls = _PROGRAM, _POLLS
    record_loops, loops_with_jump, copies_to_list = (
        _RECORD_LOOPS,
        ("for", "iterator"),
        _COPIES_TO_LIST,
    )
    commit_one, caught, after_log, end = _COMMIT_ONE, "Exception e", _AFTER_LOG, ";"
    job, fields, producer, send_call = _JOB, _FIELDS, _PRODUCER, _SEND_CALL
    record, flags = _RECORD, _FLAGS
    futures = "List<Future<RecordMetadata>> futures = new ArrayList<>();"
    add_future, wait_for_futures, wait_immediately = (
        "futures.add({sent});",
        _WAIT_FOR_FUTURES,
        _WAIT_IMMEDIATELY,
    )
    callbacks, error_fields = _CALLBACKS, _ERROR_FIELDS

    def send_with_callback(self, statements: str) -> str:
        statements = statements or self.error_field[1]
        if self.choose(("lambda", "method")) == "method":
            head = "    private void sent(RecordMetadata metadata, Exception e)"
            self.methods.append(f"\n{head} {{\n{indent(_if_failed(statements), ' ' * 8)}\n    }}\n")
            return self.send_call.format(callback=", this::sent") + ";"
        body = indent(_if_failed(statements), "    ")
        return self.send_call.format(callback=f", (metadata, e) -> {{\n{body}\n}}") + ";"

    def save(self) -> str:
        match self.choose(("call", "parsed", "method")):
            case "parsed":
                return "Order order = parse(record.value());\nstore.save(order);"
            case "method":
                return self.method("one", "store.save(record.value());")
            case _:
                return "store.save(record.value());"

    def log(self) -> str:
        return 'log.info("got {}", record.offset());'

    def submit(self, waited: bool) -> str:
        if not waited:
            return f"for ({_PARAMETER} : records) {{\n    {_TASK};\n}}"
        return (
            "List<Future<?>> futures = new ArrayList<>();\n"
            f"for ({_PARAMETER} : records) {{\n    futures.add({_TASK});\n}}\n"
            "for (Future<?> future : futures) {\n    future.get();\n}"
        )

    def guarded(self, block: Try) -> str:
        if tuple(block.body) == (Save(),) and not block.last and self.choose(("try", "if")) == "if":
            call = self.method("tried", _TRY_SAVE, "boolean").removesuffix(";")
            return f"if (!{call}) {{\n{self.handler_body(block.handler, '')}\n}}"
        return self.try_catch(block)

    def retry(self, block: Retry) -> str:
        last = f"\n        if (attempt == {TRIES}) throw e;" if block.throws else ""
        return (
            f"for (int attempt = 1; attempt <= {TRIES}; attempt++) {{\n    try {{\n"
            + indent(self.block(block.body), " " * 8)
            + "\n        break;\n    } catch (Exception e) {\n"
            f'        log.warn("again", e);{last}\n    }}\n}}'
        )

    def method(self, name: str, body: str, returns: str = "") -> str:
        head = f"    private {returns or 'void'} {name}({_PARAMETER}) throws Exception"
        self.methods.append(f"\n{head} {{\n{indent(body, ' ' * 8)}\n    }}\n")
        return f"{name}(record);"


def _if_failed(statements: str) -> str:
    return f"if (e != null) {{\n{indent(statements, '    ')}\n}}"
