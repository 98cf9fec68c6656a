package io.idempotency.boot.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What Spring Boot prints instead of a stack trace: of all analyzers on the class path, what the first says that knows. */
public record StartupReport(String description, String action) {

    /** Starts an application that must not start, and reports why. */
    public static StartupReport of(ThrowingCallable start) {
        return of(catchThrowable(start));
    }

    /** Fails if no analyzer understands the failure: then the user gets a stack trace. */
    public static StartupReport of(Throwable failure) {
        assertThat(failure).as("the failure of the start").isNotNull();
        ArgumentResolver arguments = ArgumentResolver.of(BeanFactory.class, new DefaultListableBeanFactory())
                .and(Environment.class, new StandardEnvironment());
        List<FailureAnalyzer> analyzers = new ArrayList<>(
                SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class, arguments));
        // Those that say no order come in the order of the class path, which is not ours to choose.
        Collections.reverse(analyzers);
        AnnotationAwareOrderComparator.sort(analyzers);
        return analyzers.stream()
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
