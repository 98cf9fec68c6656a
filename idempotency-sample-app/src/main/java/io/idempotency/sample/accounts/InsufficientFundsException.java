package io.idempotency.sample.accounts;

/** The account does not hold as much as was to be taken from it. */
public final class InsufficientFundsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What it is recorded as. */
    static final String CODE = "insufficient_funds";

    InsufficientFundsException(String accountId, long amountCents) {
        this("Account '" + accountId + "' does not hold " + amountCents + " cents.");
    }

    /** As it was recorded. */
    InsufficientFundsException(String message) {
        super(message);
    }
}
