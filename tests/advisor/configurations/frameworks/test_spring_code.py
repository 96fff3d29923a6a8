"""Listeners and senders of Spring for Apache Kafka, with the file of their application."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, assert_files, write_files
from tests.advisor.programs import ASIDE, BEFORE, IGNORED, SKIP

YML = "spring.kafka:\n  consumer:\n    group-id: g\n    auto-offset-reset: earliest\n"
MANUAL = f"{YML}  listener:\n    ack-mode: manual\n"
YES_IF = "^YES, if the program does what is assumed"
STATED = "application.processing.errors=retry application.restart=resumes"
"""Settings that a team states for its container."""
JAVA = """package orders;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.Acknowledgment;
@Component
class Orders {
  private final KafkaTemplate<String, String> template; private final Store store;
  %s
}
"""
KOTLIN = """package orders
import org.springframework.kafka.annotation.KafkaListener
import org.springframework.kafka.support.Acknowledgment
class Orders(private val store: Store) {
    @KafkaListener(topics = ["orders"])
    %s
}
"""
METHOD = (
    '@KafkaListener(topics = "orders", groupId = "g")\n  public void on(%s) throws Error {\n%s }'
)
SAVE = "store.save(m);"
SWALLOWED = 'try { store.save(m); } catch (Exception e) {\n log.error("no", e); }'
WITH_ACK = "String m, Acknowledgment ack"
HEADERS = "@Payload Order m, @Header(KafkaHeaders.RECEIVED_KEY) String key, @Headers Map<?, ?> h"
ASYNC = '}\nclass Work {\n  @Async("pool")\n  public void work(String m) { store.save(m); '
RECORDS = "List<ConsumerRecord<String, String>> rs"


def java(parameters: str, body: str) -> str:
    """Returns a class with a listener that has these parameters and this body."""
    return JAVA % (METHOD % (parameters, body))


@pytest.mark.parametrize("code", [
    java("String m", SAVE),
    java("ConsumerRecord<String, Map<String, Order>> m", SAVE),
    java(HEADERS, SAVE),
    java("String m", "if (m == null) return;\nstore.save(m);"),
    java("String m", "try { store.save(m); } catch (Exception e) { log.error(e); throw e; }"),
    java("String m", "CompletableFuture.runAsync(() -> store.save(m), pool).join();"),
    java("String m", 'template.send("out", m).get();'),
    java("String m", 'try { store.save(m); } catch (Error e) { template.send("t", m).join(); }'),
    java(RECORDS, "if (rs.isEmpty()) { return; }\nfor (var r : rs) store.save(r.value());"),
    java("String m", "for (int n = 0; n < 3; n++) { try { store.save(m); return; } catch (Error e) "
         '{ log.warn("again"); } }\nthrow new IllegalStateException();'),
    KOTLIN % "fun on(m: String) {\n        store.save(m)\n    }",
    KOTLIN % "fun on(r: ConsumerRecord<String, Order?>) {\n  val o = r.value() ?: return\n"
    "  store.save(o)\n }",
])  # fmt: skip
def test_errors_that_leave_a_listener_are_handled_by_its_container(
    tmp_path: Path, code: str
) -> None:
    name = "Orders.kt" if code.startswith("package orders\n") else "Orders.java"
    write_files(tmp_path, {name: code, "application.yml": YML})
    paths = f"{tmp_path / 'application.yml'} {tmp_path / name}"
    assert_answer(paths, f"{TOPIC} {STATED}", 0, YES_IF)
    assert_answer(paths, TOPIC, 1, "^NO.*processing.errors: skip -> retry")


@pytest.mark.parametrize(("code", "line", "expected"), [
    (java("String m", SWALLOWED), 10, SKIP),
    (java("String m", f"work(m);\n  }}\n  void work(String m) {{ {SWALLOWED}"), 10, SKIP),
    (java("String m", "Order o;\ntry { o = parse(m); } catch (Exception e) {\n return; }\n"
          "store.save(o);"), 11, SKIP),
    (java("String m", "for (var o : parse(m)) {\n try { store.save(o); } catch (Exception e) {\n"
          ' log.warn("no");\n return; } }'), 11, SKIP),
    (java(RECORDS, f"for (var m : rs) {{ {SWALLOWED} }}"), 10, SKIP),
    (java("String m", "CompletableFuture.runAsync(() -> store.save(m), pool);"), 10, ASIDE),
    (java("String m", "pool.submit(() -> store.save(m));"), 10, ASIDE),
    (java("String m", "store.save(m).subscribe();"), 10, ASIDE),
    (java("String m", f"worker.work(m); }}\n{ASYNC}"), 13, ASIDE),
    (java("String m", 'template.send("out", m);'), 10, IGNORED[:27]),
    (java("String m", "template.sendDefault(m);"), 10, IGNORED[:27]),
    (java("String m", 'template.send("out", m).whenComplete((r, e) -> log.info("sent"));'),
     10, IGNORED[:27]),
    (KOTLIN % "fun on(m: String) {\n  runCatching { store.save(m) }\n }", 7, SKIP),
    (KOTLIN % "fun on(m: String) {\n  scope.launch { store.save(m) }\n }", 7, ASIDE),
])  # fmt: skip
def test_messages_that_a_listener_loses_are_reported_with_the_line(
    tmp_path: Path, code: str, line: int, expected: str
) -> None:
    name = "Orders.kt" if code.startswith("package orders\n") else "Orders.java"
    write_files(tmp_path, {name: code, "application.yml": YML})
    for names in (["application.yml", name], [name, "application.yml"]):
        paths = " ".join(str(tmp_path / file) for file in names)
        assert_answer(paths, TOPIC, 1, rf"NO.*{name}:{line}: [^:]*\({expected}")


@pytest.mark.parametrize(("body", "code", "expected"), [
    (f"{SAVE}\nack.acknowledge();", 0, YES_IF),
    (f"if (seen(m)) {{ ack.acknowledge(); return; }}\n{SAVE}\nack.acknowledge();", 0, YES_IF),
    (f"ack.acknowledge();\n{SAVE}", 1, BEFORE),
    (f"{SWALLOWED}\nack.acknowledge();", 2, "rethrows none"),
    ("try { store.save(m); } finally { ack.acknowledge(); }", 2, "rethrows none"),
    ("try { store.save(m);\nack.acknowledge(); } catch (Exception e) { log.error(e); }", 2,
     "rethrows none"),
    # in a function that runs later, on the thread of the consumer, or that other code keeps
    ("store.save(m).thenRun(() -> ack.acknowledge());", 1, ASIDE),
    ("store.save(m).thenRun(ack::acknowledge);", 1, ASIDE),
    ("store.save(m).thenRun(() -> ack.acknowledge()).join();", 0, YES_IF),
    ("pool.submit(() -> { store.save(m); ack.acknowledge(); });", 1, ASIDE),
    ("store.save(m).whenComplete((r, e) -> ack.acknowledge());", 2, "rethrows none"),
    ("tx.executeWithoutResult(s -> { store.save(m); ack.acknowledge(); });", 0, YES_IF),
    ("registry.register(m, () -> ack.acknowledge());", 2, "who acknowledges this record"),
    # a negative acknowledgment seeks back
    ("try { store.save(m); ack.acknowledge(); } catch (Exception e) { ack.nack(d); }", 0, YES_IF),
    ("if (!open()) { ack.nack(d); return; }\nstore.save(m);\nack.acknowledge();", 0, YES_IF),
    ("store.save(m).whenComplete((r, e) -> { if (e != null) ack.nack(d); });", 2,
     "on the thread of the consumer"),
    ("store.save(m, ack);", 2, "who acknowledges this record"),
    (SAVE, 2, "nothing acknowledges this record"),
])  # fmt: skip
def test_an_acknowledgment_is_a_commit(tmp_path: Path, body: str, code: int, expected: str) -> None:
    files = {"application.yml": MANUAL, "Orders.java": java(WITH_ACK, body)}
    assert_files(tmp_path, files, f"{TOPIC} {STATED}", code, expected)


@pytest.mark.parametrize(("body", "code", "expected"), [
    ("store.save(m).thenRun(() -> ack.acknowledge());", 0, YES_IF),
    ('template.send("out", m).thenRun(ack::acknowledge);', 0, YES_IF),
    ('template.send("out", m).whenComplete((r, e) -> { if (e == null) ack.acknowledge(); });', 0,
     YES_IF),
    ("store.save(m).whenComplete((r, e) -> ack.acknowledge());", 2, "rethrows none"),
    ("client.post(m).doFinally(s -> ack.acknowledge()).subscribe();", 2, "rethrows none"),
])  # fmt: skip
def test_acknowledgments_of_threads_wait_for_each_other(
    tmp_path: Path, body: str, code: int, expected: str
) -> None:
    files = {"application.yml": f"{MANUAL}    async-acks: true\n"}
    files["Orders.java"] = java(WITH_ACK, body)
    assert_files(tmp_path, files, f"{TOPIC} {STATED}", code, expected)


@pytest.mark.parametrize(("body", "code", "expected"), [
    ("store.save(m).thenRun { ack.acknowledge() }", 1, ASIDE),
    ("for (o in parse(m)) { if (o.old) continue; store.save(o) }\nack.acknowledge()", 0, YES_IF),
    ("for (o in parse(m)) { try { store.save(o) } catch (e: Exception) { return } }\n"
     "ack.acknowledge()", 2, "rethrows none"),
    ("registry.register(m) { ack.acknowledge() }", 2, "who acknowledges this record"),
])  # fmt: skip
def test_an_acknowledgment_in_kotlin_is_a_commit(
    tmp_path: Path, body: str, code: int, expected: str
) -> None:
    method = f"fun on(m: String, ack: Acknowledgment) {{\n{body}\n    }}"
    files = {"application.yml": MANUAL, "Orders.kt": KOTLIN % method}
    assert_files(tmp_path, files, f"{TOPIC} {STATED}", code, expected)


def test_a_return_from_a_loop_over_a_batch_ends_the_batch(tmp_path: Path) -> None:
    body = "for (int i = 0; i < rs.size(); i++) { try { store.save(rs.get(i)); } "
    files = {"application.yml": f"{MANUAL}    type: batch\n"}
    cases = (("ack.nack(i, d)", 0, YES_IF), ("log.error(e)", 2, "rethrows none"))
    for then, code, expected in cases:
        method = f"{body}catch (Exception e) {{ {then}; return; }} }}\nack.acknowledge();"
        files["Orders.java"] = java(f"{RECORDS}, Acknowledgment ack", method)
        assert_files(tmp_path, files, f"{TOPIC} {STATED}", code, expected)


@pytest.mark.parametrize(("parameters", "yml", "expected"), [
    ("String m", MANUAL, "has no Acknowledgment.*nothing is committed. Leave out ack-mode"),
    (WITH_ACK, YML, "takes an Acknowledgment.*State spring.kafka.listener.ack-mode"),
])  # fmt: skip
def test_a_listener_and_a_container_that_disagree_on_who_commits_are_refused(
    tmp_path: Path, parameters: str, yml: str, expected: str
) -> None:
    body = f"{SAVE}\nack.acknowledge();" if parameters == WITH_ACK else SAVE
    files = {"application.yml": yml, "Orders.java": java(parameters, body)}
    assert_files(tmp_path, files, TOPIC, 2, rf"Orders.java:8: .*{expected}")


@pytest.mark.parametrize(("code", "expected"), [
    (java("List<String> m", SAVE), ":8: whether this listener takes one record or all"),
    (java("String m, Consumer<?, ?> c", SAVE), "the parameters of this listener are not read"),
    (java("String m", SAVE).replace('"g")', '"g", containerFactory = "f")'),
     ":8: this listener's container factory is created elsewhere"),
    (java("String m", SAVE).replace('"g")', '"g", errorHandler = "f")'),
     ":8: errorHandler of @KafkaListener is not read"),
    (java("String m", SAVE).replace('"g")', '"g-${random.uuid}")'),
     ":8: groupId is a new one at each start"),
    (java("String m", SAVE).replace('"g")', '"g#{T(java.util.UUID).randomUUID()}")'),
     ":8: groupId is a new one at each start"),
    (java("String m", SAVE).replace("void", "CompletableFuture<Void>"), "wait for its own calls"),
    (KOTLIN % "suspend fun on(m: String) {\n store.save(m)\n }", "wait for its own calls"),
    (KOTLIN % "fun on(m: String) {\n  parse(m).forEach {\n  if (it.old) return\n"
     "  store.save(it)\n }\n }",
     ":8: the target of this return is not followed"),
    (java("String m", f"{SAVE} }}\n KafkaProducer<String, String> p = new KafkaProducer<>(x); {{")
     .replace("package orders;", "import org.apache.kafka.clients.producer.*;"),
     ":11: a Kafka client or Kafka Streams beside the clients that Spring sets up"),
    (java("String m", SAVE).replace("core.KafkaTemplate", "listener.MessageListener"),
     "Spring for Apache Kafka"),
])  # fmt: skip
def test_a_listener_that_cannot_be_analysed_is_refused(
    tmp_path: Path, code: str, expected: str
) -> None:
    write_files(tmp_path, {"Orders.java": code, "application.yml": YML})
    paths = f"{tmp_path / 'application.yml'} {tmp_path / 'Orders.java'}"
    assert_answer(paths, TOPIC, 2, expected)


def test_a_listener_without_the_application_file_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"Orders.java": java("String m", SAVE)})
    assert_answer(str(tmp_path / "Orders.java"), TOPIC, 2, "Give them, too: .*application.yml")


@pytest.mark.parametrize(("service", "expected"), [
    (f"class Store {{\n  void save(String m) {{ {SWALLOWED.replace('store', 'db')} }}\n}}\n", SKIP),
    ("import org.springframework.kafka.core.KafkaTemplate;\nclass Store {\n"
     '  final KafkaTemplate<String, String> own;\n  void save(String m) { own.send("t", m); }\n}\n',
     IGNORED[:27]),
])  # fmt: skip
def test_a_service_that_a_listener_calls_is_read_with_it(
    tmp_path: Path, service: str, expected: str
) -> None:
    files = {"application.yml": YML, "Orders.java": java("String m", SAVE), "Store.java": service}
    assert_files(tmp_path, files, TOPIC, 1, rf"NO.*\({expected}")


def test_a_stated_error_handling_is_refused_if_the_listener_swallows_errors(
    tmp_path: Path,
) -> None:
    files = {"application.yml": YML, "Orders.java": java("String m", SWALLOWED)}
    expected = "--set: .*errors=retry is what the container does .*Orders.java:10 rethrows none"
    assert_files(tmp_path, files, f"{TOPIC} {STATED}", 2, expected)


IN_TRANSACTION = f"{YML}  producer.transaction-id-prefix: tx-\n"
SENDS = 'template.send("out", m);'


@pytest.mark.parametrize(("body", "code", "expected"), [
    (SENDS, 0, YES_IF),
    (SAVE, 0, YES_IF),
    ('template.send("out", m).whenComplete((r, e) -> log.info("sent"));', 0, YES_IF),
    (f"CompletableFuture.runAsync(() -> {{ {SENDS} }}, pool);", 1, ASIDE),
    (f"try {{ {SAVE} }} catch (Exception e) {{ log.error(e); }}\n{SENDS}", 2, "rethrows none"),
])  # fmt: skip
def test_a_send_in_the_container_transaction_fails_with_the_transaction(
    tmp_path: Path, body: str, code: int, expected: str
) -> None:
    files = {"application.yml": IN_TRANSACTION, "Orders.java": java("String m", body)}
    assert_files(tmp_path, files, f"{TOPIC} {STATED}", code, expected)


def test_a_custom_class_may_have_the_name_of_a_client(tmp_path: Path) -> None:
    code_text = java(
        "String m", f"{SAVE}\n}}\n Orders(Settings s) {{ new KafkaProducer(s).start();"
    )
    write_files(tmp_path, {"Orders.java": code_text, "application.yml": YML})
    paths = f"{tmp_path / 'application.yml'} {tmp_path / 'Orders.java'}"
    assert_answer(paths, f"{TOPIC} {STATED}", 0, YES_IF)


HANDLER = """package orders;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
@Configuration
class Errors {
  @Bean
  DefaultErrorHandler handler(KafkaTemplate<Object, Object> template) {
    %s
  }
}
"""
LETTERS = "new DeadLetterPublishingRecoverer(template)"
BACK_OFF = "new FixedBackOff(1000L, 2L)"
VARS = f"var letters = {LETTERS};\nvar handler = new DefaultErrorHandler(letters, {BACK_OFF});\n"


@pytest.mark.parametrize(("body", "code", "expected"), [
    (f"return new DefaultErrorHandler({LETTERS}, {BACK_OFF});", 0, YES_IF),
    (f"{VARS}handler.addNotRetryableExceptions(Bad.class);\nreturn handler;", 0, YES_IF),
    ("return new DefaultErrorHandler(new FixedBackOff(1L, FixedBackOff.UNLIMITED_ATTEMPTS));", 1,
     "^NO.*processing.errors: skip -> retry"),
    (f'return new DefaultErrorHandler((r, e) -> log.error("no", e), {BACK_OFF});', 1, "^NO"),
    (f"{VARS}handler.setAckAfterHandle(false);\nreturn handler;", 2,
     ":11: the change that setAckAfterHandle makes is not read"),
    (f"{VARS}letters.setFailIfSendResultIsError(false);\nreturn handler;", 2,
     ":11: the change that setFailIfSendResultIsError makes is not read"),
    (f"{VARS}return new DefaultErrorHandler({BACK_OFF});", 2, "which handler the containers have"),
    (f"return wrapped({LETTERS});", 2, "this error handler is not read"),
])  # fmt: skip
def test_an_error_handler_may_have_a_dead_letter_topic(
    tmp_path: Path, body: str, code: int, expected: str
) -> None:
    files = {"application.yml": YML, "Orders.java": java("String m", SAVE)}
    write_files(tmp_path, files | {"Errors.java": HANDLER % body})
    for names in (["application.yml", "Orders.java", "Errors.java"],
                  ["Errors.java", "Orders.java", "application.yml"]):  # fmt: skip
        paths = " ".join(str(tmp_path / name) for name in names)
        assert_answer(paths, f"{TOPIC} application.restart=resumes", code, expected)


@pytest.mark.parametrize("option", ["application.dead.letter=acknowledged", STATED.split()[0], ""])
def test_messages_that_a_listener_skips_do_not_reach_a_dead_letter_topic(
    tmp_path: Path, option: str
) -> None:
    handler = HANDLER % f"return new DefaultErrorHandler({LETTERS}, {BACK_OFF});"
    write_files(tmp_path, {
        "Errors.java": handler, "Orders.java": java("String m", SWALLOWED), "application.yml": YML,
    })  # fmt: skip
    for names in (["application.yml", "Orders.java", "Errors.java"],
                  ["Errors.java", "Orders.java", "application.yml"],
                  ["application.yml", "Orders.java"]):  # fmt: skip
        paths = " ".join(str(tmp_path / name) for name in names)
        code, expected = (2, "rethrows none") if option else (1, f"^NO.*{SKIP}")
        assert_answer(paths, f"{TOPIC} {option}", code, expected)
