package io.idempotency.boot.logging;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

import io.idempotency.internal.interceptor.IdempotentBeanVerifier;
import io.idempotency.internal.operation.CallOperation;

/** The line that tells, when the application has started, what of it is idempotent. */
final class StartupSummary implements ApplicationListener<ContextRefreshedEvent> {

    static final String STARTUP = "io.idempotency.startup";

    private static final String LAZY = "spring.main.lazy-initialization";

    private final Logger logger = LoggerFactory.getLogger(STARTUP);

    private final ApplicationContext application;

    private final ObjectProvider<IdempotentBeanVerifier> methods;

    private final ObjectProvider<SummaryPart> others;

    StartupSummary(
            ApplicationContext application,
            ObjectProvider<IdempotentBeanVerifier> methods,
            ObjectProvider<SummaryPart> others) {
        this.application = application;
        this.methods = methods;
        this.others = others;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent refreshed) {
        if (refreshed.getApplicationContext() == application && logger.isInfoEnabled()) {
            methods.ifAvailable(verifier -> logger.info("Idempotency{}: {}", soFar(), all(verifier)));
        }
    }

    /** Tells that the endpoints of lazy beans are not known yet. */
    private String soFar() {
        return application.getEnvironment().getProperty(LAZY, Boolean.class, false) ? " so far, with " + LAZY : "";
    }

    private String all(IdempotentBeanVerifier verifier) {
        return Stream.concat(
                        Stream.of(SummaryPart.count(
                                verifier.count(CallOperation.KIND), "idempotent method", "idempotent methods")),
                        others.orderedStream().map(SummaryPart::text))
                .collect(Collectors.joining(", "));
    }
}
