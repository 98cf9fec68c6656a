package io.idempotency.boot.outbox;

import java.util.Map;
import java.util.function.Supplier;

/** A provider of headers that the publisher adds to each message, such as the context of a trace. */
public interface PublishedHeaders extends Supplier<Map<String, String>> {}
