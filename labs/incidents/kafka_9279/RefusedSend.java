import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends five records in a transaction, one of them too large, looks at no send, and commits. */
public class RefusedSend {
    public static void main(String[] args) {
        Properties told = new Properties();
        told.put("bootstrap.servers", args[0]);
        told.put("transactional.id", "invoices-1");
        told.put("max.request.size", "1000");
        KafkaProducer producer =
            new KafkaProducer(told, new ByteArraySerializer(), new ByteArraySerializer());
        producer.initTransactions();
        producer.beginTransaction();
        tell("a transaction begins");
        try {
            for (int number = 0; number < 5; number++) {
                byte[] value = new byte[number == 2 ? 5000 : 10];
                producer.send(new ProducerRecord(args[1], value));
            }
            tell("5 sends, the third larger than max.request.size; nobody looks at the answers");
            producer.commitTransaction();
            tell("commitTransaction() has returned: the transaction is committed");
            System.out.println("{\"committed\": true, \"error\": \"\"}");
        } catch (KafkaException refused) {
            producer.abortTransaction();
            String error = refused.getClass().getSimpleName();
            tell("commitTransaction() is refused (" + error + "), and the transaction aborted");
            System.out.println("{\"committed\": false, \"error\": \"" + error + "\"}");
        }
        producer.close();
    }

    static void tell(String moment) {
        System.out.println("{\"moment\": \"" + moment + "\"}");
    }
}
