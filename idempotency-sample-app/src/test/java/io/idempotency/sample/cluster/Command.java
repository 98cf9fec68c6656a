package io.idempotency.sample.cluster;

/**
 * What a client wants: the same however often it is sent. A key stands for one command in all scopes.
 *
 * @param expectedVersion of the account, or {@code null} if any will do
 */
record Command(String key, Operation operation, String accountId, long amountCents, Long expectedVersion) {

    /** The key under which its event was recorded: that of a payout is derived from it. */
    String eventKey() {
        return operation == Operation.PAYOUT ? derivedKey("withdrawal") : key;
    }

    /** Under which the provider knows a payout. */
    String transferKey() {
        return derivedKey("transfer");
    }

    /** Under which a refused payout was put back. */
    String returnKey() {
        return derivedKey("return");
    }

    private String derivedKey(String name) {
        return DerivedKey.of(operation.scope(), key, name);
    }
}
