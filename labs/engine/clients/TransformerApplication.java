// Compiled as StreamsApplication.java is, and run by labs/engine/clients/java_transformer.py. It says
// what it is handed and what it commits in the words of Kafka's VerifiableConsumer, hears what
// Owner.java hears, and aborts and rewinds as clients/transformer.py does. `stop` closes it.
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class TransformerApplication {
    static KafkaConsumer consumer;
    static KafkaProducer producer;
    static String output;
    static String commit;
    static boolean transactional;
    static boolean inTransaction;
    static boolean rewinds;
    static boolean closes;
    static boolean stopped;
    static Collection placed = new HashSet();

    /**
     * CONSUMER.properties PRODUCER.properties INPUT OUTPUT COMMIT rewinds|continues closes|ends, where COMMIT is
     * before-processing, after-processing, in-transaction, or client: that commits by itself, or nobody does.
     * One that cannot go on ends without closing a consumer that commits by itself, unless it `closes`.
     */
    public static void main(String[] told) throws Exception {
        Properties reads = properties(told[0]);
        Properties writes = properties(told[1]);
        output = told[3];
        commit = told[4];
        transactional = writes.containsKey("transactional.id");
        inTransaction = commit.equals("in-transaction");
        rewinds = told[5].equals("rewinds");
        closes = told[6].equals("closes");
        producer = new KafkaProducer(writes, new ByteArraySerializer(), new ByteArraySerializer());
        consumer = new KafkaConsumer(reads, new ByteArrayDeserializer(), new ByteArrayDeserializer());
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
            work(told[2]);
        } catch (KafkaException failed) {
            stop(failed);
        }
        producer.close(Duration.ofSeconds(5L));
        if (!stopped || closes || !commit.equals("client")) { // else close() would commit where it was
            consumer.close(Duration.ofSeconds(5L));
        }
        System.exit(0);
    }

    static Properties properties(String file) throws Exception {
        Properties read = new Properties();
        read.load(new FileInputStream(file));
        return read;
    }

    static void work(String input) {
        if (transactional) {
            producer.initTransactions();
        }
        consumer.subscribe(Collections.singletonList(input), new ConsumerRebalanceListener() {
            public void onPartitionsAssigned(Collection given) {
                say("partitions_assigned", "\"partitions\":" + places(given));
            }

            public void onPartitionsRevoked(Collection taken) {
                placed.removeAll(taken);
                say("partitions_revoked", "\"partitions\":" + places(taken));
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
                say("records_consumed", "\"count\":" + records.count());
            }
            place();
        }
    }

    /** Says of each partition where it is read from, once that is decided. */
    static void place() {
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

    static void placed(TopicPartition partition, long offset) {
        say("placed", place(partition.topic(), partition.partition()) + ",\"offset\":" + offset);
    }

    static void take(ConsumerRecords records) {
        Map positions = positions(records);
        if (commit.equals("before-processing")) {
            commit(positions);
        }
        for (Iterator each = records.iterator(); each.hasNext();) {
            ConsumerRecord record = (ConsumerRecord) each.next();
            String value = new String((byte[]) record.value()).trim();
            say("record_data", "\"value\":\"" + value + "\"," + place(record.topic(), record.partition())
                + ",\"offset\":" + record.offset());
        }
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
    static void write(ConsumerRecords records) {
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
    static void settle(Map positions) {
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

    static void commit(Map positions) {
        try {
            consumer.commitSync(positions);
            committed(positions, null);
        } catch (KafkaException refused) {
            committed(positions, refused);
        }
    }

    /**
     * Takes back what was written, and goes back to its input if that is the habit. A producer that
     * refuses even that can do nothing more but be closed (KafkaProducer javadoc).
     */
    static void abort(RuntimeException why, ConsumerRecords records) {
        try {
            producer.abortTransaction();
        } catch (RuntimeException refused) {
            stop(why);
            return;
        }
        if (rewinds) {
            goBack(records);
        }
        say("aborted", "\"count\":" + records.count() + ",\"why\":" + text(words(why)));
    }

    static void goBack(ConsumerRecords records) {
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

    static void stop(RuntimeException why) {
        stopped = true;
        say("stopped", "\"why\":" + text(words(why)));
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

    static void committed(Map positions, KafkaException error) {
        StringBuilder offsets = new StringBuilder();
        for (Iterator each = positions.entrySet().iterator(); each.hasNext();) {
            Map.Entry entry = (Map.Entry) each.next();
            TopicPartition partition = (TopicPartition) entry.getKey();
            offsets.append(offsets.length() == 0 ? "{" : ",{").append(place(partition.topic(), partition.partition()))
                .append(",\"offset\":").append(((OffsetAndMetadata) entry.getValue()).offset()).append("}");
        }
        String outcome = error == null ? "\"success\":true" : "\"success\":false,\"error\":" + text(words(error));
        say("offsets_committed", "\"offsets\":[" + offsets + "]," + outcome);
    }

    static String places(Collection partitions) {
        StringBuilder told = new StringBuilder();
        for (Iterator each = partitions.iterator(); each.hasNext();) {
            TopicPartition partition = (TopicPartition) each.next();
            told.append(told.length() == 0 ? "{" : ",{").append(place(partition.topic(), partition.partition())).append("}");
        }
        return "[" + told + "]";
    }

    static String place(String topic, int partition) {
        return "\"topic\":\"" + topic + "\",\"partition\":" + partition;
    }

    /** The error that is behind one which only says that there was one. */
    static String words(Throwable error) {
        Throwable behind = error.getCause() == null ? error : error.getCause();
        String kind = behind instanceof ToldToFail ? "" : behind.getClass().getSimpleName() + ": ";
        return kind + behind.getMessage();
    }

    static String text(String words) {
        return "\"" + words.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + "\"";
    }

    static void say(String name, String fields) {
        Owner.say("{\"timestamp\":" + System.currentTimeMillis() + ",\"name\":\"" + name + "\"," + fields + "}");
    }
}
