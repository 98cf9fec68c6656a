package io.idempotency.boot.testing;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.jayway.jsonpath.JsonPath;

/**
 * What a client sees.
 *
 * @param headers without those that differ from one answer to the next whatever the application does
 * @param body its bytes as characters
 */
public record Answer(int status, Map<String, List<String>> headers, String body) {

    private static final List<String> OF_THE_CONNECTION = List.of("connection", "date", "keep-alive");

    static Answer of(HttpResponse<byte[]> response) {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(response.headers().map());
        OF_THE_CONNECTION.forEach(headers::remove);
        return new Answer(response.statusCode(), headers, new String(response.body(), StandardCharsets.ISO_8859_1));
    }

    public String header(String name) {
        List<String> values = headers.get(name);
        return values == null ? null : String.join(", ", values);
    }

    public boolean isReplayed() {
        return "true".equals(header("Idempotent-Replayed"));
    }

    /** As the first answer was, of which this is the replay. */
    public Answer withoutMark() {
        return without("Idempotent-Replayed");
    }

    public Answer without(String name) {
        Map<String, List<String>> others = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        others.putAll(headers);
        others.remove(name);
        return new Answer(status, others, body);
    }

    public String text(String path) {
        return JsonPath.<String>read(body, path);
    }

    public int number(String path) {
        return JsonPath.<Integer>read(body, path);
    }

    public boolean flag(String path) {
        return JsonPath.<Boolean>read(body, path);
    }

    public List<Integer> numbers(String path) {
        return JsonPath.<List<Integer>>read(body, path);
    }

    public List<Object> all(String path) {
        return JsonPath.<List<Object>>read(body, path);
    }

    public List<String> texts(String path) {
        return JsonPath.<List<String>>read(body, path);
    }

    /** Of the endpoint for operators. */
    public String error() {
        return text("$.error");
    }

    /** The last part of the problem's type. */
    public String problem() {
        String type = text("$.type");
        return type.substring(type.lastIndexOf(':') + 1);
    }
}
