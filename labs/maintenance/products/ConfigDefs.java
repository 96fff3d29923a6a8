// Compiled by Janino, which pyspark brings, so that a Java without a compiler will do; hence the
// plain Java 5. One call tells all of a ConfigDef: asking key by key through py4j takes a minute.
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.config.ConfigDef;

public class ConfigDefs {
    static final String FIELD = "\u001f";
    static final String RECORD = "\u001e";

    /** A record a setting: name, type, default, validator and its words, importance and so on. */
    public static String tell(ConfigDef def) {
        StringBuilder told = new StringBuilder();
        Iterator keys = def.configKeys().values().iterator();
        while (keys.hasNext()) {
            ConfigDef.ConfigKey key = (ConfigDef.ConfigKey) keys.next();
            told.append(key.name).append(FIELD).append(key.type).append(FIELD);
            told.append(key.hasDefault()).append(FIELD);
            told.append(key.defaultValue != null).append(FIELD);
            told.append(text(key.defaultValue)).append(FIELD);
            Object validator = key.validator;
            told.append(validator == null ? "" : validator.getClass().getSimpleName());
            told.append(FIELD).append(text(validator)).append(FIELD).append(key.importance);
            told.append(FIELD).append(key.internalConfig).append(FIELD);
            told.append(key.documentation).append(RECORD);
        }
        return told.toString();
    }

    static String text(Object value) {
        if (value instanceof List) {
            StringBuilder items = new StringBuilder();
            Iterator each = ((List) value).iterator();
            while (each.hasNext()) {
                items.append(items.length() == 0 ? "" : ",").append(text(each.next()));
            }
            return items.toString();
        }
        return value instanceof Class ? ((Class) value).getName() : String.valueOf(value);
    }
}
