package io.idempotency.boot.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import io.idempotency.IdempotencyStartupException;

/** Shows what is wrong and what to change, before others who know only the cause: a missing bean, for example. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class IdempotencyStartupFailureAnalyzer extends AbstractFailureAnalyzer<IdempotencyStartupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, IdempotencyStartupException cause) {
        return new FailureAnalysis(cause.problem(), cause.action(), rootFailure);
    }
}
