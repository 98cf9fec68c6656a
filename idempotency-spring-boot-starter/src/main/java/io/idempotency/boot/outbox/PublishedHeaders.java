package io.idempotency.boot.outbox;

import java.util.Map;
import java.util.function.Supplier;

/** Headers that tell where a message was published, such as the context of a trace. */
public interface PublishedHeaders extends Supplier<Map<String, String>> {}
