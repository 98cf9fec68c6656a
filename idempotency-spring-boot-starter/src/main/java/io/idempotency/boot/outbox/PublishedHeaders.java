package io.idempotency.boot.outbox;

import java.util.Map;
import java.util.function.Supplier;

/** Provides headers of the publisher for each message, such as the context of a trace. */
public interface PublishedHeaders extends Supplier<Map<String, String>> {}
