package io.idempotency.boot.testing;

import java.util.Objects;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What Spring Boot prints instead of a stack trace when an application cannot start. */
public record StartupReport(String description, String action) {

    /** Starts an application that must not start, and reports why. */
    public static StartupReport of(ThrowingCallable start) {
        return of(catchThrowable(start));
    }

    /** Fails if no analyzer understands the failure: then the user gets a stack trace. */
    public static StartupReport of(Throwable failure) {
        assertThat(failure).as("the failure of the start").isNotNull();
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, notNeededHere) -> {}))
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .map(StartupReport::of)
                .orElseThrow(() -> new AssertionError("No report, but a stack trace", failure));
    }

    private static StartupReport of(FailureAnalysis analysis) {
        return new StartupReport(analysis.getDescription(), String.valueOf(analysis.getAction()));
    }
}
