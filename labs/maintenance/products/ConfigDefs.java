// Compiled by Janino, which pyspark includes, so that no Java compiler is needed; hence the plain
// Java 5. One call returns a whole ConfigDef: reading it key by key through py4j takes a minute.
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.config.ConfigDef;

public class ConfigDefs {
    static final String FIELD = "\u001f";
    static final String RECORD = "\u001e";

    /** One record per setting: name, type, default, validator and its text, importance and so on. */
    public static String dump(ConfigDef def) {
        StringBuilder records = new StringBuilder();
        Iterator keys = def.configKeys().values().iterator();
        while (keys.hasNext()) {
            ConfigDef.ConfigKey key = (ConfigDef.ConfigKey) keys.next();
            records.append(key.name).append(FIELD).append(key.type).append(FIELD);
            records.append(key.hasDefault()).append(FIELD);
            records.append(key.defaultValue != null).append(FIELD);
            records.append(text(key.defaultValue)).append(FIELD);
            Object validator = key.validator;
            records.append(validator == null ? "" : validator.getClass().getSimpleName());
            records.append(FIELD).append(text(validator)).append(FIELD).append(key.importance);
            records.append(FIELD).append(key.internalConfig).append(FIELD);
            records.append(key.documentation).append(RECORD);
        }
        return records.toString();
    }

    static String text(Object value) {
        if (value instanceof List) {
            StringBuilder items = new StringBuilder();
            Iterator elements = ((List) value).iterator();
            while (elements.hasNext()) {
                items.append(items.length() == 0 ? "" : ",").append(text(elements.next()));
            }
            return items.toString();
        }
        return value instanceof Class ? ((Class) value).getName() : String.valueOf(value);
    }
}
