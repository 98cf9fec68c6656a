package io.idempotency.sample.payouts;

/** The account did not hold as much as was to be paid out. */
final class NotEnoughForPayoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotEnoughForPayoutException(String accountId, long amountCents) {
        super("Account '" + accountId + "' did not hold " + amountCents + " cents.");
    }
}
