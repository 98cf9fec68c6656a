package io.idempotency.boot.outbox;

import java.util.HashMap;
import java.util.Map;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.SenderContext;

/** Lets whoever traces add what a receiver needs to go on with the trace of the publisher, such as {@code traceparent}. */
record ObservedHeaders(ObservationRegistry registry) implements PublishedHeaders {

    private static final String NAME = "idempotency.outbox.publish";

    @Override
    public Map<String, String> get() {
        Map<String, String> headers = new HashMap<>();
        SenderContext<Map<String, String>> context =
                new SenderContext<>((carrier, name, value) -> headers.put(name, value));
        context.setCarrier(headers);
        Observation.createNotStarted(NAME, () -> context, registry).start().stop();
        return headers;
    }
}
