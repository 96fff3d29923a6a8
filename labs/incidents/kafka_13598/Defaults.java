import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends five records with nothing stated but where the brokers are. */
public class Defaults {
    public static void main(String[] args) throws Exception {
        Properties told = new Properties();
        told.put("bootstrap.servers", args[0]);
        Object stated = ProducerConfig.configDef().defaultValues().get("enable.idempotence");
        KafkaProducer producer =
            new KafkaProducer(told, new ByteArraySerializer(), new ByteArraySerializer());
        tell("a producer that is told nothing but where the brokers are; the default says"
            + " enable.idempotence=" + stated);
        for (int number = 0; number < 5; number++) {
            producer.send(new ProducerRecord(args[1], new byte[10])).get();
        }
        tell("5 messages sent, each one acknowledged");
        producer.close();
        System.out.println("{\"default\": " + stated + "}");
    }

    static void tell(String moment) {
        System.out.println("{\"moment\": \"" + moment + "\"}");
    }
}
