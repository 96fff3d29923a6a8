import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic in a group, while a second member joins and leaves; counts what comes twice. */
public class Rebalance {
    static String bootstrap;
    static String topic;
    static Map times = new HashMap();
    static int handed = 0;
    static boolean isTold = true;

    public static void main(String[] args) throws Exception {
        bootstrap = args[0];
        topic = args[1];
        int everything = Integer.parseInt(args[2]);
        int rounds = Integer.parseInt(args[3]);
        Worker first = new Worker();
        first.start();
        await(500);
        for (int round = 0; round < rounds; round++) {
            tell("another member joins (" + distinct() + " messages were handed out)");
            awaitAgain();
            Worker second = new Worker();
            second.start();
            while (second.got() < 100) {
                first.check();
                second.check();
                Thread.sleep(5L);
            }
            second.end();
            tell("it has left");
            await(distinct() + 500);
        }
        while (distinct() < everything) {
            first.check();
            Thread.sleep(5L);
        }
        first.end();
        System.out.println("{\"handed\": " + handed + ", \"distinct\": " + distinct() + "}");
    }

    static synchronized int distinct() {
        return times.size();
    }

    static synchronized void take(ConsumerRecord record) {
        handed++;
        String place = record.partition() + "-" + record.offset();
        if (times.put(place, Boolean.TRUE) != null && !isTold) {
            tell("partition " + record.partition() + ": offset " + record.offset()
                + " is handed out a second time");
            isTold = true;
        }
    }

    /** Of the messages that come again after a member joined, the first one is told. */
    static synchronized void awaitAgain() {
        isTold = false;
    }

    static void tell(String moment) {
        System.out.println("{\"moment\": \"" + moment + "\"}");
    }

    static void await(int count) throws Exception {
        while (distinct() < count) {
            Thread.sleep(5L);
        }
    }

    static class Worker extends Thread {
        private volatile boolean stops = false;
        private volatile int got = 0;
        private volatile Throwable failed = null;

        int got() {
            return got;
        }

        void check() {
            if (failed != null) {
                throw new IllegalStateException(String.valueOf(failed));
            }
        }

        void end() throws Exception {
            stops = true;
            join();
            check();
        }

        public void run() {
            Properties told = new Properties();
            told.put("bootstrap.servers", bootstrap);
            told.put("group.id", "readers");
            told.put("auto.offset.reset", "earliest");
            told.put("enable.auto.commit", "true");
            told.put("max.poll.records", "10");
            told.put("heartbeat.interval.ms", "300");
            KafkaConsumer consumer = new KafkaConsumer(
                told, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            try {
                consumer.subscribe(Collections.singletonList(topic));
                while (!stops) {
                    Iterator each = consumer.poll(Duration.ofMillis(100L)).iterator();
                    boolean some = each.hasNext();
                    while (each.hasNext()) {
                        take((ConsumerRecord) each.next());
                        got++;
                    }
                    if (some) {
                        Thread.sleep(4L);
                    }
                }
            } catch (Throwable wrong) {
                failed = wrong;
            }
            consumer.close();
        }
    }
}
