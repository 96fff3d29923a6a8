import java.io.File;
import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KeyValueMapper;

/** Writes a bill for each order, every fourth of which is larger than the topic accepts. */
public class Bills {
    static final AtomicInteger PROCESSED = new AtomicInteger();

    public static void main(String[] args) throws Exception {
        int orders = Integer.parseInt(args[4]);
        Properties told = new Properties();
        told.put("bootstrap.servers", args[0]);
        told.put("application.id", args[1]);
        told.put("state.dir", new File("state").getAbsolutePath());
        String strings = Serdes.String().getClass().getName();
        String[] serdes = {"key.serde", "value.serde", "default.key.serde", "default.value.serde"};
        for (int number = 0; number < serdes.length; number++) {
            told.put(serdes[number], strings);
        }
        told.put("auto.offset.reset", "earliest");
        told.put("commit.interval.ms", "500");

        Object builder = builder();
        KStream bills = stream(builder, args[2]).map(new KeyValueMapper() {
            public Object apply(Object key, Object value) {
                PROCESSED.incrementAndGet();
                boolean isLarge = Integer.parseInt((String) value) % 4 == 3;
                // A small one is too large for what is left in the batch of a large one: clients
                // of 4.3.1 split a batch of both in vain, 23,519 times until the stack overflows.
                return new KeyValue(value, new String(new char[isLarge ? 50000 : 500]));
            }
        });
        bills.to(args[3]);
        KafkaStreams streams = streams(builder, told);
        streams.start();
        long limit = System.currentTimeMillis() + 60000L;
        boolean hasRun = false;
        while (PROCESSED.get() < orders && (!hasRun || runs())) {
            hasRun = hasRun || runs();
            if (System.currentTimeMillis() > limit) {
                throw new IllegalStateException("processed " + PROCESSED.get());
            }
            Thread.sleep(50L);
        }
        // Time for answers and a commit; then it is closed, which commits what is left.
        long soon = System.currentTimeMillis() + 2000L;
        while (runs() && System.currentTimeMillis() < soon) {
            Thread.sleep(50L);
        }
        boolean died = !runs();
        tell(PROCESSED.get() + " orders processed; the application's thread "
            + (died ? "has ended with an error" : "goes on"));
        streams.close();
        tell("closed, which commits what was processed");
        System.out.println("{\"processed\": " + PROCESSED.get() + ", \"died\": " + died + "}");
        Runtime.getRuntime().halt(0);
    }

    static void tell(String moment) {
        System.out.println("{\"moment\": \"" + moment + "\"}");
    }

    static boolean runs() {
        Iterator each = Thread.getAllStackTraces().keySet().iterator();
        while (each.hasNext()) {
            if (((Thread) each.next()).getName().contains("StreamThread")) {
                return true;
            }
        }
        return false;
    }

    /** Kafka 1.0 gave what builds a topology other names (KIP-120). */
    static Object builder() throws Exception {
        try {
            return Class.forName("org.apache.kafka.streams.StreamsBuilder").newInstance();
        } catch (ClassNotFoundException older) {
            return Class.forName("org.apache.kafka.streams.kstream.KStreamBuilder").newInstance();
        }
    }

    static KStream stream(Object builder, String topic) throws Exception {
        try {
            Class[] one = {String.class};
            return (KStream) builder.getClass().getMethod("stream", one)
                .invoke(builder, new Object[] {topic});
        } catch (NoSuchMethodException older) {
            Class[] several = {String[].class};
            return (KStream) builder.getClass().getMethod("stream", several)
                .invoke(builder, new Object[] {new String[] {topic}});
        }
    }

    static KafkaStreams streams(Object builder, Properties told) throws Exception {
        Object topology = builder;
        Class of = builder.getClass().getSuperclass();
        try {
            Method build = builder.getClass().getMethod("build", new Class[0]);
            topology = build.invoke(builder, new Object[0]);
            of = topology.getClass();
        } catch (NoSuchMethodException older) {
            // It is the topology itself.
        }
        Class[] parameters = {of, Properties.class};
        return (KafkaStreams) KafkaStreams.class.getConstructor(parameters)
            .newInstance(new Object[] {topology, told});
    }
}
