"""Clients and containers that Java classes set up with Spring for Apache Kafka, and listeners."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, write_files

YES_IF = "^YES, if the program does what is assumed"
STATED = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
YML = "spring.kafka:\n  consumer:\n    group-id: g\n    auto-offset-reset: earliest\n"
LISTENER = """package orders;
import org.springframework.kafka.annotation.KafkaListener;
class Orders {
  private final Store store;
  %s
  public void on(%s) {
    %s
  }
}
"""
SAVES = LISTENER % ('@KafkaListener(topics = "orders")', "String m", "store.save(m);")
BY_CODE = LISTENER % (
    '@KafkaListener(topics = "orders")', "String m, Acknowledgment ack",
    "store.save(m); ack.acknowledge();",
)  # fmt: skip
CONFIG = """package orders;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.*;
@Configuration
class KafkaConfig {
  @Value("${orders.reset:latest}")
  private String reset;
%s
}
"""
CONSUMERS = """  @Bean
  public ConsumerFactory<String, String> consumerFactory() {
    Map<String, Object> props = new HashMap<>();
    props.put(ConsumerConfig.GROUP_ID_CONFIG, "g");
    %s
    return new DefaultKafkaConsumerFactory<>(props);
  }
"""
BY_BOOT = CONSUMERS.replace("new HashMap<>()", "kafkaProperties.buildConsumerProperties(null)")
FACTORY = """  @Bean
  public ConcurrentKafkaListenerContainerFactory<String, String> %s(%s) {
    ConcurrentKafkaListenerContainerFactory<String, String> factory =
        new ConcurrentKafkaListenerContainerFactory<>();
    factory.setConsumerFactory(%s);
    factory.setConcurrency(3);
    %s
    return factory;
  }
"""
EARLIEST = 'props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");'
RESET = "props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, reset);"
AUTO = 'props.put("enable.auto.commit", true);'
DEFAULT_NAME = "kafkaListenerContainerFactory"
PARAM = "ConsumerFactory<String, String> consumers"
MANUAL = "factory.getContainerProperties().setAckMode(ContainerProperties.AckMode.MANUAL);"
CHANGE = r"^NO.*consumer.auto.offset.reset: latest -> earliest"


def factory(
    statements: str = "",
    name: str = DEFAULT_NAME,
    params: str = "",
    source: str = "consumerFactory()",
) -> str:
    """Returns a container factory bean with these statements, parameters and consumer factory."""
    return FACTORY % (name, params, source, statements)


def assert_in_both_orders(
    folder: Path, files: dict[str, str], settings: str, code: int, expected: str
) -> None:
    """Asserts the answer for the files in both orders."""
    write_files(folder, files)
    for names in ([*files], [*reversed(files)]):
        paths = " ".join(str(folder / name) for name in names)
        assert_answer(paths, settings, code, expected)


@pytest.mark.parametrize(("beans", "yml", "code", "expected"), [
    (CONSUMERS % EARLIEST + factory(), "", 0, YES_IF),
    (CONSUMERS % EARLIEST + factory(), "server.port: 1\n", 0, YES_IF),
    (CONSUMERS % "" + factory(), "", 1, CHANGE),
    (CONSUMERS % "" + factory(), YML, 1, f"{CHANGE}.*application.yml:3: spring.kafka.consumer"),
    (BY_BOOT % "" + factory(), YML, 0, YES_IF),
    (BY_BOOT % 'props.put("auto.offset.reset", "latest");' + factory(), YML, 1, CHANGE),
    (CONSUMERS % RESET + factory(), "", 1, f"{CHANGE}.*KafkaConfig.java:13: .*orders.reset may"),
    (CONSUMERS % RESET + factory(), "orders.reset: earliest\n", 0, YES_IF),
    (CONSUMERS % RESET.replace("reset)", "chosen)") + factory(), YML, 2,
     ":13: .*auto.offset.reset"),
    (CONSUMERS % f"{EARLIEST} {AUTO}" + factory(), YML, 0, f"{YES_IF}.*application.commit=auto"),
    (factory(params=PARAM, source="consumers"), YML, 0, YES_IF),
    (CONSUMERS % "" + factory(params=PARAM, source="consumers"), YML, 1, CHANGE),
    (factory(source='new DefaultKafkaConsumerFactory<>(Map.of("auto.offset.reset", "latest"))'),
     YML, 1, CHANGE),
    (CONSUMERS % "", YML, 0, YES_IF),
    (CONSUMERS.replace("<String, String> c", "<Object, Object> c") % "", YML, 1, CHANGE),
    (CONSUMERS % "if (fast) { props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, \"latest\"); }"
     + factory(), YML, 2, ":13: .*auto.offset.reset"),
    (CONSUMERS % EARLIEST.replace("props.put", "other(props); props.put") + factory(), YML, 2,
     ":13: this use of props is not read"),
])  # fmt: skip
def test_a_container_uses_the_consumers_of_its_factory(
    tmp_path: Path, beans: str, yml: str, code: int, expected: str
) -> None:
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES}
    files |= {"application.yml": yml} if yml else {}
    assert_in_both_orders(tmp_path, files, STATED, code, expected)


@pytest.mark.parametrize(("listener", "statements", "yml", "code", "expected"), [
    (BY_CODE, MANUAL, YML, 0, YES_IF),
    (BY_CODE, "", f"{YML}  listener.ack-mode: manual\n", 2, "takes an Acknowledgment"),
    (SAVES, MANUAL, YML, 2, "has no Acknowledgment, and with ack-mode MANUAL"),
    (SAVES, "", f"{YML}  listener.ack-mode: manual\n", 0, f"{YES_IF}.*listener..* does not count"),
    (BY_CODE, "var p = factory.getContainerProperties();\n    p.setAckMode(AckMode.MANUAL);", YML,
     0, YES_IF),
    (SAVES, "factory.getContainerProperties().setSyncCommits(true);", YML, 0, YES_IF),
    (SAVES, "factory.setRecordFilterStrategy(r -> r.value() == null);", YML, 0, YES_IF),
    (SAVES, "factory.setRecordFilterStrategy(r -> { try { return bad(r); } catch (Exception e) "
     "{ return true; } });", YML, 2, ":15: the setting setRecordFilterStrategy of"),
    (SAVES, "factory.setRecordInterceptor(own);", YML, 2, "setting setRecordInterceptor|changes"),
    (SAVES, "if (slow) factory.setBatchListener(true);", YML, 2, ":15: .*depends on a condition"),
    (SAVES, "customize(factory);", YML, 2, ":15: what this does with factory is not read"),
    (SAVES, "factory.setCommonErrorHandler(handlers.own());", YML, 2, ":15: this error handler"),
])  # fmt: skip
def test_settings_of_a_container_count(
    tmp_path: Path, listener: str, statements: str, yml: str, code: int, expected: str
) -> None:
    beans = factory(statements, params=PARAM, source="consumers")
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": listener, "application.yml": yml}
    assert_in_both_orders(tmp_path, files, STATED, code, expected)


LETTERS = "new DeadLetterPublishingRecoverer(template)"
HANDLER = "new DefaultErrorHandler(%s, new FixedBackOff(1000L, 2L))"
SETS = "factory.setCommonErrorHandler(%s);"
AS_BEAN = f"""  @Bean
  DefaultErrorHandler errors(KafkaTemplate<Object, Object> template) {{
    return {HANDLER % LETTERS};
  }}
"""
RESUMES = f"{TOPIC} application.restart=resumes"
SKIPS = "^NO.*processing.errors: skip -> retry"


@pytest.mark.parametrize(("beans", "code", "expected"), [
    (factory(SETS % HANDLER % LETTERS), 0, f"{YES_IF}.*:29: a record that fails for good"),
    (factory(SETS % "errors(template)") + AS_BEAN, 0, YES_IF),
    (factory(SETS % "errors", params="DefaultErrorHandler errors") + AS_BEAN, 0, YES_IF),
    (factory(f"var own = {HANDLER % LETTERS};\n    {SETS % 'own'}"), 0, YES_IF),
    (factory() + AS_BEAN, 1, SKIPS),
    (AS_BEAN, 0, YES_IF),
    (factory(SETS % HANDLER % '(r, e) -> log.error("no", e)'), 1, SKIPS),
    (factory(SETS % "new DefaultErrorHandler()"), 1, SKIPS),
    (factory("var slow = new ExponentialBackOffWithMaxRetries(5);\n    slow.setMaxInterval(9);\n"
             + SETS % "new DefaultErrorHandler(slow)"), 1, SKIPS),
    (factory(SETS % "new CommonLoggingErrorHandler()"), 1, SKIPS),
    (factory(SETS % HANDLER % "new DeadLetterPublishingRecoverer(template, (r, e) -> null)"), 2,
     ":29: a resolver that returns null"),
    (factory(SETS % "errors", params="DefaultErrorHandler errors").replace(
        SETS % "errors", f"errors.setAckAfterHandle(false);\n    {SETS % 'errors'}") + AS_BEAN, 2,
     ":29: the change that setAckAfterHandle makes"),
    (factory(SETS % f"{HANDLER % LETTERS} {{ }}"), 2, ":29: a subclass of a handler"),
])  # fmt: skip
def test_a_container_passes_failed_records_to_its_error_handler(
    tmp_path: Path, beans: str, code: int, expected: str
) -> None:
    consumers = (BY_BOOT % "") if "consumerFactory()" in beans else ""
    beans = (consumers + beans).replace(":29", ":29")
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES, "application.yml": YML}
    assert_in_both_orders(tmp_path, files, RESUMES, code, expected.replace(":29", r":\d+"))


PRODUCERS = """  @Bean
  public ProducerFactory<String, String> producers() {
    Map<String, Object> props = new HashMap<>();
    %s
    DefaultKafkaProducerFactory<String, String> made = new DefaultKafkaProducerFactory<>(props);
    %s
    return made;
  }
  @Bean
  public KafkaTemplate<String, String> template() { return new KafkaTemplate<>(producers()); }
"""
MANAGER = "factory.getContainerProperties().setKafkaAwareTransactionManager(manager);"
PREFIX = 'made.setTransactionIdPrefix("tx-");'
SENDS = LISTENER % ('@KafkaListener(topics = "orders")', "String m", 'template.send("out", m);')
PARAMS = f"{PARAM}, KafkaTransactionManager<?, ?> manager"
MANAGED = factory(MANAGER, params=PARAMS, source="consumers")
IGNORED = r"^NO.*\(application.delivery.errors"


@pytest.mark.parametrize(("beans", "listener", "code", "expected"), [
    (PRODUCERS % ("", ""), SAVES, 0, YES_IF),
    (PRODUCERS % ('props.put("acks", "1");', ""), SAVES, 1, "^NO.*acks: 1 -> all"),
    (PRODUCERS % ("", PREFIX) + MANAGED, SENDS, 0, YES_IF),
    (PRODUCERS % ("", PREFIX) + factory(params=PARAM, source="consumers"), SENDS, 1, IGNORED),
    (PRODUCERS % ("", PREFIX), SENDS, 1, IGNORED),
    (PRODUCERS % ("", "") + MANAGED, SENDS, 2, "its producer has no transaction-id-prefix"),
    (factory(MANAGER, params=f"{PARAM}, JpaTransactionManager manager", source="consumers"),
     SAVES, 2, "the setting setKafkaAwareTransactionManager of"),
    (PRODUCERS % ("", "") + (PRODUCERS % ('props.put("acks", "0");', "")).replace("s()", "b()"),
     SAVES, 2, "this producer has other settings"),
])  # fmt: skip
def test_the_producer_factory_of_the_code_counts(
    tmp_path: Path, beans: str, listener: str, code: int, expected: str
) -> None:
    yml = f"{YML}  producer.acks: 0\n" if "producers" in beans else YML
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": listener, "application.yml": yml}
    assert_in_both_orders(tmp_path, files, STATED, code, expected)


OTHER_FACTORY = '@KafkaListener(topics = "orders", containerFactory = "others")'


@pytest.mark.parametrize(("beans", "code", "expected"), [
    (factory(name="others", params=PARAM, source="consumers"), 0, YES_IF),
    (factory(params=PARAM, source="consumers"), 2, "Orders.java:5: this listener's container"),
    (CONSUMERS % "" + factory(name="others", params=PARAM, source="consumers"), 1, CHANGE),
    (factory(name="own", params=PARAM, source="consumers").replace("@Bean", '@Bean("others")'),
     0, YES_IF),
    (factory(name="others", params=PARAM, source="consumers").replace(
        "public Conc", "public org.springframework.kafka.config.Conc"), 0, YES_IF),
    (factory(name="others", params=PARAM, source="consumers").replace("@Bean", ""), 2,
     "which listeners use the object that is created here is not known"),
    (factory(name="others", params=PARAM, source="consumers")
     .replace("@Bean", '@Profile("x") @Bean'), 2,
     "which beans this class creates depends on a condition"),
])  # fmt: skip
def test_a_listener_uses_the_container_factory_that_it_names(
    tmp_path: Path, beans: str, code: int, expected: str
) -> None:
    named = SAVES.replace('@KafkaListener(topics = "orders")', OTHER_FACTORY)
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": named, "application.yml": YML}
    assert_in_both_orders(tmp_path, files, STATED, code, expected)


def test_listeners_with_different_containers_are_refused(tmp_path: Path) -> None:
    beans = CONSUMERS % EARLIEST + factory()
    beans += (CONSUMERS % AUTO).replace("consumerFactory", "own")
    beans += factory(name="others", source="own()")
    named = SAVES.replace('@KafkaListener(topics = "orders")', OTHER_FACTORY)
    files = {
        "KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES, "application.yml": YML,
        "Others.java": named.replace("class Orders", "class Others"),
    }  # fmt: skip
    assert_in_both_orders(
        tmp_path, files, STATED, 2, "this container and another one of the listeners here"
    )


BATCH = LISTENER % ('@KafkaListener(topics = "orders")', "List<String> ms",
                    "for (String m : ms) { store.save(m); }")  # fmt: skip
SWALLOWED = BATCH.replace(
    "store.save(m);", 'try { store.save(m); } catch (Error e) { log.error("", e); }'
)


@pytest.mark.parametrize(("listener", "statements", "yml", "code", "expected"), [
    (BATCH, "factory.setBatchListener(true);", YML, 0, YES_IF),
    (SWALLOWED, "factory.setBatchListener(true);", YML, 2, "rethrows none"),
    (SAVES, "factory.setBatchListener(true);", YML, 2, "takes one record, and its container"),
    (SAVES, None, f"{YML}  listener.type: batch\n", 2, "takes one record, and its container"),
    (BATCH, "", YML, 2, "whether this listener takes one record or all"),
    (BATCH, "", f"{YML}  listener.type: batch\n", 2, "whether this listener takes one record"),
    (BATCH, None, f"{YML}  listener.type: batch\n", 0, YES_IF),
    (BATCH.replace('"orders")', '"orders", batch = "true")'), None, YML, 0, YES_IF),
])  # fmt: skip
def test_a_list_parameter_is_a_batch_if_the_container_is_a_batch_listener(
    tmp_path: Path, listener: str, statements: str | None, yml: str, code: int, expected: str
) -> None:
    files = {"Orders.java": listener, "application.yml": yml}
    if statements is not None:
        files["KafkaConfig.java"] = CONFIG % factory(statements, params=PARAM, source="consumers")
    assert_in_both_orders(tmp_path, files, STATED, code, expected)


RETRIED = '@RetryableTopic(attempts = "4"%s)\n  @KafkaListener(topics = "orders")'


@pytest.mark.parametrize(("java_annotations", "settings", "code", "expected"), [
    (RETRIED % "", RESUMES, 0, f"{YES_IF}.*application.retry.topics=true"),
    (RETRIED % "", f"{RESUMES} need.ordering=on", 1, "^NO.*retry.topics"),
    (RETRIED % ", dltStrategy = DltStrategy.NO_DLT", RESUMES, 1, SKIPS),
    (RETRIED % ", own = 1", RESUMES, 2, ":5: own of @RetryableTopic is not read"),
])  # fmt: skip
def test_retry_topics_lose_the_order_and_have_a_dead_letter_topic(
    tmp_path: Path, java_annotations: str, settings: str, code: int, expected: str
) -> None:
    listener = LISTENER % (java_annotations, "String m", "store.save(m);")
    listener = listener.replace(
        "import", "import org.springframework.kafka.annotation.*;\nimport", 1
    )
    files = {"Orders.java": listener, "application.yml": YML}
    assert_in_both_orders(tmp_path, files, settings, code, expected.replace(":5", ":6"))


KOTLIN = """package orders
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory
import org.springframework.kafka.core.ConsumerFactory
import org.springframework.kafka.core.DefaultKafkaConsumerFactory
@Configuration
class KafkaConfig {
    @Bean
    fun consumerFactory(): ConsumerFactory<String, String> = DefaultKafkaConsumerFactory(
        mapOf<String, Any>(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG to "%s")
    )

    @Bean
    fun kafkaListenerContainerFactory() =
        ConcurrentKafkaListenerContainerFactory<String, String>().apply {
            consumerFactory = consumerFactory()
            containerProperties.ackMode = ContainerProperties.AckMode.%s
        }
}
"""
IN_KOTLIN = """package orders
import org.springframework.kafka.annotation.KafkaListener
class Orders(private val store: Store) {
    @KafkaListener(topics = ["orders"])
    fun on(m: String) = %s
}
"""


@pytest.mark.parametrize(("reset", "mode", "body", "code", "expected"), [
    ("earliest", "RECORD", "store.save(m)", 0, YES_IF),
    ("latest", "RECORD", "store.save(m)", 1, CHANGE),
    ("earliest", "MANUAL", "store.save(m)", 2, "has no Acknowledgment"),
    ("earliest", "BATCH", "runBlocking {\n store.save(m)\n }", 0, YES_IF),
    ("earliest", "BATCH", "try { store.save(m) } catch (e: Exception) { log.error(e) }", 2,
     "rethrows none"),
    ("earliest", "BATCH", "scope.launch { store.save(m) }", 1, "^NO.*application.processing="),
])  # fmt: skip
def test_kotlin_classes_are_read_like_java_classes(
    tmp_path: Path, reset: str, mode: str, body: str, code: int, expected: str
) -> None:
    files = {"KafkaConfig.kt": KOTLIN % (reset, mode), "Orders.kt": IN_KOTLIN % body}
    assert_in_both_orders(tmp_path, files | {"application.yml": YML}, STATED, code, expected)


def test_variables_that_spring_binds_are_refused_without_the_application_file(
    tmp_path: Path,
) -> None:
    compose = "services:\n  a:\n    image: a\n    environment:\n"
    compose += "      SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET: earliest\n"
    beans = CONSUMERS % EARLIEST + factory()
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES, "compose.yml": compose}
    assert_in_both_orders(
        tmp_path, files, STATED, 2, "settings of Spring stand in a file that is not the application"
    )


def test_several_factories_may_start_from_one_map(tmp_path: Path) -> None:
    base = (
        "  private Map<String, Object> base() {\n    Map<String, Object> props = new HashMap<>();\n"
    )
    base += f"    {EARLIEST}\n    return props;\n  }}\n"
    one = CONSUMERS.replace("new HashMap<>()", "base()") % ""
    beans = base + one + factory() + one.replace("consumerFactory", "own")
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES, "application.yml": YML}
    assert_in_both_orders(tmp_path, files, STATED, 0, YES_IF)


def test_clients_that_classes_set_up_are_not_skipped_with_other_files(tmp_path: Path) -> None:
    listener = LISTENER % (RETRIED % "", "String m", "store.save(m);")
    listener = listener.replace(
        "import", "import org.springframework.kafka.annotation.*;\nimport", 1
    )
    consumer = "group.id=g\nauto.offset.reset=earliest\nenable.auto.commit=false\n"
    files = {"Orders.java": listener, "consumer.properties": consumer}
    assert_in_both_orders(
        tmp_path, files, RESUMES, 2, "Orders.java:6: the class that sets up the clients"
    )
