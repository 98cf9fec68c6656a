package io.idempotency.sample.accounts;

/** The account does not hold as much as was to be paid. */
public final class InsufficientFundsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InsufficientFundsException(String accountId, long amountCents) {
        super("Account '" + accountId + "' does not hold " + amountCents + " cents.");
    }
}
