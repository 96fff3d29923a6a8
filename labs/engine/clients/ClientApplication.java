// Kafka's Java clients as the applications of a team. Compiled as StreamsApplication.java is, and run
// by java_producer.py and java_consumer.py. It says lines of words (java_lines.py has their meaning)
// with times of System.nanoTime(), and hears what Owner.java hears. `stop` closes it.
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
    public static void main(String[] told) throws Exception {
        if (told[0].equals("produce")) {
            new Sending(told).run();
        } else {
            new Reading(told).run();
        }
        System.exit(0);
    }

    static KafkaProducer producer(String file) throws Exception {
        return new KafkaProducer(properties(file), new ByteArraySerializer(), new ByteArraySerializer());
    }

    static Properties properties(String file) throws Exception {
        Properties read = new Properties();
        read.load(new FileInputStream(file));
        return read;
    }

    static String words(Throwable error) {
        return String.valueOf(error.getMessage()).replaceAll("\\p{Cntrl}", " ");
    }
}

/** Sends the numbers from 0 upwards at a steady rate, and says of each attempt what came of it. */
class Sending {
    static final long TICK_MS = 5L;

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

    /** One that `resends` sends a value again whose answer was an error. */
    Sending(String[] told) throws Exception {
        producer = ClientApplication.producer(told[1]);
        topic = told[2];
        rate = Long.parseLong(told[3]);
        keyed = told[4].equals("keyed");
        resends = told[5].equals("resends");
        limitMs = Long.parseLong(told[6]);
    }

    /** Sends in a thread of its own, as a send may block; closing the producer ends that, too. */
    void run() throws Exception {
        Thread sends = new Thread(new Runnable() {
            public void run() {
                try {
                    send();
                } catch (Throwable failed) {
                    failed.printStackTrace();
                    Runtime.getRuntime().halt(1);
                }
            }
        });
        sends.setDaemon(true);
        sends.start();
        Owner.hear();
        deadline = System.nanoTime() + limitMs * 1000000L;
        sends.join(limitMs);
        producer.close(Duration.ofNanos(Math.max(0L, deadline - System.nanoTime())));
        sends.join(1000L);
        Owner.say("done " + sent.get() + " " + acknowledged.get());
    }

    void send() throws InterruptedException {
        try {
            producer.partitionsFor(topic); // a cold JVM looks long for it; no broker is to blame
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

    /** Sends what waits for that; what fails at it waits for the next time. */
    void sendAgain() {
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
        Owner.say("sent " + value + " " + System.nanoTime());
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
        Owner.say("ok " + value + " " + at.partition() + " " + at.offset() + " " + System.nanoTime());
        open.decrementAndGet();
    }

    /** `within` is whether that came before `send()` returned, in its thread. */
    void refuse(long value, Exception error, boolean within) {
        String when = within ? " within " : " later ";
        Owner.say("refused " + value + " " + System.nanoTime() + when + error.getClass().getName()
            + " " + ClientApplication.words(error));
        if (resends) {
            again.add(Long.valueOf(value));
        }
        open.decrementAndGet();
    }
}

/** Reads and commits; with an output it writes there what it makes of each poll. */
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
     * COMMIT is before-processing, after-processing, in-transaction, or client: that commits by itself, or nobody
     * does. One that cannot go on ends without closing a consumer that commits by itself, unless it `closes`.
     */
    Reading(String[] told) throws Exception {
        boolean writes = !told[2].equals("-");
        input = told[3];
        output = told[4];
        commit = told[5];
        inTransaction = commit.equals("in-transaction");
        rewinds = told[6].equals("rewinds");
        closes = told[7].equals("closes");
        transactional = writes && ClientApplication.properties(told[2]).containsKey("transactional.id");
        producer = writes ? ClientApplication.producer(told[2]) : null;
        consumer = new KafkaConsumer(
            ClientApplication.properties(told[1]), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    void run() {
        Thread hears = new Thread(new Runnable() {
            public void run() {
                try {
                    Owner.hear();
                } catch (java.io.IOException gone) {
                    Runtime.getRuntime().halt(1);
                }
            }
        });
        hears.setDaemon(true);
        hears.start();
        try {
            work();
        } catch (KafkaException failed) {
            stop(failed);
        }
        if (producer != null) {
            producer.close(Duration.ofSeconds(5L));
        }
        if (!stopped || closes || !commit.equals("client")) { // else close() would commit where it was
            consumer.close(Duration.ofSeconds(5L));
        }
    }

    void work() {
        if (transactional) {
            producer.initTransactions();
        }
        consumer.subscribe(Collections.singletonList(input), new ConsumerRebalanceListener() {
            public void onPartitionsAssigned(Collection given) {
                Owner.say("assigned " + numbers(given));
            }

            public void onPartitionsRevoked(Collection taken) {
                placed.removeAll(taken);
                Owner.say("revoked " + numbers(taken));
            }

            public void onPartitionsLost(Collection taken) {
                onPartitionsRevoked(taken);
            }
        });
        while (!Owner.ended && !stopped) {
            Owner.reach("polling");
            ConsumerRecords records = consumer.poll(Duration.ofMillis(100L));
            if (!records.isEmpty()) {
                take(records);
                Owner.say("settled " + records.count());
            }
            place();
        }
    }

    /** Says of each partition where it is read from, once that is decided. */
    void place() {
        for (Iterator each = consumer.assignment().iterator(); each.hasNext();) {
            TopicPartition partition = (TopicPartition) each.next();
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
        Owner.say("placed " + partition.partition() + " " + offset);
    }

    void take(ConsumerRecords records) {
        Map positions = positions(records);
        if (commit.equals("before-processing")) {
            commit(positions);
        }
        StringBuilder lines = new StringBuilder("polled ").append(System.nanoTime());
        for (Iterator each = records.iterator(); each.hasNext();) {
            ConsumerRecord record = (ConsumerRecord) each.next();
            lines.append("\nhanded ").append(record.partition()).append(' ').append(record.offset())
                .append(' ').append(new String((byte[]) record.value()).trim());
        }
        Owner.say(lines.toString());
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

    /** Writes what was made of the records of one poll; it is in the log when it returns. */
    void write(ConsumerRecords records) {
        if (producer == null) {
            return;
        }
        if (transactional) {
            producer.beginTransaction();
        }
        List answers = new ArrayList();
        for (Iterator each = records.iterator(); each.hasNext();) {
            byte[] value = (byte[]) ((ConsumerRecord) each.next()).value();
            answers.add(producer.send(new ProducerRecord(output, value)));
        }
        producer.flush();
        for (Iterator each = answers.iterator(); each.hasNext();) {
            try {
                ((Future) each.next()).get();
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

    /** Tells the group of what was processed, where that is the way to commit. */
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

    /** An earlier attempt at what was refused may have been taken: nobody knows what became of it. */
    void committed(Map positions, KafkaException error) {
        long now = System.nanoTime();
        StringBuilder offsets = new StringBuilder();
        for (Iterator each = positions.entrySet().iterator(); each.hasNext();) {
            Map.Entry entry = (Map.Entry) each.next();
            offsets.append(offsets.length() == 0 ? " " : ",").append(((TopicPartition) entry.getKey()).partition())
                .append(":").append(((OffsetAndMetadata) entry.getValue()).offset());
        }
        if (error != null) {
            System.err.println(error);
        }
        Owner.say("committed " + now + (error == null ? " ok" : " info") + offsets);
    }

    /**
     * Takes back what was written, and goes back to its input if that is the habit. A producer that
     * refuses even that can do nothing more but be closed (KafkaProducer javadoc).
     */
    void abort(RuntimeException why, ConsumerRecords records) {
        try {
            producer.abortTransaction();
        } catch (RuntimeException refused) {
            stop(why);
            return;
        }
        if (rewinds) {
            goBack(records);
        }
        Owner.say("aborted " + records.count() + " " + cause(why));
    }

    void goBack(ConsumerRecords records) {
        for (Iterator each = records.partitions().iterator(); each.hasNext();) {
            TopicPartition partition = (TopicPartition) each.next();
            long first = ((ConsumerRecord) records.records(partition).get(0)).offset();
            try {
                consumer.seek(partition, first);
                placed(partition, first);
            } catch (IllegalStateException lost) { // another member has it: that one reads it again
                System.err.println(lost);
            }
        }
    }

    void stop(RuntimeException why) {
        stopped = true;
        Owner.say("stopped " + cause(why));
    }

    static Map positions(ConsumerRecords records) {
        Map after = new HashMap();
        for (Iterator each = records.partitions().iterator(); each.hasNext();) {
            TopicPartition partition = (TopicPartition) each.next();
            List read = records.records(partition);
            long last = ((ConsumerRecord) read.get(read.size() - 1)).offset();
            after.put(partition, new OffsetAndMetadata(last + 1L));
        }
        return after;
    }

    static String numbers(Collection partitions) {
        StringBuilder told = new StringBuilder();
        for (Iterator each = partitions.iterator(); each.hasNext();) {
            told.append(told.length() == 0 ? "" : ",").append(((TopicPartition) each.next()).partition());
        }
        return told.length() == 0 ? "-" : told.toString();
    }

    /** The error that is behind one which only says that there was one. */
    static String cause(Throwable error) {
        Throwable behind = error.getCause() == null ? error : error.getCause();
        String kind = behind instanceof ToldToFail ? "" : behind.getClass().getSimpleName() + ": ";
        return kind + ClientApplication.words(behind);
    }
}
