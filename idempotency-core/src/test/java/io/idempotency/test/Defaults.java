package io.idempotency.test;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.idempotency.DuplicatePolicy;
import io.idempotency.internal.operation.CallMode;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.RetentionPolicy;

/** The options that calls have in an application without properties. */
public final class Defaults {

    /** The options of calls. */
    public static final CallOptions OPTIONS = new CallOptions(
            CallMode.TRANSACTIONAL,
            new CallOptions.Retention(Duration.ofDays(7), null),
            new CallOptions.Waiting(DuplicatePolicy.WAIT, Duration.ofSeconds(5)),
            new CallOptions.LeaseOptions(Duration.ofMinutes(1), false),
            3,
            List.of(),
            false);

    private Defaults() {}

    /** Returns the policy of an application that sets this minimum, or none. */
    public static RetentionPolicy retention(@Nullable Duration minimum) {
        return new RetentionPolicy(minimum, OPTIONS);
    }
}
