package io.idempotency.boot.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import io.idempotency.IdempotencyStartupException;

/** Reports the problem and the action of a start-up failure, before analyzers that know only its cause. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class IdempotencyStartupFailureAnalyzer extends AbstractFailureAnalyzer<IdempotencyStartupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, IdempotencyStartupException cause) {
        return new FailureAnalysis(cause.problem(), cause.action(), rootFailure);
    }
}
