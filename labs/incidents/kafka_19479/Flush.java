import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes a compressed batch larger than the topic accepts, flushes, and counts what is unanswered. */
public class Flush {
    public static void main(String[] args) throws Exception {
        int sends = Integer.parseInt(args[2]);
        // The client learns that what it sends shrinks to a tenth, and fills batches accordingly.
        KafkaProducer first = producer(args[0], "0");
        for (int number = 0; number < 300; number++) {
            first.send(new ProducerRecord(args[1], new byte[3000])).get();
        }
        first.close();
        tell("300 sends of zeros: the client has learnt that gzip makes a tenth of what it sends");
        KafkaProducer producer = producer(args[0], "3000");
        producer.partitionsFor(args[1]);
        Random random = new Random(1);
        List answers = new ArrayList();
        for (int number = 0; number < sends; number++) {
            byte[] value = new byte[500];
            random.nextBytes(value);
            answers.add(producer.send(new ProducerRecord(args[1], value)));
        }
        producer.flush();
        int open = 0;
        for (Iterator each = answers.iterator(); each.hasNext();) {
            if (!((Future) each.next()).isDone()) {
                open++;
            }
        }
        tell(sends + " sends of noise, which gzip does not shrink; flush() has returned, and " + open
            + " have no answer");
        System.out.println("{\"open\": " + open + "}");
        producer.close();
        tell("close() has returned, and has waited for the rest");
    }

    private static void tell(String moment) {
        System.out.println("{\"moment\": \"" + moment + "\"}");
    }

    private static KafkaProducer producer(String bootstrap, String linger) {
        Properties told = new Properties();
        told.put("bootstrap.servers", bootstrap);
        told.put("compression.type", "gzip");
        told.put("batch.size", "4000");
        told.put("linger.ms", linger);
        return new KafkaProducer(told, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
