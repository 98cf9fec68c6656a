package io.idempotency.sample.accounts;

/** There is such an account already. */
public final class AccountExistsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    AccountExistsException(String accountId) {
        super("There is an account '" + accountId + "' already.");
    }
}
