package io.idempotency.boot.messaging.tracing;

import java.util.HashMap;
import java.util.Map;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.SenderContext;

import io.idempotency.boot.outbox.PublishedHeaders;

/** The headers of tracers by which a receiver continues the trace of the publisher, such as {@code traceparent}. */
record ObservedHeaders(ObservationRegistry registry) implements PublishedHeaders {

    @Override
    public Map<String, String> get() {
        Map<String, String> headers = new HashMap<>();
        SenderContext<Map<String, String>> context =
                new SenderContext<>((carrier, name, value) -> headers.put(name, value));
        context.setCarrier(headers);
        Observation.createNotStarted(MessagingObservations.PUBLISH_NAME, () -> context, registry)
                .start()
                .stop();
        return headers;
    }
}
