import java.io.File;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.ValueMapper;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.Options;

/** Counts records by key with its state on disk, and closes, or ends in an open transaction. */
public class Crash {
    static final AtomicInteger COUNTED = new AtomicInteger();
    static final File STATE = new File("state");

    /** With the smallest write buffer that there is, a store is on disk long before a commit. */
    public static class SmallBuffer implements RocksDBConfigSetter {
        public void setConfig(String store, Options options, Map told) {
            options.setWriteBufferSize(65536L);
        }

        public void close(String store, Options options) {
        }
    }

    public static void main(String[] args) throws Exception {
        boolean crashes = args[3].equals("crash");
        int wanted = Integer.parseInt(args[4]);
        tell(crashes ? "before the crash" : "before a start");
        KafkaStreams streams = application(args[0], args[1], args[2], crashes);
        streams.start();
        long limit = System.currentTimeMillis() + 70000L;
        while (COUNTED.get() < wanted || crashes && files(STATE, ".sst").isEmpty()) {
            if (System.currentTimeMillis() > limit) {
                throw new IllegalStateException("counted " + COUNTED.get() + " of " + wanted);
            }
            Thread.sleep(50L);
        }
        moment(COUNTED.get() + " records counted" + (crashes
            ? ", not committed; the store has put some of them on disk" : ""));
        if (crashes) {
            tell("in the transaction");
            moment("the application is killed in its transaction");
            // As by kill -9: nothing is closed and nothing is committed.
            Runtime.getRuntime().halt(0);
        }
        streams.close();
        moment("committed and closed in order");
        tell("closed");
        System.exit(0);
    }

    static KafkaStreams application(
        String bootstrap, String input, String output, boolean crashes
    ) {
        Properties told = new Properties();
        told.put("bootstrap.servers", bootstrap);
        told.put("application.id", "counts");
        told.put("state.dir", STATE.getAbsolutePath());
        told.put("processing.guarantee", "exactly_once_v2");
        told.put("replication.factor", "1");
        told.put("commit.interval.ms", crashes ? "25000" : "100");
        told.put("producer.transaction.timeout.ms", "30000");
        told.put("statestore.cache.max.bytes", "0");
        told.put("rocksdb.config.setter", SmallBuffer.class);
        told.put("default.key.serde", Serdes.String().getClass().getName());
        told.put("default.value.serde", Serdes.String().getClass().getName());
        told.put("consumer.auto.offset.reset", "earliest");
        told.put("consumer.session.timeout.ms", "6000");
        told.put("consumer.heartbeat.interval.ms", "500");
        StreamsBuilder builder = new StreamsBuilder();
        KTable table = builder.stream(input).groupByKey().count(Materialized.as("store"));
        table.toStream().mapValues(new ValueMapper() {
            public Object apply(Object count) {
                COUNTED.incrementAndGet();
                return String.valueOf(count);
            }
        }).to(output);
        return new KafkaStreams(builder.build(), told);
    }

    static void tell(String when) {
        System.out.println("{\"when\": \"" + when + "\", \"files\": \""
            + (files(STATE, "checkpoint") + files(STATE, ".sst")).trim() + "\"}");
    }

    static void moment(String words) {
        System.out.println("{\"moment\": \"" + words + "\"}");
    }

    /** The names of files below a folder that end so. */
    static String files(File folder, String end) {
        StringBuilder names = new StringBuilder();
        File[] all = folder.listFiles();
        for (int number = 0; all != null && number < all.length; number++) {
            if (all[number].isDirectory()) {
                names.append(files(all[number], end));
            } else if (all[number].getName().endsWith(end)) {
                names.append(all[number].getName() + " ");
            }
        }
        return names.toString();
    }
}
