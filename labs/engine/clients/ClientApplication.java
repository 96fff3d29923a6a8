// Kafka's Java clients as the applications of a team. Compiled like StreamsApplication.java, and run
// by java_producer.py and java_consumer.py. It reports in lines of words (see java_lines.py) with
// times of System.nanoTime(), and takes the commands of Owner.java. `stop` closes it.
import java.io.FileInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class ClientApplication {
    /**
     * produce PRODUCER.properties TOPIC RATE keyed|plain resends|forgets LIMIT_MS
     * read CONSUMER.properties PRODUCER.properties|- INPUT OUTPUT COMMIT rewinds|continues closes|ends
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("produce")) {
            new Sending(arguments).run();
        } else {
            new Reading(arguments).run();
        }
        System.exit(0);
    }

    static KafkaProducer producer(String file) throws Exception {
        return new KafkaProducer(properties(file), new ByteArraySerializer(), new ByteArraySerializer());
    }

    static Properties properties(String file) throws Exception {
        Properties settings = new Properties();
        settings.load(new FileInputStream(file));
        return settings;
    }

    static String text(Throwable error) {
        return String.valueOf(error.getMessage()).replaceAll("\\p{Cntrl}", " ");
    }
}

/** Sends the numbers from 0 upwards at a steady rate, and reports each attempt and its result. */
class Sending {
    static final long TICK_MS = 5L;
    static final long RESEND_EVERY_NS = 500000000L;

    final KafkaProducer producer;
    final String topic;
    final long rate;
    final boolean keyed;
    final boolean resends;
    final long limitMs;
    final ConcurrentLinkedQueue again = new ConcurrentLinkedQueue();
    final AtomicLong open = new AtomicLong();
    final AtomicLong sent = new AtomicLong();
    final AtomicLong acknowledged = new AtomicLong();
    volatile long deadline = Long.MAX_VALUE;
    long resentAt = System.nanoTime() - RESEND_EVERY_NS;

    /** `resends` is whether a value is sent again after an error. */
    Sending(String[] arguments) throws Exception {
        producer = ClientApplication.producer(arguments[1]);
        topic = arguments[2];
        rate = Long.parseLong(arguments[3]);
        keyed = arguments[4].equals("keyed");
        resends = arguments[5].equals("resends");
        limitMs = Long.parseLong(arguments[6]);
    }

    /** Sends in a separate thread, since a send may block; closing the producer ends the thread. */
    void run() throws Exception {
        Thread sending = new Thread(new Runnable() {
            public void run() {
                try {
                    send();
                } catch (Throwable failed) {
                    failed.printStackTrace();
                    Runtime.getRuntime().halt(1);
                }
            }
        });
        sending.setDaemon(true);
        sending.start();
        Owner.listen();
        deadline = System.nanoTime() + limitMs * 1000000L;
        sending.join(limitMs);
        producer.close(Duration.ofNanos(Math.max(0L, deadline - System.nanoTime())));
        sending.join(1000L);
        Owner.report("done " + sent.get() + " " + acknowledged.get());
    }

    void send() throws InterruptedException {
        try {
            producer.partitionsFor(topic); // a cold JVM takes long for the first metadata, which is not a failure
        } catch (KafkaException unknown) {
            System.err.println(unknown);
        }
        long next = 0L;
        for (long began = System.nanoTime(); !Owner.ended; Thread.sleep(TICK_MS)) {
            long due = (System.nanoTime() - began) / 1000L * rate / 1000000L;
            while (next < due && !Owner.ended) {
                send(next++);
            }
            sendAgain();
        }
        while (resends && (open.get() > 0L || !again.isEmpty()) && System.nanoTime() < deadline) {
            sendAgain();
            Thread.sleep(TICK_MS);
        }
    }

    /** Sends the values that failed once more, after a pause; one that fails again waits for the next call. */
    void sendAgain() {
        if (System.nanoTime() - resentAt < RESEND_EVERY_NS) {
            return;
        }
        resentAt = System.nanoTime();
        for (int left = again.size(); left > 0; left--) {
            send(((Long) again.poll()).longValue());
        }
    }

    void send(final long value) {
        final Thread sender = Thread.currentThread();
        byte[] text = Long.toString(value).getBytes();
        ProducerRecord record = new ProducerRecord(topic, keyed ? text : null, text);
        open.incrementAndGet();
        sent.incrementAndGet();
        Owner.report("sent " + value + " " + System.nanoTime());
        try {
            producer.send(record, new Callback() {
                public void onCompletion(RecordMetadata at, Exception error) {
                    if (error == null) {
                        acknowledge(value, at);
                    } else {
                        refuse(value, error, Thread.currentThread() == sender);
                    }
                }
            });
        } catch (KafkaException thrown) {
            refuse(value, thrown, true);
        } catch (IllegalStateException closed) {
            refuse(value, closed, true);
        }
    }

    void acknowledge(long value, RecordMetadata at) {
        acknowledged.incrementAndGet();
        Owner.report("ok " + value + " " + at.partition() + " " + at.offset() + " " + System.nanoTime());
        open.decrementAndGet();
    }

    /** `within` is whether the error came before `send()` returned, in its thread. */
    void refuse(long value, Exception error, boolean within) {
        String when = within ? " within " : " later ";
        Owner.report("refused " + value + " " + System.nanoTime() + when + error.getClass().getName()
            + " " + ClientApplication.text(error));
        if (resends) {
            again.add(Long.valueOf(value));
        }
        open.decrementAndGet();
    }
}

/** Reads and commits; with an output topic it also writes a result for each record. */
class Reading {
    final KafkaConsumer consumer;
    final KafkaProducer producer;
    final String input;
    final String output;
    final String commit;
    final boolean transactional;
    final boolean inTransaction;
    final boolean rewinds;
    final boolean closes;
    final Collection placed = new HashSet();
    boolean stopped;

    /**
     * COMMIT is before-processing, after-processing, in-transaction, or client (automatic commits, or none). An
     * application that cannot continue does not close a consumer with automatic commits, unless it `closes`.
     */
    Reading(String[] arguments) throws Exception {
        boolean writes = !arguments[2].equals("-");
        input = arguments[3];
        output = arguments[4];
        commit = arguments[5];
        inTransaction = commit.equals("in-transaction");
        rewinds = arguments[6].equals("rewinds");
        closes = arguments[7].equals("closes");
        transactional = writes && ClientApplication.properties(arguments[2]).containsKey("transactional.id");
        producer = writes ? ClientApplication.producer(arguments[2]) : null;
        consumer = new KafkaConsumer(
            ClientApplication.properties(arguments[1]), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    void run() {
        Thread listener = new Thread(new Runnable() {
            public void run() {
                try {
                    Owner.listen();
                } catch (java.io.IOException gone) {
                    Runtime.getRuntime().halt(1);
                }
            }
        });
        listener.setDaemon(true);
        listener.start();
        try {
            work();
        } catch (KafkaException failed) {
            stop(failed);
        }
        if (producer != null) {
            producer.close(Duration.ofSeconds(5L));
        }
        if (!stopped || closes || !commit.equals("client")) { // else close() would commit the position
            consumer.close(Duration.ofSeconds(5L));
        }
    }

    void work() {
        if (transactional) {
            producer.initTransactions();
        }
        consumer.subscribe(Collections.singletonList(input), new ConsumerRebalanceListener() {
            public void onPartitionsAssigned(Collection partitions) {
                Owner.report("assigned " + numbers(partitions));
            }

            public void onPartitionsRevoked(Collection partitions) {
                placed.removeAll(partitions);
                Owner.report("revoked " + numbers(partitions));
            }

            public void onPartitionsLost(Collection partitions) {
                onPartitionsRevoked(partitions);
            }
        });
        while (!Owner.ended && !stopped) {
            Owner.reach("polling");
            ConsumerRecords records = consumer.poll(Duration.ofMillis(100L));
            if (!records.isEmpty()) {
                process(records);
                Owner.report("settled " + records.count());
            }
            reportPositions();
        }
    }

    /** Reports the position of each partition, once it is resolved. */
    void reportPositions() {
        for (Iterator iterator = consumer.assignment().iterator(); iterator.hasNext();) {
            TopicPartition partition = (TopicPartition) iterator.next();
            if (!placed.contains(partition)) {
                try {
                    placed(partition, consumer.position(partition, Duration.ofMillis(100L)));
                    placed.add(partition);
                } catch (TimeoutException undecided) {
                    return;
                }
            }
        }
    }

    void placed(TopicPartition partition, long offset) {
        Owner.report("placed " + partition.partition() + " " + offset);
    }

    void process(ConsumerRecords records) {
        Map positions = positions(records);
        if (commit.equals("before-processing")) {
            commit(positions);
        }
        StringBuilder lines = new StringBuilder("polled ").append(System.nanoTime());
        for (Iterator iterator = records.iterator(); iterator.hasNext();) {
            ConsumerRecord record = (ConsumerRecord) iterator.next();
            lines.append("\nhanded ").append(record.partition()).append(' ').append(record.offset())
                .append(' ').append(new String((byte[]) record.value()).trim());
        }
        Owner.report(lines.toString());
        try {
            Owner.reach("handed");
            write(records);
            Owner.reach("processed");
            settle(positions);
        } catch (KafkaException refused) {
            if (!inTransaction) {
                throw refused;
            }
            abort(refused, records);
        }
    }

    /** Writes the results for the records of one poll; they are in the log when it returns. */
    void write(ConsumerRecords records) {
        if (producer == null) {
            return;
        }
        if (transactional) {
            producer.beginTransaction();
        }
        List answers = new ArrayList();
        for (Iterator iterator = records.iterator(); iterator.hasNext();) {
            byte[] value = (byte[]) ((ConsumerRecord) iterator.next()).value();
            answers.add(producer.send(new ProducerRecord(output, value)));
        }
        producer.flush();
        for (Iterator iterator = answers.iterator(); iterator.hasNext();) {
            try {
                ((Future) iterator.next()).get();
            } catch (ExecutionException failed) {
                throw new KafkaException(failed.getCause());
            } catch (InterruptedException interrupted) {
                throw new RuntimeException(interrupted);
            }
        }
        if (transactional && !inTransaction) {
            producer.commitTransaction();
        }
    }

    /** Commits the processed positions, unless they are committed elsewhere. */
    void settle(Map positions) {
        if (commit.equals("after-processing")) {
            commit(positions);
        } else if (inTransaction) {
            try {
                producer.sendOffsetsToTransaction(positions, consumer.groupMetadata());
                producer.commitTransaction();
                committed(positions, null);
            } catch (KafkaException refused) {
                committed(positions, refused);
                throw refused;
            }
        }
    }

    void commit(Map positions) {
        try {
            consumer.commitSync(positions);
            committed(positions, null);
        } catch (KafkaException refused) {
            committed(positions, refused);
        }
    }

    /** Reports a commit. After an error its outcome is unknown: an earlier attempt may have succeeded. */
    void committed(Map positions, KafkaException error) {
        long now = System.nanoTime();
        StringBuilder offsets = new StringBuilder();
        for (Iterator iterator = positions.entrySet().iterator(); iterator.hasNext();) {
            Map.Entry entry = (Map.Entry) iterator.next();
            offsets.append(offsets.length() == 0 ? " " : ",").append(((TopicPartition) entry.getKey()).partition())
                .append(":").append(((OffsetAndMetadata) entry.getValue()).offset());
        }
        if (error != null) {
            System.err.println(error);
        }
        Owner.report("committed " + now + (error == null ? " ok" : " info") + offsets);
    }

    /**
     * Aborts the transaction, and returns to its input if the application rewinds. If even the abort
     * fails, the producer can only be closed (KafkaProducer javadoc).
     */
    void abort(RuntimeException why, ConsumerRecords records) {
        try {
            producer.abortTransaction();
        } catch (RuntimeException refused) {
            stop(why);
            return;
        }
        if (rewinds) {
            rewind(records);
        }
        Owner.report("aborted " + records.count() + " " + cause(why));
    }

    void rewind(ConsumerRecords records) {
        for (Iterator iterator = records.partitions().iterator(); iterator.hasNext();) {
            TopicPartition partition = (TopicPartition) iterator.next();
            long first = ((ConsumerRecord) records.records(partition).get(0)).offset();
            try {
                consumer.seek(partition, first);
                placed(partition, first);
            } catch (IllegalStateException lost) { // another member has the partition and reads it again
                System.err.println(lost);
            }
        }
    }

    void stop(RuntimeException why) {
        stopped = true;
        Owner.report("stopped " + cause(why));
    }

    static Map positions(ConsumerRecords records) {
        Map after = new HashMap();
        for (Iterator iterator = records.partitions().iterator(); iterator.hasNext();) {
            TopicPartition partition = (TopicPartition) iterator.next();
            List polled = records.records(partition);
            long last = ((ConsumerRecord) polled.get(polled.size() - 1)).offset();
            after.put(partition, new OffsetAndMetadata(last + 1L));
        }
        return after;
    }

    static String numbers(Collection partitions) {
        StringBuilder text = new StringBuilder();
        for (Iterator iterator = partitions.iterator(); iterator.hasNext();) {
            text.append(text.length() == 0 ? "" : ",").append(((TopicPartition) iterator.next()).partition());
        }
        return text.length() == 0 ? "-" : text.toString();
    }

    /** Describes the cause of an error, or the error itself if it has no cause. */
    static String cause(Throwable error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        String kind = cause instanceof FailureRequested ? "" : cause.getClass().getSimpleName() + ": ";
        return kind + ClientApplication.text(cause);
    }
}
