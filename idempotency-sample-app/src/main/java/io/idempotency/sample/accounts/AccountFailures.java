package io.idempotency.sample.accounts;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

import io.idempotency.FailureTranslator;
import io.idempotency.RecordedFailureException;

/** Gives a repeat of what has failed for good the failure that the first request got. */
@Component
class AccountFailures implements FailureTranslator {

    @Override
    public String codeOf(Throwable failure) {
        return failure instanceof InsufficientFundsException
                ? InsufficientFundsException.CODE
                : FailureTranslator.super.codeOf(failure);
    }

    @Override
    public @Nullable Exception toException(RecordedFailureException failure) {
        return failure.code().equals(InsufficientFundsException.CODE)
                ? new InsufficientFundsException(failure.recordedMessage())
                : null;
    }
}
