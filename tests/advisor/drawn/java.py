"""Writes a loop as a program in Java."""

from __future__ import annotations

from textwrap import indent

from tests.advisor.drawn.loops import TRIES, Each, Handler, Loop, Retry, Save, Try
from tests.advisor.drawn.writer import Writer, jumps

_PROGRAM = """\
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;

public class Orders {{
    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private final Store store = new Store();
    private KafkaConsumer<String, String> consumer;

    public void run() {{
        Properties settings = new Properties();
        settings.put("bootstrap.servers", "kafka:9092");
        settings.put("group.id", "orders");
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", "{auto_commit}");
        consumer = new KafkaConsumer<>(settings);
        consumer.subscribe(List.of("orders"));
{polls}
    }}
{methods}}}
"""
_POLLS = """\
while (true) {{
    ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(500));
{body}
}}"""
_CLOSED = """\
try {{
{polls}
}} finally {{
    consumer.close();
}}"""
_RECORD = "ConsumerRecord<String, String>"
_PARAMETER = f"{_RECORD} record"
_EACH = {
    "for": f"for ({_PARAMETER} : {{all}}) {{{{\n{{body}}\n}}}}",
    "forEach": "{all}.forEach(record -> {{\n{body}\n}});",
    "iterator": f"Iterator<{_RECORD}> all = {{all}}.iterator();\nwhile (all.hasNext()) {{{{\n"
    f"    {_PARAMETER} = all.next();\n{{body}}\n}}}}",
}
_GATHERED = (
    f"List<{_RECORD}> batch = new ArrayList<>();\nrecords.forEach(batch::add);\n",
    f"List<{_RECORD}> batch = new ArrayList<>();\n"
    f"for ({_RECORD} each : records) {{\n    batch.add(each);\n}}\n",
)
_COMMIT_ONE = (
    "consumer.commitSync(Map.of(new TopicPartition(record.topic(), record.partition()), "
    "new OffsetAndMetadata(record.offset() + 1)));"
)
_AFTER = {
    Handler.LOG: (),
    Handler.RETHROW: ("throw new IllegalStateException({error});",),
    Handler.STOP: ("break;",),
    Handler.LEAVE: ("return;",),
}
_TASK = "pool.submit(() -> store.save(record.value()))"
_TRIED = """\
    try {
        store.save(record.value());
        return true;
    } catch (Exception e) {
        return false;
    }"""


class Java(Writer):
    def program(self, loop: Loop) -> str:
        polls = _POLLS.format(body=self.inner(loop.body))
        if loop.closed:
            polls = _CLOSED.format(polls=indent(polls, "    "))
        return _PROGRAM.format(
            auto_commit=str(loop.auto_commit).lower(),
            polls=indent(polls, " " * 8), methods="".join(self.methods),
        )  # fmt: skip

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

    def commit(self, whole: bool) -> str:
        return "consumer.commitSync();" if whole else _COMMIT_ONE

    def each(self, each: Each) -> str:
        body = self.block(each.body)
        forms: tuple[str, ...] = ("for", "iterator")
        if not jumps(each):
            forms = tuple(_EACH)
            if self.choose(("in place", "method")) == "method":
                body = self.method("handle", body)
        before = self.choose(_GATHERED) if each.gathered else ""
        loop = _EACH[self.choose(forms)]
        every = "batch" if each.gathered else "records"
        return before + loop.format(all=every, body=indent(body, "    "))

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
            call = self.method("tried", _TRIED, "boolean").removesuffix(";")
            return f"if (!{call}) {{\n{self._after(block.handler, '')}\n}}"
        text = f"try {{\n{self.inner(block.body)}\n}}"
        if block.handler is not Handler.RETHROW or not block.last:
            text += f" catch (Exception e) {{\n{self._after(block.handler, 'e')}\n}}"
        if block.last:
            text += f" finally {{\n{self.inner(block.last)}\n}}"
        return text

    def _after(self, handler: Handler, error: str) -> str:
        logged = f'log.error("failed", {error});' if error else 'log.error("failed");'
        lines = (logged, *(line.format(error=error) for line in _AFTER[handler]))
        return indent("\n".join(lines), "    ")

    def retry(self, block: Retry) -> str:
        last = f"\n        if (attempt == {TRIES}) throw e;" if block.throws else ""
        return (
            f"for (int attempt = 1; attempt <= {TRIES}; attempt++) {{\n    try {{\n"
            + indent(self.block(block.body), " " * 8)
            + "\n        break;\n    } catch (RuntimeException e) {\n"
            f'        log.warn("again", e);{last}\n    }}\n}}'
        )

    def method(self, name: str, body: str, returns: str = "void") -> str:
        """A call of a method with this body."""
        self.methods.append(
            f"\n    private {returns} {name}({_PARAMETER}) {{\n{indent(body, ' ' * 8)}\n    }}\n"
        )
        return f"{name}(record);"
