"""Clients and containers of Spring for Apache Kafka that classes set up, with their listeners."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, write_files

IF = "^YES, if the program does what is assumed"
TAKEN = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
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
NAME = "kafkaListenerContainerFactory"
GIVEN = "ConsumerFactory<String, String> consumers"
MANUAL = "factory.getContainerProperties().setAckMode(ContainerProperties.AckMode.MANUAL);"
CHANGE = r"^NO.*consumer.auto.offset.reset: latest -> earliest"


def factory(
    said: str = "", name: str = NAME, given: str = "", of: str = "consumerFactory()"
) -> str:
    """A bean that sets up containers."""
    return FACTORY % (name, given, of, said)


def ask(folder: Path, files: dict[str, str], settings: str, code: int, expected: str) -> None:
    """Asks of the files in both orders."""
    write_files(folder, files)
    for names in ([*files], [*reversed(files)]):
        paths = " ".join(str(folder / name) for name in names)
        assert_answer(paths, settings, code, expected)


@pytest.mark.parametrize(("beans", "yml", "code", "expected"), [
    (CONSUMERS % EARLIEST + factory(), "", 0, IF),
    (CONSUMERS % EARLIEST + factory(), "server.port: 1\n", 0, IF),
    (CONSUMERS % "" + factory(), "", 1, CHANGE),
    (CONSUMERS % "" + factory(), YML, 1, f"{CHANGE}.*application.yml:3: spring.kafka.consumer"),
    (BY_BOOT % "" + factory(), YML, 0, IF),
    (BY_BOOT % 'props.put("auto.offset.reset", "latest");' + factory(), YML, 1, CHANGE),
    (CONSUMERS % RESET + factory(), "", 1, f"{CHANGE}.*KafkaConfig.java:13: .*orders.reset may"),
    (CONSUMERS % RESET + factory(), "orders.reset: earliest\n", 0, IF),
    (CONSUMERS % RESET.replace("reset)", "chosen)") + factory(), YML, 2,
     ":13: .*auto.offset.reset"),
    (CONSUMERS % f"{EARLIEST} {AUTO}" + factory(), YML, 0, f"{IF}.*application.commit=auto"),
    (factory(given=GIVEN, of="consumers"), YML, 0, IF),
    (CONSUMERS % "" + factory(given=GIVEN, of="consumers"), YML, 1, CHANGE),
    (factory(of='new DefaultKafkaConsumerFactory<>(Map.of("auto.offset.reset", "latest"))'), YML, 1,
     CHANGE),
    (CONSUMERS % "", YML, 0, IF),
    (CONSUMERS.replace("<String, String> c", "<Object, Object> c") % "", YML, 1, CHANGE),
    (CONSUMERS % "if (fast) { props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, \"latest\"); }"
     + factory(), YML, 2, ":13: .*auto.offset.reset"),
    (CONSUMERS % EARLIEST.replace("props.put", "other(props); props.put") + factory(), YML, 2,
     ":13: this use of props is not read"),
])  # fmt: skip
def test_the_consumers_of_a_container_are_those_of_its_factory(
    tmp_path: Path, beans: str, yml: str, code: int, expected: str
) -> None:
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES}
    files |= {"application.yml": yml} if yml else {}
    ask(tmp_path, files, TAKEN, code, expected)


@pytest.mark.parametrize(("listener", "said", "yml", "code", "expected"), [
    (BY_CODE, MANUAL, YML, 0, IF),
    (BY_CODE, "", f"{YML}  listener.ack-mode: manual\n", 2, "takes an Acknowledgment"),
    (SAVES, MANUAL, YML, 2, "has no Acknowledgment, and with ack-mode MANUAL"),
    (SAVES, "", f"{YML}  listener.ack-mode: manual\n", 0, f"{IF}.*listener..* does not count"),
    (BY_CODE, "var p = factory.getContainerProperties();\n    p.setAckMode(AckMode.MANUAL);", YML,
     0, IF),
    (SAVES, "factory.getContainerProperties().setSyncCommits(true);", YML, 0, IF),
    (SAVES, "factory.setRecordFilterStrategy(r -> r.value() == null);", YML, 0, IF),
    (SAVES, "factory.setRecordFilterStrategy(r -> { try { return bad(r); } catch (Exception e) "
     "{ return true; } });", YML, 2, ":15: the setting setRecordFilterStrategy of"),
    (SAVES, "factory.setRecordInterceptor(own);", YML, 2, "setting setRecordInterceptor|changes"),
    (SAVES, "if (slow) factory.setBatchListener(true);", YML, 2, ":15: .*depends on a condition"),
    (SAVES, "customize(factory);", YML, 2, ":15: what this does with factory is not read"),
    (SAVES, "factory.setCommonErrorHandler(handlers.own());", YML, 2, ":15: this error handler"),
])  # fmt: skip
def test_what_is_said_of_a_container_counts(
    tmp_path: Path, listener: str, said: str, yml: str, code: int, expected: str
) -> None:
    beans = factory(said, given=GIVEN, of="consumers")
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": listener, "application.yml": yml}
    ask(tmp_path, files, TAKEN, code, expected)


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
    (factory(SETS % HANDLER % LETTERS), 0, f"{IF}.*:29: a record that fails for good"),
    (factory(SETS % "errors(template)") + AS_BEAN, 0, IF),
    (factory(SETS % "errors", given="DefaultErrorHandler errors") + AS_BEAN, 0, IF),
    (factory(f"var own = {HANDLER % LETTERS};\n    {SETS % 'own'}"), 0, IF),
    (factory() + AS_BEAN, 1, SKIPS),
    (AS_BEAN, 0, IF),
    (factory(SETS % HANDLER % '(r, e) -> log.error("no", e)'), 1, SKIPS),
    (factory(SETS % "new DefaultErrorHandler()"), 1, SKIPS),
    (factory("var slow = new ExponentialBackOffWithMaxRetries(5);\n    slow.setMaxInterval(9);\n"
             + SETS % "new DefaultErrorHandler(slow)"), 1, SKIPS),
    (factory(SETS % "new CommonLoggingErrorHandler()"), 1, SKIPS),
    (factory(SETS % HANDLER % "new DeadLetterPublishingRecoverer(template, (r, e) -> null)"), 2,
     ":29: a resolver that returns null"),
    (factory(SETS % "errors", given="DefaultErrorHandler errors").replace(
        SETS % "errors", f"errors.setAckAfterHandle(false);\n    {SETS % 'errors'}") + AS_BEAN, 2,
     ":29: the change that setAckAfterHandle makes"),
    (factory(SETS % f"{HANDLER % LETTERS} {{ }}"), 2, ":29: a subclass of a handler"),
])  # fmt: skip
def test_a_container_hands_what_it_gives_up_to_its_handler(
    tmp_path: Path, beans: str, code: int, expected: str
) -> None:
    consumers = (BY_BOOT % "") if "consumerFactory()" in beans else ""
    beans = (consumers + beans).replace(":29", ":29")
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES, "application.yml": YML}
    ask(tmp_path, files, RESUMES, code, expected.replace(":29", r":\d+"))


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
GIVEN_BOTH = f"{GIVEN}, KafkaTransactionManager<?, ?> manager"
MANAGED = factory(MANAGER, given=GIVEN_BOTH, of="consumers")
IGNORED = r"^NO.*\(application.delivery.errors"


@pytest.mark.parametrize(("beans", "listener", "code", "expected"), [
    (PRODUCERS % ("", ""), SAVES, 0, IF),
    (PRODUCERS % ('props.put("acks", "1");', ""), SAVES, 1, "^NO.*acks: 1 -> all"),
    (PRODUCERS % ("", PREFIX) + MANAGED, SENDS, 0, IF),
    (PRODUCERS % ("", PREFIX) + factory(given=GIVEN, of="consumers"), SENDS, 1, IGNORED),
    (PRODUCERS % ("", PREFIX), SENDS, 1, IGNORED),
    (PRODUCERS % ("", "") + MANAGED, SENDS, 2, "its producer has no transaction-id-prefix"),
    (factory(MANAGER, given=f"{GIVEN}, JpaTransactionManager manager", of="consumers"), SAVES, 2,
     "the setting setKafkaAwareTransactionManager of"),
    (PRODUCERS % ("", "") + (PRODUCERS % ('props.put("acks", "0");', "")).replace("s()", "b()"),
     SAVES, 2, "this producer has other settings"),
])  # fmt: skip
def test_the_producer_is_the_one_of_the_code(
    tmp_path: Path, beans: str, listener: str, code: int, expected: str
) -> None:
    yml = f"{YML}  producer.acks: 0\n" if "producers" in beans else YML
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": listener, "application.yml": yml}
    ask(tmp_path, files, TAKEN, code, expected)


OTHER = '@KafkaListener(topics = "orders", containerFactory = "others")'


@pytest.mark.parametrize(("beans", "code", "expected"), [
    (factory(name="others", given=GIVEN, of="consumers"), 0, IF),
    (factory(given=GIVEN, of="consumers"), 2, "Orders.java:5: this listener's container"),
    (CONSUMERS % "" + factory(name="others", given=GIVEN, of="consumers"), 1, CHANGE),
    (factory(name="own", given=GIVEN, of="consumers").replace("@Bean", '@Bean("others")'), 0, IF),
    (factory(name="others", given=GIVEN, of="consumers").replace(
        "public Conc", "public org.springframework.kafka.config.Conc"), 0, IF),
    (factory(name="others", given=GIVEN, of="consumers").replace("@Bean", ""), 2,
     "which listeners use the object that is created here is not known"),
    (factory(name="others", given=GIVEN, of="consumers").replace("@Bean", '@Profile("x") @Bean'), 2,
     "which beans this class creates depends on a condition"),
])  # fmt: skip
def test_a_listener_has_the_container_that_it_names(
    tmp_path: Path, beans: str, code: int, expected: str
) -> None:
    named = SAVES.replace('@KafkaListener(topics = "orders")', OTHER)
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": named, "application.yml": YML}
    ask(tmp_path, files, TAKEN, code, expected)


def test_listeners_of_containers_that_differ_are_told(tmp_path: Path) -> None:
    beans = CONSUMERS % EARLIEST + factory()
    beans += (CONSUMERS % AUTO).replace("consumerFactory", "own")
    beans += factory(name="others", of="own()")
    named = SAVES.replace('@KafkaListener(topics = "orders")', OTHER)
    files = {
        "KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES, "application.yml": YML,
        "Others.java": named.replace("class Orders", "class Others"),
    }  # fmt: skip
    ask(tmp_path, files, TAKEN, 2, "this container and another one of the listeners here")


BATCH = LISTENER % ('@KafkaListener(topics = "orders")', "List<String> ms",
                    "for (String m : ms) { store.save(m); }")  # fmt: skip
TRIED = BATCH.replace(
    "store.save(m);", 'try { store.save(m); } catch (Error e) { log.error("", e); }'
)


@pytest.mark.parametrize(("listener", "said", "yml", "code", "expected"), [
    (BATCH, "factory.setBatchListener(true);", YML, 0, IF),
    (TRIED, "factory.setBatchListener(true);", YML, 2, "rethrows none"),
    (SAVES, "factory.setBatchListener(true);", YML, 2, "takes one record, and its container"),
    (SAVES, None, f"{YML}  listener.type: batch\n", 2, "takes one record, and its container"),
    (BATCH, "", YML, 2, "whether this listener takes one record or all"),
    (BATCH, "", f"{YML}  listener.type: batch\n", 2, "whether this listener takes one record"),
    (BATCH, None, f"{YML}  listener.type: batch\n", 0, IF),
    (BATCH.replace('"orders")', '"orders", batch = "true")'), None, YML, 0, IF),
])  # fmt: skip
def test_a_list_is_a_batch_where_its_container_says_so(
    tmp_path: Path, listener: str, said: str | None, yml: str, code: int, expected: str
) -> None:
    files = {"Orders.java": listener, "application.yml": yml}
    if said is not None:
        files["KafkaConfig.java"] = CONFIG % factory(said, given=GIVEN, of="consumers")
    ask(tmp_path, files, TAKEN, code, expected)


RETRIED = '@RetryableTopic(attempts = "4"%s)\n  @KafkaListener(topics = "orders")'


@pytest.mark.parametrize(("above", "settings", "code", "expected"), [
    (RETRIED % "", RESUMES, 0, f"{IF}.*application.retry.topics=true"),
    (RETRIED % "", f"{RESUMES} need.ordering=on", 1, "^NO.*retry.topics"),
    (RETRIED % ", dltStrategy = DltStrategy.NO_DLT", RESUMES, 1, SKIPS),
    (RETRIED % ", own = 1", RESUMES, 2, ":5: own of @RetryableTopic is not read"),
])  # fmt: skip
def test_retry_topics_give_up_order_and_have_a_dead_letter_topic(
    tmp_path: Path, above: str, settings: str, code: int, expected: str
) -> None:
    listener = LISTENER % (above, "String m", "store.save(m);")
    listener = listener.replace(
        "import", "import org.springframework.kafka.annotation.*;\nimport", 1
    )
    files = {"Orders.java": listener, "application.yml": YML}
    ask(tmp_path, files, settings, code, expected.replace(":5", ":6"))


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
    ("earliest", "RECORD", "store.save(m)", 0, IF),
    ("latest", "RECORD", "store.save(m)", 1, CHANGE),
    ("earliest", "MANUAL", "store.save(m)", 2, "has no Acknowledgment"),
    ("earliest", "BATCH", "runBlocking {\n store.save(m)\n }", 0, IF),
    ("earliest", "BATCH", "try { store.save(m) } catch (e: Exception) { log.error(e) }", 2,
     "rethrows none"),
    ("earliest", "BATCH", "scope.launch { store.save(m) }", 1, "^NO.*application.processing="),
])  # fmt: skip
def test_kotlins_classes_are_read_as_javas(
    tmp_path: Path, reset: str, mode: str, body: str, code: int, expected: str
) -> None:
    files = {"KafkaConfig.kt": KOTLIN % (reset, mode), "Orders.kt": IN_KOTLIN % body}
    ask(tmp_path, files | {"application.yml": YML}, TAKEN, code, expected)


def test_variables_that_spring_binds_are_asked_for_in_the_applications_file(tmp_path: Path) -> None:
    compose = "services:\n  a:\n    image: a\n    environment:\n"
    compose += "      SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET: earliest\n"
    beans = CONSUMERS % EARLIEST + factory()
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES, "compose.yml": compose}
    ask(tmp_path, files, TAKEN, 2, "settings of Spring stand in a file that is not the application")


def test_several_factories_may_begin_with_one_map(tmp_path: Path) -> None:
    base = (
        "  private Map<String, Object> base() {\n    Map<String, Object> props = new HashMap<>();\n"
    )
    base += f"    {EARLIEST}\n    return props;\n  }}\n"
    one = CONSUMERS.replace("new HashMap<>()", "base()") % ""
    beans = base + one + factory() + one.replace("consumerFactory", "own")
    files = {"KafkaConfig.java": CONFIG % beans, "Orders.java": SAVES, "application.yml": YML}
    ask(tmp_path, files, TAKEN, 0, IF)


def test_what_classes_set_up_is_not_left_out_beside_other_files(tmp_path: Path) -> None:
    listener = LISTENER % (RETRIED % "", "String m", "store.save(m);")
    listener = listener.replace(
        "import", "import org.springframework.kafka.annotation.*;\nimport", 1
    )
    consumer = "group.id=g\nauto.offset.reset=earliest\nenable.auto.commit=false\n"
    files = {"Orders.java": listener, "consumer.properties": consumer}
    ask(tmp_path, files, RESUMES, 2, "Orders.java:6: the class that sets up the clients")
