package io.idempotency.sample.accounts;

/** There is no such account. */
public final class UnknownAccountException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownAccountException(String accountId) {
        super("There is no account '" + accountId + "'.");
    }
}
