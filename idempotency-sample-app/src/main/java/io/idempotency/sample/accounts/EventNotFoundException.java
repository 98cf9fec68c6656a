package io.idempotency.sample.accounts;

/** The account has no such event. */
public final class EventNotFoundException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EventNotFoundException(String accountId, long version) {
        super("Account '" + accountId + "' has no event with version " + version + ".");
    }
}
