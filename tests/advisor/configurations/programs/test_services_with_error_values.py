"""Consumers in Scala, Java and Python as services write them: errors that are values, records that
are passed to other threads, and buffers.

Each row has the body of the loop, the definitions outside the loop, and the answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_services import EACH, SERVICE
from tests.advisor.configurations.programs.test_services import PYTHON
from tests.advisor.programs import BEFORE, SKIP, YES, assert_program

SCALA = (
    "package acme\n"
    "\n"
    "import java.time.Duration\n"
    "import java.util.Properties\n"
    "import scala.jdk.CollectionConverters._\n"
    "import scala.concurrent._\n"
    "import scala.util.{Failure, Success, Try}\n"
    "import org.apache.kafka.clients.consumer.{ConsumerConfig, "
    "ConsumerRecord, KafkaConsumer}\n"
    "\n"
    "class OrderConsumer(repo: OrderRepository)(implicit ec: ExecutionContext) {\n"
    "  private val props = new Properties()\n"
    '  props.put(ConsumerConfig.GROUP_ID_CONFIG, "orders")\n'
    '  props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest")\n'
    '  props.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false")\n'
    "  private val consumer = new KafkaConsumer[String, String](props)\n"
    "\n"
    "  def run(): Unit = {\n"
    '    consumer.subscribe(java.util.List.of("orders"))\n'
    "    while (true) {\n"
    "      val records = consumer.poll(Duration.ofMillis(500)).asScala\n"
    "%s\n"
    "    }\n"
    "  }\n"
    "%s\n"
    "}\n"
)


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("records.foreach(r => repo.save(r.value))\nconsumer.commitSync()", "", YES),
    ("records.foreach { r =>\n  repo.save(r.value) match {\n    case Success(_) => ()\n"
     '    case Failure(e) => log.error("x", e)\n  }\n}\nconsumer.commitSync()',
     "", SKIP),
    ("records.foreach { r =>\n  repo.save(r.value) match {\n    case Right(_) => ()\n"
     '    case Left(e) => log.error("x" + e)\n  }\n}\nconsumer.commitSync()',
     "", SKIP),
    ("records.foreach { r =>\n  repo.save(r.value) match {\n    case Right(_) => ()\n"
     "    case Left(e) => throw e\n  }\n}\nconsumer.commitSync()",
     "", YES),
    ("records.foreach { r =>\n  val result = Try(repo.save(r.value))\n"
     '  if (result.isFailure) log.error("x")\n}\nconsumer.commitSync()',
     "", SKIP),
    ("records.foreach { r =>\n  val result = Try(repo.save(r.value))\n  result.get\n}\n"
     "consumer.commitSync()",
     "", YES),
    ("val f = Future.sequence(records.map(r => Future(repo.save(r.value))))\n"
     "Await.result(f, 1.minute)\nconsumer.commitSync()",
     "", YES),
    ("val f = Future.sequence(records.map(r => Future(repo.save(r.value)).recover { "
     'case e => log.error("x", e) }))\n'
     "Await.result(f, 1.minute)\nconsumer.commitSync()",
     "", SKIP),
    ("val f = Future.sequence(records.map(r => Future(repo.save(r.value))))\n"
     "f.onComplete {\n  case Success(_) => consumer.commitSync()\n  case Failure(e) =>\n"
     '    log.error("x", e)\n    consumer.commitSync()\n}',
     "", BEFORE),
    ("records.headOption.foreach(r => repo.save(r.value))\nconsumer.commitSync()", "", SKIP),
    ("records.take(100).foreach(r => repo.save(r.value))\nconsumer.commitSync()", "", SKIP),
    ("records.toList match {\n  case first :: _ => repo.save(first.value)\n"
     "  case Nil => ()\n}\nconsumer.commitSync()",
     "", SKIP),
    ("records.toSeq.groupBy(_.key).foreach { case (k, rs) => repo.saveAll(rs.map(_.value)) }\n"
     "consumer.commitSync()",
     "", YES),
    ("val orders = records.flatMap(r => Try(decode(r.value)).toOption)\n"
     "repo.saveAll(orders.toSeq)\nconsumer.commitSync()",
     "", SKIP),
    ("val orders = records.map(r => decode(r.value)).toList\nconsumer.commitSync()\n"
     "repo.saveAll(orders)",
     "", BEFORE),
    ("records.par.foreach(r => repo.save(r.value))\nconsumer.commitSync()", "", YES),
    ("records.foreach(r => actor ! Save(r.value))\nconsumer.commitSync()", "", BEFORE),
    ("records.foreach(r => Await.result(actor ? Save(r.value), 5.seconds))\n"
     "consumer.commitSync()",
     "", YES),
    ("records.foreach(r => queue.offer(r.value))\nconsumer.commitSync()", "", BEFORE),
    ("records.foreach(process)\nconsumer.commitSync()",
     "  def process(r: ConsumerRecord[String, String]): Unit = Future {\n"
     "    repo.save(r.value)\n  }", BEFORE),
    ("records.foreach(process)\nconsumer.commitSync()",
     "  def process(r: ConsumerRecord[String, String]): Unit = {\n    try {\n"
     '      repo.save(r.value)\n    } catch {\n      case NonFatal(e) => log.error("x", e)\n'
     "    }\n  }", SKIP),
])  # fmt: skip
def test_a_scala_service_must_process_all_records_before_the_commit(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (body, definitions), expected)


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("CompletableFuture<Void> f = CompletableFuture.runAsync(() -> process(record));\n"
     "futures.add(f);",
     "", BEFORE),
    ("semaphore.acquire();\nexecutor.submit(() -> {\n    try {\n        process(record);\n"
     "    } finally {\n        semaphore.release();\n    }\n});",
     "", BEFORE),
    ("new Thread(() -> process(record)).start();", "", BEFORE),
    ("Thread.ofVirtual().start(() -> process(record));", "", BEFORE),
    ("scheduler.schedule(() -> process(record), 1, TimeUnit.SECONDS);", "", BEFORE),
    ("timer.schedule(new TimerTask() { public void run() { process(record); } }, 1000);",
     "", BEFORE),
    ("ForkJoinPool.commonPool().execute(() -> process(record));", "", BEFORE),
    ("vertx.executeBlocking(() -> process(record));", "", BEFORE),
    ("context.runOnContext(v -> process(record));", "", BEFORE),
    ("try {\n    process(record);\n} catch (RetryableException e) {\n    throw e;\n"
     '} catch (Exception e) {\n    log.error("skip", e);\n}',
     "", SKIP),
    ("try {\n    process(record);\n} catch (Exception e) {\n    errorCounter.increment();\n"
     "    lastError = e;\n}",
     "", SKIP),
    ("process(record);",
     "@SneakyThrows\nvoid process(ConsumerRecord<String, String> record) {\n"
     "    Optional.ofNullable(record.value()).map(this::parse).ifPresent(o -> {\n"
     "        try {\n            repository.save(o);\n        } catch (Exception e) {\n"
     '            log.warn("x", e);\n        }\n    });\n}', SKIP),
])  # fmt: skip
def test_a_java_service_that_does_not_wait_or_swallows_errors_is_reported(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "OrderConsumer.java", SERVICE % (EACH % body, definitions), expected)


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("records.forEach(record -> Try.run(() -> process(record)).onFailure(e -> "
     'log.error("x", e)));\n'
     "consumer.commitSync();",
     "", SKIP),
    ("consumer.commitSync();\nfor (ConsumerRecord<String, String> record : records) {\n"
     "    process(record);\n}",
     "", BEFORE),
    ("try {\n    for (ConsumerRecord<String, String> record : records) {\n"
     "        process(record);\n    }\n    consumer.commitSync();\n} catch (Exception e) {\n"
     '    log.error("batch failed", e);\n}',
     "", SKIP),
    ("List<ConsumerRecord<String, String>> list = new ArrayList<>();\n"
     "records.forEach(list::add);\nconsumer.commitSync();\nprocessAll(list);",
     "", BEFORE),
    ("List<ConsumerRecord<String, String>> list = new ArrayList<>();\n"
     "records.forEach(list::add);\nprocessAll(list);\nconsumer.commitSync();",
     "", YES),
    ("Map<String, Order> latest = new HashMap<>();\n"
     "for (ConsumerRecord<String, String> record : records) {\n"
     "    latest.put(record.key(), parse(record.value()));\n}\nconsumer.commitSync();\n"
     "repository.saveAll(latest.values());",
     "", BEFORE),
    ("Map<String, Order> latest = new HashMap<>();\n"
     "for (ConsumerRecord<String, String> record : records) {\n"
     "    latest.put(record.key(), parse(record.value()));\n}\n"
     "repository.saveAll(latest.values());\nconsumer.commitSync();",
     "", YES),
    ("String payload = StreamSupport.stream(records.spliterator(), "
     'false).map(ConsumerRecord::value).collect(Collectors.joining(","));\n'
     "consumer.commitSync();\nhttp.post(payload);",
     "", BEFORE),
    ("String payload = StreamSupport.stream(records.spliterator(), "
     'false).map(ConsumerRecord::value).collect(Collectors.joining(","));\n'
     "http.post(payload);\nconsumer.commitSync();",
     "", YES),
])  # fmt: skip
def test_a_java_service_must_process_its_buffer_before_the_commit(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "OrderConsumer.java", SERVICE % (body, definitions), expected)


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("future = pool.submit(save, msg)\nfuture.result()\nconsumer.commit(msg)",
     "pool = ThreadPoolExecutor()\n", YES),
    ("celery_task.apply_async(args=[msg.value()])\nconsumer.commit(msg)", "", BEFORE),
    ("loop.run_until_complete(save(msg))\nconsumer.commit(msg)", "", YES),
    ("try:\n    save(msg)\nexcept Exception as e:\n    sentry_sdk.capture_exception(e)\n"
     "consumer.commit(msg)",
     "", SKIP),
    ("try:\n    save(msg)\nfinally:\n    consumer.commit(msg)", "", SKIP),
    ("try:\n    save(msg)\nexcept Exception:\n    log.exception('x')\nelse:\n"
     "    consumer.commit(msg)",
     "", SKIP),
    ("try:\n    save(msg)\nexcept Exception:\n    log.exception('x')\n    raise\n"
     "consumer.commit(msg)",
     "", YES),
    ("data = msg.value()\nconsumer.commit(msg)\nprocess(data)", "", BEFORE),
    ("data = json.loads(msg.value())\norder = Order(**data)\nconsumer.commit(msg)\n"
     "order.save()",
     "", BEFORE),
    ("data = json.loads(msg.value())\norder = Order(**data)\norder.save()\n"
     "consumer.commit(msg)",
     "", YES),
    ("rows.append(json.loads(msg.value()))\nif time.time() - last > 10:\n"
     "    save_all(rows)\n    rows.clear()\nconsumer.commit(msg)",
     "rows, last = [], 0\n", BEFORE),
    ("response = s3.put_object(Bucket='b', Key=msg.key().decode(), Body=msg.value())\n"
     "consumer.commit(msg)",
     "", YES),
    ("success, errors = helpers.bulk(es, [action(msg)], raise_on_error=False)\n"
     "consumer.commit(msg)",
     "", SKIP),
    ("success, errors = helpers.bulk(es, [action(msg)])\nconsumer.commit(msg)", "", YES),
    ("es.index(index='o', document=json.loads(msg.value()))\nconsumer.commit(msg)", "", YES),
    ("future = pool.submit(save, msg)\nconsumer.commit(msg)\nfuture.result()",
     "pool = ThreadPoolExecutor()\n", BEFORE),
])  # fmt: skip
def test_a_python_service_must_handle_errors_before_the_commit(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    loop_body = "".join(f"            {line}\n" for line in body.splitlines())
    assert_program(tmp_path / "orders.py", PYTHON % (definitions, loop_body), expected)
