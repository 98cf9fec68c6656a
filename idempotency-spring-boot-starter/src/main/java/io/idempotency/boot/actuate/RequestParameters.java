package io.idempotency.boot.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;

/** The parameters of a request. All are text: of any other type Actuator says only "Parameter mapping failure". */
public final class RequestParameters {

    private final Map<String, String> values = new LinkedHashMap<>();

    private final boolean showsResponse;

    private RequestParameters(boolean showsResponse) {
        this.showsResponse = showsResponse;
    }

    static RequestParameters ofRead(
            @Nullable String limit,
            @Nullable String attempts,
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable String downstream,
            boolean showsResponse) {
        return new RequestParameters(showsResponse)
                .with("limit", limit)
                .with("attempts", attempts)
                .with("scope", scope)
                .with("caller", caller)
                .with("key", key)
                .with("downstream", downstream);
    }

    static RequestParameters ofWrite(
            @Nullable String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable String messageId,
            @Nullable String response,
            @Nullable String step,
            @Nullable String who,
            @Nullable String reason) {
        return new RequestParameters(false)
                .with("scope", scope)
                .with("caller", caller)
                .with("key", key)
                .with("messageId", messageId)
                .with("response", response)
                .with("step", step)
                .with("who", who)
                .with("reason", reason);
    }

    private RequestParameters with(String name, @Nullable String value) {
        if (value != null) {
            values.put(name, value);
        }
        return this;
    }

    /** Returns whether the reader may see stored responses. */
    boolean showsResponse() {
        return showsResponse;
    }

    @Nullable String get(String name) {
        return values.get(name);
    }

    void require(String operation, List<String> names) {
        List<String> missing = new ArrayList<>(names);
        missing.removeAll(values.keySet());
        if (!missing.isEmpty()) {
            throw RefusedRequestException.badRequest("Missing: " + String.join(", ", missing) + ". '" + operation
                    + "' needs " + String.join(", ", names) + ".");
        }
    }

    /** Returns a required parameter. */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("'" + name + "' was not required");
        }
        return value;
    }

    int number(String name, int defaultValue, int max) {
        String value = values.get(name);
        if (value == null) {
            return defaultValue;
        }
        try {
            int number = Integer.parseInt(value.strip());
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // Refused below, like one that is out of range.
        }
        throw RefusedRequestException.badRequest(
                "'" + name + "' must be a number from 1 to " + max + ", not '" + value + "'.");
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    IdempotencyKey key() {
        try {
            return new IdempotencyKey(text("key"));
        } catch (IdempotencyException malformed) {
            throw RefusedRequestException.badRequest(malformed.getMessage() + ".");
        }
    }

    Intent intent() {
        String caller = values.getOrDefault("caller", "");
        try {
            return new Intent(text("scope"), caller, key());
        } catch (IllegalArgumentException | IdempotencyException malformed) {
            throw RefusedRequestException.badRequest(malformed.getMessage() + ".");
        }
    }
}
