package io.idempotency.internal.call.attempt;

import javax.sql.DataSource;

import io.idempotency.FailureTranslator;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.transaction.JoinedTransactions;

/** The collaborators and settings that all calls have in common. */
public record CallParts(
        ClaimStore store,
        JoinedTransactions transactions,
        DataSource dataSource,
        ResponseMapper responses,
        FailureTranslator failureTranslator,
        CallSettings settings) {}
