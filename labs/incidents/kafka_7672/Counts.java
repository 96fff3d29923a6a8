import java.io.File;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.ValueMapper;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.state.Stores;

/** Counts records by key while a second instance comes and goes, and prints the last counts. */
public class Counts {
    static final String[] KEYS = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    static final String READER =
        "org.apache.kafka.streams.processor.internals.StoreChangelogReader";
    static final String COMPLETED = "completedRestorers";
    static String bootstrap;
    static String input;
    static String output;
    static int sent = 0;
    static KafkaProducer producer;
    static KafkaConsumer reader;
    static Map counts = new HashMap();

    public static void main(String[] args) throws Exception {
        bootstrap = args[0];
        input = args[1];
        output = args[2];
        producer = new KafkaProducer(clients(), new StringSerializer(), new StringSerializer());
        Properties reading = clients();
        reading.put("group.id", "reader");
        reading.put("isolation.level", "read_committed");
        reading.put("auto.offset.reset", "earliest");
        reader = new KafkaConsumer(reading, new StringDeserializer(), new StringDeserializer());
        reader.subscribe(Collections.singletonList(output));

        for (int round = 0; round < 10; round++) {
            send();
        }
        KafkaStreams first = instance("first");
        first.start();
        await("first", 10);
        first.close();
        // Started anew, its thread restores both stores, and notes that it did.
        tell("its only instance is started anew, and restores both stores");
        Restores own = new Restores();
        KafkaStreams again = instance("again");
        again.setGlobalStateRestoreListener(own);
        again.start();
        own.await(2);
        send();
        await("started anew", 11);
        noted("started anew", again);

        tell("a second instance joins, and takes one of the two tasks");
        Restores others = new Restores();
        KafkaStreams second = instance("second");
        second.setGlobalStateRestoreListener(others);
        second.start();
        others.await(1);
        send();
        await("shared by two", 12);
        noted("shared by two", again);
        second.close();
        tell("the second instance leaves: its task comes back to the first one");
        send();
        await("alone again", 13);
        noted("alone again", again);
        again.close();
        producer.close();
        reader.close();
        System.exit(0);
    }

    static Properties clients() {
        Properties told = new Properties();
        told.put("bootstrap.servers", bootstrap);
        return told;
    }

    static void send() throws Exception {
        for (int number = 0; number < KEYS.length; number++) {
            Integer partition = Integer.valueOf(number % 2);
            producer.send(new ProducerRecord(input, partition, KEYS[number], "x")).get();
        }
        sent++;
    }

    /** Reads until each key has a count that came after the last send, and prints them. */
    static void await(String when, int wanted) throws Exception {
        Map seen = new HashMap();
        long limit = System.currentTimeMillis() + 40000L;
        while (true) {
            Iterator each = reader.poll(Duration.ofMillis(200L)).iterator();
            while (each.hasNext()) {
                ConsumerRecord record = (ConsumerRecord) each.next();
                counts.put(record.key(), Integer.valueOf((String) record.value()));
                seen.put(record.key(), counts.get(record.key()));
            }
            // The first time counts may come one by one; later each key has one more.
            boolean isWhole = seen.size() == KEYS.length;
            if (isWhole && (wanted != 10 || !counts.containsValue(null) && all(10))) {
                break;
            }
            if (System.currentTimeMillis() > limit) {
                throw new IllegalStateException(when + ": counts of " + seen.size() + " keys");
            }
        }
        int least = Integer.MAX_VALUE;
        for (int number = 0; number < KEYS.length; number++) {
            least = Math.min(least, ((Integer) counts.get(KEYS[number])).intValue());
        }
        tell(when + ": " + sent + " records of each key were sent, the lowest count is " + least);
        for (int number = 0; number < KEYS.length; number++) {
            System.out.println("{\"when\": \"" + when + "\", \"key\": \"" + KEYS[number]
                + "\", \"sent\": " + sent + ", \"count\": " + counts.get(KEYS[number]) + "}");
        }
    }

    /** Prints which partitions the thread of an instance holds for restored, `completedRestorers`. */
    static void noted(String when, KafkaStreams instance) throws Exception {
        String shown = "null";
        if (hasField(Class.forName(READER), COMPLETED)) {
            Object thread = Array.get(field(instance, "threads"), 0);
            Object reader = field(field(thread, "taskManager"), "changelogReader");
            TreeSet names = new TreeSet();
            Iterator each = ((Set) field(reader, COMPLETED)).iterator();
            while (each.hasNext()) {
                names.add(each.next().toString());
            }
            shown = "\"" + names + "\"";
            tell(when + ", " + COMPLETED + " of the first instance's thread: " + names);
        }
        System.out.println("{\"noted\": \"" + when + "\", \"partitions\": " + shown + "}");
    }

    static Object field(Object of, String name) throws Exception {
        Class type = of.getClass();
        while (!hasField(type, name)) {
            type = type.getSuperclass();
        }
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    static boolean hasField(Class type, String name) {
        Field[] own = type.getDeclaredFields();
        for (int number = 0; number < own.length; number++) {
            if (own[number].getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    static void tell(String moment) {
        System.out.println("{\"moment\": \"" + moment + "\"}");
    }

    static boolean all(int wanted) {
        for (int number = 0; number < KEYS.length; number++) {
            if (((Integer) counts.get(KEYS[number])).intValue() < wanted) {
                return false;
            }
        }
        return true;
    }

    static KafkaStreams instance(String name) throws Exception {
        Properties told = clients();
        told.put("application.id", "counts");
        told.put("client.id", name);
        told.put("state.dir", new File(name).getAbsolutePath());
        told.put("processing.guarantee", guarantee());
        told.put("replication.factor", "1");
        told.put("commit.interval.ms", "100");
        told.put("default.key.serde", Serdes.String().getClass().getName());
        told.put("default.value.serde", Serdes.String().getClass().getName());
        told.put("consumer.auto.offset.reset", "earliest");
        told.put("consumer.session.timeout.ms", "4000");
        told.put("consumer.heartbeat.interval.ms", "500");
        StreamsBuilder builder = new StreamsBuilder();
        KTable table = builder.stream(input).groupByKey()
            .count(Materialized.as(Stores.inMemoryKeyValueStore("store")));
        table.toStream().mapValues(new ValueMapper() {
            public Object apply(Object count) {
                return String.valueOf(count);
            }
        }).to(output);
        return new KafkaStreams(builder.build(), told);
    }

    /** Exactly-once by the newest name that the release knows. */
    static String guarantee() throws Exception {
        try {
            return (String) StreamsConfig.class.getField("EXACTLY_ONCE_V2").get(null);
        } catch (NoSuchFieldException older) {
            return "exactly_once";
        }
    }

    static class Restores implements StateRestoreListener {
        private int ended = 0;

        public void onRestoreStart(TopicPartition of, String store, long from, long to) {
        }

        public void onBatchRestored(TopicPartition of, String store, long to, long count) {
        }

        public synchronized void onRestoreEnd(TopicPartition of, String store, long count) {
            ended++;
            notifyAll();
        }

        synchronized void await(int count) throws Exception {
            long limit = System.currentTimeMillis() + 40000L;
            while (ended < count) {
                long left = limit - System.currentTimeMillis();
                if (left <= 0) {
                    throw new IllegalStateException("restored " + ended + " of " + count);
                }
                wait(left);
            }
        }
    }
}
