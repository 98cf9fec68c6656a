package io.idempotency.sample;

import java.net.http.HttpResponse;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;

/** What a client sees of a response; equal answers are equal byte for byte. */
record Answer(int status, String location, String contentType, String retryAfter, String replayed, String body) {

    static Answer of(HttpResponse<String> response) {
        return new Answer(
                response.statusCode(),
                header(response, "Location"),
                header(response, "Content-Type"),
                header(response, "Retry-After"),
                header(response, "Idempotent-Replayed"),
                response.body());
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse(null);
    }

    /** How every replay of this answer looks: marked as one, and otherwise the same. */
    Answer asReplay() {
        return new Answer(status, location, contentType, retryAfter, "true", body);
    }

    /** The members of the body. */
    Map<String, Object> json() {
        return JsonPath.read(body, "$");
    }

    String text(String path) {
        return JsonPath.<String>read(body, path);
    }

    long number(String path) {
        return JsonPath.<Number>read(body, path).longValue();
    }
}
