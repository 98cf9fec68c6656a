package io.idempotency.sample.cluster;

import io.idempotency.sample.cluster.FinalState.Event;

/**
 * What a client wants: the same however often it is sent. A key stands for one command in all scopes.
 *
 * @param expectedVersion of the account, or {@code null} if any will do
 */
record Command(String key, Operation operation, String accountId, long amountCents, Long expectedVersion) {

    /** Under which the provider knows a payout. */
    String transferKey() {
        return DerivedKey.of(operation.scope(), key, "transfer");
    }

    /** Returns whether an event of this command says that the money of a refused payout came back. */
    boolean isReturn(Event event) {
        return operation == Operation.PAYOUT && event.type().equals(Event.PAYOUT_RETURNED);
    }
}
