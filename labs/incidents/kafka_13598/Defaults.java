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
        for (int number = 0; number < 5; number++) {
            producer.send(new ProducerRecord(args[1], new byte[10])).get();
        }
        producer.close();
        System.out.println("{\"default\": " + stated + "}");
    }
}
