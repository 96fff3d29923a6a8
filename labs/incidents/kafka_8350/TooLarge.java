import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends small records in batches that the topic does not take, and counts the answers. */
public class TooLarge {
    public static void main(String[] args) throws Exception {
        int sends = Integer.parseInt(args[2]);
        Properties told = new Properties();
        told.put("bootstrap.servers", args[0]);
        told.put("batch.size", "3000");
        told.put("linger.ms", "200");
        told.put("request.timeout.ms", "3000");
        told.put("delivery.timeout.ms", "6000");
        KafkaProducer producer =
            new KafkaProducer(told, new ByteArraySerializer(), new ByteArraySerializer());
        producer.partitionsFor(args[1]);
        List answers = new ArrayList();
        for (int number = 0; number < sends; number++) {
            answers.add(producer.send(new ProducerRecord(args[1], new byte[500])));
        }
        tell(sends + " sends of 500 bytes in batches of 3,000; the topic takes 2,000 at once");
        int failed = 0;
        String why = "";
        for (Iterator each = answers.iterator(); each.hasNext();) {
            try {
                ((Future) each.next()).get();
            } catch (Throwable trouble) {
                failed++;
                Throwable cause = trouble.getCause() == null ? trouble : trouble.getCause();
                why = cause.getClass().getSimpleName();
            }
        }
        tell((sends - failed) + " of them acknowledged, " + failed + " given up");
        System.out.println("{\"failed\": " + failed + ", \"why\": \"" + why + "\"}");
        Runtime.getRuntime().halt(0);
    }

    static void tell(String moment) {
        System.out.println("{\"moment\": \"" + moment + "\"}");
    }
}
