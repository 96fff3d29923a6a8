// Compiled by Janino, which pyspark brings, so that a Java without a compiler will do; hence the
// plain Java 5. Lines of words go out (labs/engine/clients/streams.py reads them) and come in as
// Owner.java hears them. `stop` closes it.
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Properties;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

public class StreamsApplication {
    static final String STORE = "counts";
    static boolean counts;
    static OutputStream effects;

    /** PROPERTIES INPUT OUTPUT none|logged|unlogged EFFECTS: a file, or - for no other system. */
    public static void main(String[] told) throws Exception {
        Properties settings = new Properties();
        settings.load(new FileInputStream(told[0]));
        counts = !told[3].equals("none");
        // Not buffered: what is written outlives a process that is killed.
        effects = told[4].equals("-") ? null : new FileOutputStream(told[4], true);
        KafkaStreams streams = new KafkaStreams(topology(told[1], told[2], told[3]), settings);
        streams.setUncaughtExceptionHandler(new StreamsUncaughtExceptionHandler() {
            public StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse handle(Throwable failed) {
                failed.printStackTrace();
                Throwable why = failed.getCause() == null ? failed : failed.getCause();
                Owner.say("failed " + String.valueOf(why).replace('\n', ' '));
                return StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            }
        });
        streams.setStateListener(new KafkaStreams.StateListener() {
            public void onChange(KafkaStreams.State now, KafkaStreams.State before) {
                Owner.say("state " + now);
            }
        });
        streams.start();
        Owner.hear();
        streams.close(Duration.ofSeconds(10L));
        System.exit(0);
    }

    static Topology topology(String input, String output, String state) {
        Deserializer read = Serdes.ByteArray().deserializer();
        Serializer write = Serdes.ByteArray().serializer();
        Topology made = new Topology();
        made.addSource("read", read, read, new String[] {input});
        made.addProcessor("work", new ProcessorSupplier() {
            public Processor get() {
                return new Work();
            }
        }, new String[] {"read"});
        if (counts) {
            StoreBuilder store = Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(STORE), Serdes.String(), Serdes.Long());
            store = state.equals("logged")
                ? store.withLoggingEnabled(new HashMap()) : store.withLoggingDisabled();
            made.addStateStore(store, new String[] {"work"});
        }
        made.addSink("write", output, write, write, new String[] {"work"});
        return made;
    }

    /** Says what it was handed, counts it, tells another system, and writes its result. */
    static class Work implements Processor {
        ProcessorContext context;
        KeyValueStore store;

        public void init(ProcessorContext given) {
            context = given;
            store = counts ? (KeyValueStore) given.getStateStore(STORE) : null;
        }

        public void process(Record record) {
            RecordMetadata at = (RecordMetadata) context.recordMetadata().get();
            String value = new String((byte[]) record.value()).trim();
            Owner.say("handed " + at.partition() + " " + at.offset() + " " + value + " " + System.nanoTime());
            Owner.reach("handed");
            count(value);
            tell(value);
            context.forward(record);
            Owner.reach("processed");
        }

        void count(String value) {
            if (store != null) {
                Long before = (Long) store.get(value);
                store.put(value, Long.valueOf(before == null ? 1L : before.longValue() + 1L));
            }
        }

        public void close() {
            if (store == null) {
                return;
            }
            KeyValueIterator each = store.all();
            while (each.hasNext()) {
                KeyValue kept = (KeyValue) each.next();
                Owner.say("kept " + kept.key + " " + kept.value);
            }
            each.close();
        }
    }

    static void tell(String value) {
        try {
            if (effects != null) {
                effects.write((value + "\n").getBytes());
            }
        } catch (IOException failed) {
            throw new RuntimeException(failed);
        }
    }
}
