"""Java consumers as services have them: a class with its settings, a loop and methods.

Each row has the code in the loop, a method of the class (or nothing), and the answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program

SERVICE = (
    "package com.acme.orders;\n"
    "\n"
    "import org.apache.kafka.clients.consumer.*;\n"
    "import org.apache.kafka.common.TopicPartition;\n"
    "import java.time.Duration;\n"
    "import java.util.*;\n"
    "\n"
    "public class OrderConsumer implements Runnable {\n"
    "    private static final Logger log = LoggerFactory.getLogger(OrderConsumer.class);\n"
    "    private final KafkaConsumer<String, String> consumer;\n"
    "    private final OrderRepository repository;\n"
    "    private volatile boolean running = true;\n"
    "\n"
    "    public OrderConsumer(OrderRepository repository) {\n"
    "        Properties props = new Properties();\n"
    '        props.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "k:9092");\n'
    '        props.put(ConsumerConfig.GROUP_ID_CONFIG, "orders");\n'
    '        props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");\n'
    '        props.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");\n'
    "        this.consumer = new KafkaConsumer<>(props);\n"
    "        this.repository = repository;\n"
    "    }\n"
    "\n"
    "    @Override\n"
    "    public void run() {\n"
    "        try {\n"
    '            consumer.subscribe(List.of("orders"));\n'
    "            while (running) {\n"
    "                ConsumerRecords<String, String> records "
    "= consumer.poll(Duration.ofMillis(500));\n"
    "%s\n"
    "            }\n"
    "        } catch (WakeupException e) {\n"
    "            if (running) throw e;\n"
    "        } finally {\n"
    "            consumer.close();\n"
    "        }\n"
    "    }\n"
    "%s\n"
    "}\n"
)
EACH = "for (ConsumerRecord<String, String> record : records) {\n%s\n}\nconsumer.commitSync();"


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("process(record);",
     "void process(ConsumerRecord<String, String> record) { "
     "repository.save(parse(record.value())); }", YES),
    ("process(record);",
     "void process(ConsumerRecord<String, String> record) {\n"
     " Order order = parse(record.value());\n"
     " executor.submit(() -> repository.save(order));\n}", BEFORE),
    ("process(record);",
     "private boolean process(ConsumerRecord<String, String> record) {\n try {\n"
     " repository.save(parse(record.value()));\n return true;\n } catch (Exception e) {\n"
     ' log.error("failed", e);\n return false;\n }\n}', SKIP),
    ("if (!process(record)) {\n    failures++;\n}",
     "private boolean process(ConsumerRecord<String, String> record) {\n try {\n"
     " repository.save(parse(record.value()));\n return true;\n } catch (Exception e) {\n"
     ' log.error("failed", e);\n return false;\n }\n}', SKIP),
    ("Optional<Order> order = parse(record.value());\norder.ifPresent(repository::save);",
     "private Optional<Order> parse(String v) {\n"
     " try { return Optional.of(mapper.readValue(v, Order.class)); } catch "
     '(JsonProcessingException e) { log.warn("bad", e); return Optional.empty(); }\n'
     "}", SKIP),
    ("HttpRequest request = "
     "HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(record.value())).build("
     ");\n"
     "client.sendAsync(request, BodyHandlers.discarding());",
     "", BEFORE),
    ("HttpRequest request = "
     "HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(record.value())).build("
     ");\n"
     "client.sendAsync(request, BodyHandlers.discarding()).thenAccept(r -> "
     'log.info("{}", r.statusCode()));',
     "", BEFORE),
    ("HttpRequest request = "
     "HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(record.value())).build("
     ");\n"
     "client.sendAsync(request, BodyHandlers.discarding()).join();",
     "", YES),
    ("int attempts = 0;\nwhile (attempts < 3) {\n    try {\n        process(record);\n"
     "        break;\n    } catch (Exception e) {\n        attempts++;\n"
     '        log.warn("retry", e);\n    }\n}',
     "", SKIP),
    ("int attempts = 0;\nboolean done = false;\nwhile (!done && attempts < 3) {\n    try {\n"
     "        process(record);\n        done = true;\n    } catch (Exception e) {\n"
     "        attempts++;\n    }\n}\nif (!done) {\n"
     '    throw new IllegalStateException("gave up");\n}',
     "", YES),
    ("boolean done = false;\nfor (int i = 0; i < 3 && !done; i++) {\n"
     "    done = tryProcess(record);\n}",
     "", SKIP),
    ("retryTemplate.execute(ctx -> { process(record); return null; }, ctx -> { "
     'log.error("gave up"); return null; });',
     "", SKIP),
    ("retryTemplate.execute(ctx -> { process(record); return null; });", "", YES),
    ('breakers.create("db").run(() -> process(record), t -> { log.error("no", t); return null; });',
     "", SKIP),
    ('breakers.create("db").run(() -> process(record));', "", YES),
    ('try (MDC.MDCCloseable c = MDC.putCloseable("k", record.key())) {\n'
     "    process(record);\n}",
     "", YES),
    ("Timer.Sample sample = Timer.start(registry);\nprocess(record);\nsample.stop(timer);",
     "", YES),
    ("eventPublisher.publishEvent(new OrderReceived(this, record.value()));", "", YES),
    ("disruptor.publishEvent((event, seq) -> event.set(record));", "", BEFORE),
    ("ringBuffer.publishEvent(translator, record.value());", "", BEFORE),
    ("orderActor.tell(new Process(record.value()), ActorRef.noSender());", "", BEFORE),
    ("jobScheduler.enqueue(() -> service.handle(record.value()));", "", BEFORE),
    ("taskExecutor.execute(() -> service.handle(record.value()));", "", BEFORE),
    ("service.handleAsync(record.value());", "", BEFORE),
    ("service.handleAsync(record.value()).get();", "", YES),
    ("Mono.fromRunnable(() -> "
     "process(record)).subscribeOn(Schedulers.boundedElastic()).subscribe();",
     "", BEFORE),
    ("Mono.fromRunnable(() -> process(record)).block();", "", YES),
    ("Mono.fromRunnable(() -> process(record)).onErrorResume(e -> Mono.empty()).block();",
     "", SKIP),
    ("Uni.createFrom().item(() -> process(record)).subscribe().with(x -> "
     'log.info("ok"), e -> log.error("bad", e));',
     "", BEFORE),
    ("Uni.createFrom().item(() -> process(record)).await().indefinitely();", "", YES),
    ('Flux.just(record).flatMap(this::process).doOnError(e -> log.error("x", e)).subscribe();',
     "", BEFORE),
    ("collection.insertOne(Document.parse(record.value()));", "", YES),
    ("reactiveCollection.insertOne(Document.parse(record.value())).subscribe(new "
     "LogSubscriber());",
     "", BEFORE),
    ("redis.async().set(record.key(), record.value());", "", BEFORE),
    ("redis.sync().set(record.key(), record.value());", "", YES),
    ("session.executeAsync(insert.bind(record.key(), record.value()));", "", BEFORE),
    ("session.execute(insert.bind(record.key(), record.value()));", "", YES),
    ('bulkProcessor.add(new IndexRequest("i").source(record.value(), JSON));', "", BEFORE),
    ('esClient.indexAsync(new IndexRequest("i").source(record.value(), JSON), '
     "RequestOptions.DEFAULT, listener);",
     "", BEFORE),
    ("dynamo.putItem(request(record));", "", YES),
    ("sqs.sendMessage(r -> r.queueUrl(url).messageBody(record.value()));", "", YES),
    ("writer.write(record.value());", "", YES),
    ("buffer.add(record.value());\nif (buffer.size() >= 500) {\n    flush();\n}",
     "private void flush() { repository.saveAll(buffer); buffer.clear(); }", BEFORE),
    ("Order order = mapper.readValue(record.value(), Order.class);\n"
     'log.info("got {}", order.getId());\norderService.create(order);',
     "", YES),
    ('switch (record.topic()) {\n    case "orders":\n'
     "        orderService.create(record.value());\n        break;\n    default:\n"
     "        throw new IllegalArgumentException(record.topic());\n}",
     "", YES),
    ("if (deduplicator.alreadySeen(record.key())) {\n    continue;\n}\n"
     "orderService.create(record.value());",
     "", YES),
    ('String type = header(record, "type");\nHandler handler = handlers.get(type);\n'
     "if (handler == null) {\n    throw new IllegalStateException(type);\n}\n"
     "handler.handle(record.value());",
     "", YES),
    ("transactionTemplate.executeWithoutResult(status -> {\n"
     "    orderService.create(record.value());\n"
     "    offsets.save(record.partition(), record.offset());\n});",
     "", YES),
    ("try {\n    orderService.create(record.value());\n} catch (DuplicateKeyException e) {\n"
     '    log.info("seen {}", record.key());\n}',
     "", YES),
    ("try {\n    orderService.create(record.value());\n} catch (Exception e) {\n"
     "    deadLetterRepository.save(record.key(), record.value(), e.getMessage());\n}",
     "", YES),
    ("for (int attempt = 0; ; attempt++) {\n    try {\n"
     "        orderService.create(record.value());\n        break;\n"
     "    } catch (TransientDataAccessException e) {\n        if (attempt == 5) throw e;\n"
     "        Thread.sleep(1000L * attempt);\n    }\n}",
     "", YES),
    ('kafkaTemplate.send("enriched", record.key(), enrich(record.value())).get(10, '
     "TimeUnit.SECONDS);",
     "", YES),
    ("ResponseEntity<Void> response = restTemplate.postForEntity(url, record.value(), "
     "Void.class);\n"
     'log.debug("{}", response.getStatusCode());',
     "", YES),
    ('Boolean isNew = redisTemplate.opsForValue().setIfAbsent(record.key(), "1");\n'
     "if (Boolean.TRUE.equals(isNew)) {\n    orderService.create(record.value());\n}",
     "", SKIP),
])  # fmt: skip
def test_a_service_that_skips_records_or_commits_early_is_reported(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    assert_program(tmp_path / "OrderConsumer.java", SERVICE % (EACH % body, declarations), expected)


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("List<CompletableFuture<Void>> futures = new ArrayList<>();\n"
     "for (ConsumerRecord<String, String> record : records) {\n"
     "    futures.add(CompletableFuture.runAsync(() -> process(record), executor));\n}\n"
     "CompletableFuture.allOf(futures.toArray(new CompletableFuture[0])).join();\n"
     "consumer.commitSync();",
     "", YES),
    ("List<CompletableFuture<Void>> futures = new ArrayList<>();\n"
     "for (ConsumerRecord<String, String> record : records) {\n"
     "    futures.add(CompletableFuture.runAsync(() -> process(record), executor));\n}\n"
     "CompletableFuture.allOf(futures.toArray(new "
     "CompletableFuture[0])).whenComplete((v, ex) -> {\n"
     '    if (ex != null) { log.error("batch failed", ex); }\n    consumer.commitSync();\n'
     "}).join();",
     "", SKIP),
    ("List<CompletableFuture<Void>> futures = new ArrayList<>();\n"
     "for (ConsumerRecord<String, String> record : records) {\n"
     "    futures.add(CompletableFuture.runAsync(() -> process(record), "
     'executor).exceptionally(ex -> { log.error("failed", ex); return null; }));\n'
     "}\nCompletableFuture.allOf(futures.toArray(new CompletableFuture[0])).join();\n"
     "consumer.commitSync();",
     "", SKIP),
    ("List<Order> orders = new ArrayList<>();\n"
     "records.forEach(r -> orders.add(parse(r.value())));\nrepository.saveAll(orders);\n"
     "consumer.commitSync();",
     "", YES),
    ("List<Order> orders = new ArrayList<>();\n"
     "records.forEach(r -> orders.add(parse(r.value())));\nconsumer.commitSync();\n"
     "repository.saveAll(orders);",
     "", BEFORE),
    ("if (records.isEmpty()) {\n    continue;\n}\n"
     "for (TopicPartition partition : records.partitions()) {\n"
     "    List<ConsumerRecord<String, String>> part = records.records(partition);\n"
     "    for (ConsumerRecord<String, String> record : part) {\n        process(record);\n"
     "    }\n    long last = part.get(part.size() - 1).offset();\n"
     "    consumer.commitSync(Collections.singletonMap(partition, new "
     "OffsetAndMetadata(last + 1)));\n"
     "}",
     "", YES),
    ("for (TopicPartition partition : records.partitions()) {\n"
     "    List<ConsumerRecord<String, String>> part = records.records(partition);\n"
     "    ConsumerRecord<String, String> newest = part.get(part.size() - 1);\n"
     "    process(newest);\n}\nconsumer.commitSync();",
     "", SKIP),
    ("int count = 0;\nfor (ConsumerRecord<String, String> record : records) {\n"
     "    process(record);\n    if (++count % 100 == 0) {\n        consumer.commitAsync();\n"
     "    }\n}\nconsumer.commitSync();",
     "", BEFORE),
    ("int count = 0;\nfor (ConsumerRecord<String, String> record : records) {\n"
     "    process(record);\n"
     "    currentOffsets.put(new TopicPartition(record.topic(), record.partition()), "
     "new OffsetAndMetadata(record.offset() + 1));\n"
     "    if (++count % 100 == 0) {\n        consumer.commitAsync(currentOffsets, null);\n"
     "    }\n}\nconsumer.commitSync();",
     "", YES),
    ("for (ConsumerRecord<String, String> record : records) {\n    process(record);\n}\n"
     "consumer.commitAsync((offsets, exception) -> {\n"
     '    if (exception != null) log.error("commit failed", exception);\n});',
     "", YES),
    ("for (ConsumerRecord<String, String> record : records) {\n"
     "    buffer.add(record.value());\n}\nif (buffer.size() >= 500) {\n"
     "    repository.saveAll(buffer);\n    consumer.commitSync();\n    buffer.clear();\n}",
     "", YES),
    ("List<Future<?>> pending = new ArrayList<>();\n"
     "for (ConsumerRecord<String, String> record : records) {\n"
     "    Order order = parse(record.value());\n"
     "    pending.add(executor.submit(() -> orderService.create(order)));\n}\n"
     "for (Future<?> f : pending) {\n    f.get();\n}\nconsumer.commitSync();",
     "", YES),
    ("Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();\n"
     "for (ConsumerRecord<String, String> record : records) {\n"
     "    orderService.create(record.value());\n"
     "    offsets.put(new TopicPartition(record.topic(), record.partition()), new "
     "OffsetAndMetadata(record.offset() + 1));\n"
     "}\nif (!offsets.isEmpty()) {\n    consumer.commitSync(offsets);\n}",
     "", YES),
    ("List<Order> batch = StreamSupport.stream(records.spliterator(), false).map(r -> "
     "parse(r.value())).collect(Collectors.toList());\n"
     "if (!batch.isEmpty()) {\n    repository.saveAll(batch);\n}\nconsumer.commitSync();",
     "", YES),
    ("try (Connection connection = dataSource.getConnection(); PreparedStatement st = "
     "connection.prepareStatement(SQL)) {\n"
     "    connection.setAutoCommit(false);\n"
     "    for (ConsumerRecord<String, String> record : records) {\n"
     "        st.setString(1, record.key());\n        st.setString(2, record.value());\n"
     "        st.addBatch();\n    }\n    st.executeBatch();\n    connection.commit();\n"
     "    consumer.commitSync();\n} catch (SQLException e) {\n"
     "    throw new IllegalStateException(e);\n}",
     "", YES),
    ('records.records("orders").forEach(r -> orderService.create(r.value()));\n'
     'records.records("payments").forEach(r -> paymentService.create(r.value()));\n'
     "consumer.commitSync();",
     "", YES),
    ("Iterator<ConsumerRecord<String, String>> iterator = records.iterator();\n"
     "while (iterator.hasNext()) {\n"
     "    ConsumerRecord<String, String> record = iterator.next();\n"
     "    orderService.create(record.value());\n}\nconsumer.commitSync();",
     "", YES),
    ("if (!records.isEmpty()) {\n"
     "    ConsumerRecord<String, String> first = records.iterator().next();\n"
     '    log.info("batch begins at {}", first.offset());\n'
     "    orderService.createAll(records);\n    consumer.commitSync();\n}",
     "", YES),
    ("BulkRequest bulk = new BulkRequest();\n"
     "for (ConsumerRecord<String, String> record : records) {\n"
     '    bulk.add(new IndexRequest("orders").id(record.key()).source(record.value(), '
     "XContentType.JSON));\n"
     "}\nBulkResponse response = client.bulk(bulk, RequestOptions.DEFAULT);\n"
     "if (response.hasFailures()) {\n"
     "    throw new IllegalStateException(response.buildFailureMessage());\n}\n"
     "consumer.commitSync();",
     "", YES),
])  # fmt: skip
def test_a_service_that_loses_part_of_a_poll_is_reported(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    assert_program(tmp_path / "OrderConsumer.java", SERVICE % (body, declarations), expected)
