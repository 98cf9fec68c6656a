package io.idempotency.sample.webhooks.twilio;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import io.idempotency.sample.webhooks.InvalidSignatureException;

/**
 * The fields of a form, in no order.
 *
 * @param fields of each name its different values
 */
record Form(Map<String, SortedSet<String>> fields) {

    /** Of the body alone: the servlet's parameters have those of the URL among them. */
    static Form parse(String body) {
        Map<String, SortedSet<String>> fields = new TreeMap<>();
        for (String field : body.split("&", -1)) {
            if (!field.isEmpty()) {
                int equals = field.indexOf('=');
                String name = equals < 0 ? field : field.substring(0, equals);
                String value = equals < 0 ? "" : field.substring(equals + 1);
                fields.computeIfAbsent(decode(name), any -> new TreeSet<>()).add(decode(value));
            }
        }
        return new Form(fields);
    }

    /**
     * As Twilio's library takes them, which puts name and value of each after each other. For a name with several values
     * Twilio signs each of them after the name, so that here those names are part of the value.
     */
    Map<String, String> signedFields() {
        Map<String, String> signed = new HashMap<>();
        fields.forEach((name, values) -> signed.put(name, String.join(name, values)));
        return signed;
    }

    @Nullable String first(String name) {
        SortedSet<String> values = fields.get(name);
        return values == null ? null : values.first();
    }

    /** With one value of each name. */
    ObjectNode content() {
        ObjectNode content = JsonNodeFactory.instance.objectNode();
        fields.forEach((name, values) -> content.put(name, values.first()));
        return content;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new InvalidSignatureException("The body is not a form", e);
        }
    }
}
