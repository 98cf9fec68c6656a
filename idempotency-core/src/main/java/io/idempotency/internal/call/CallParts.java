package io.idempotency.internal.call;

import javax.sql.DataSource;

import io.idempotency.FailureTranslator;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.transaction.JoinedTransactions;

/**
 * The collaborators and settings that all calls have in common.
 *
 * @param store claims keys and stores responses
 * @param transactions finds or opens the transaction of a call
 * @param dataSource the DataSource of the store
 * @param responses writes and reads stored responses
 * @param failures translates failures to codes, and recorded ones to exceptions
 * @param settings the settings of all calls
 */
public record CallParts(
        ClaimStore store,
        JoinedTransactions transactions,
        DataSource dataSource,
        ResponseMapper responses,
        FailureTranslator failures,
        CallSettings settings) {}
