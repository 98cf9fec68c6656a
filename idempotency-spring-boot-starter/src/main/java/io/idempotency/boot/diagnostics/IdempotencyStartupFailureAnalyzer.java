package io.idempotency.boot.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import io.idempotency.IdempotencyStartupException;

/** The analyzer of start-up failures, which precedes analyzers that know only the cause. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class IdempotencyStartupFailureAnalyzer extends AbstractFailureAnalyzer<IdempotencyStartupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, IdempotencyStartupException cause) {
        return new FailureAnalysis(cause.problem(), cause.action(), rootFailure);
    }
}
