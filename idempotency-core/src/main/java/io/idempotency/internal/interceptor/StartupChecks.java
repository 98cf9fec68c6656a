package io.idempotency.internal.interceptor;

import java.util.stream.Stream;

/** The checks of a part of the application, whose mistakes stand in one report with those of idempotent methods. */
@FunctionalInterface
public interface StartupChecks {

    /** Returns the checks, each of which throws {@link io.idempotency.IdempotencyStartupException} for its mistake. */
    Stream<Runnable> checks();
}
