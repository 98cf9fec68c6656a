package io.idempotency.proof;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.springframework.http.HttpHeaders;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/** Writes those headers of a response that a replay has. HTTP and filters make others anew, such as Date. */
final class ReplayedHeaders extends ValueSerializer<HttpHeaders> {

    private static final List<String> USUAL = List.of(
            "Content-Encoding", "Content-Language", "Content-Type", "ETag", "Last-Modified", "Link", "Location");

    private final List<String> names;

    private ReplayedHeaders(Collection<String> further) {
        this.names = new ArrayList<>(USUAL);
        this.names.addAll(further);
    }

    static JsonMapper addTo(JsonMapper mapper, Collection<String> further) {
        return mapper.rebuild()
                .addModule(new SimpleModule().addSerializer(HttpHeaders.class, new ReplayedHeaders(further)))
                .build();
    }

    @Override
    public void serialize(HttpHeaders headers, JsonGenerator generator, SerializationContext context) {
        Map<String, List<String>> written = new TreeMap<>();
        for (String name : names) {
            List<String> values = headers.get(name);
            if (values != null) {
                written.put(name, values);
            }
        }
        generator.writePOJO(written);
    }
}
