// Compiled by Janino, which pyspark includes, so that a Java runtime without a compiler is enough;
// hence plain Java 5. It reports in lines of words (read by labs/engine/clients/streams.py) and takes
// the commands of Owner.java. `stop` closes it.
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

    /** PROPERTIES INPUT OUTPUT none|logged|unlogged EFFECTS (a file, or - for no external system). */
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.load(new FileInputStream(arguments[0]));
        counts = !arguments[3].equals("none");
        // Unbuffered, so that the output outlives a process that is killed.
        effects = arguments[4].equals("-") ? null : new FileOutputStream(arguments[4], true);
        KafkaStreams streams = new KafkaStreams(topology(arguments[1], arguments[2], arguments[3]), settings);
        streams.setUncaughtExceptionHandler(new StreamsUncaughtExceptionHandler() {
            public StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse handle(Throwable failed) {
                failed.printStackTrace();
                Throwable why = failed.getCause() == null ? failed : failed.getCause();
                Owner.report("failed " + String.valueOf(why).replace('\n', ' '));
                return StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            }
        });
        streams.setStateListener(new KafkaStreams.StateListener() {
            public void onChange(KafkaStreams.State now, KafkaStreams.State before) {
                Owner.report("state " + now);
            }
        });
        streams.start();
        Owner.listen();
        streams.close(Duration.ofSeconds(10L));
        System.exit(0);
    }

    static Topology topology(String input, String output, String state) {
        Deserializer read = Serdes.ByteArray().deserializer();
        Serializer write = Serdes.ByteArray().serializer();
        Topology topology = new Topology();
        topology.addSource("read", read, read, new String[] {input});
        topology.addProcessor("work", new ProcessorSupplier() {
            public Processor get() {
                return new Work();
            }
        }, new String[] {"read"});
        if (counts) {
            StoreBuilder store = Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(STORE), Serdes.String(), Serdes.Long());
            store = state.equals("logged")
                ? store.withLoggingEnabled(new HashMap()) : store.withLoggingDisabled();
            topology.addStateStore(store, new String[] {"work"});
        }
        topology.addSink("write", output, write, write, new String[] {"work"});
        return topology;
    }

    /** Reports a record, counts it, writes it to the external system, and forwards it. */
    static class Work implements Processor {
        ProcessorContext context;
        KeyValueStore store;

        public void init(ProcessorContext processorContext) {
            context = processorContext;
            store = counts ? (KeyValueStore) processorContext.getStateStore(STORE) : null;
        }

        public void process(Record record) {
            RecordMetadata at = (RecordMetadata) context.recordMetadata().get();
            String value = new String((byte[]) record.value()).trim();
            Owner.report("handed " + at.partition() + " " + at.offset() + " " + value + " " + System.nanoTime());
            Owner.reach("handed");
            count(value);
            writeEffect(value);
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
            KeyValueIterator entries = store.all();
            while (entries.hasNext()) {
                KeyValue entry = (KeyValue) entries.next();
                Owner.report("kept " + entry.key + " " + entry.value);
            }
            entries.close();
        }
    }

    static void writeEffect(String value) {
        try {
            if (effects != null) {
                effects.write((value + "\n").getBytes());
            }
        } catch (IOException failed) {
            throw new RuntimeException(failed);
        }
    }
}
