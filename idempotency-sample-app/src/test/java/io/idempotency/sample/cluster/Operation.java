package io.idempotency.sample.cluster;

/** What clients of the cluster ask for. */
enum Operation {
    OPENING("account-openings", "opened", 1),
    PAYMENT("payments", "paid", -1),
    DEPOSIT("deposits", "deposited", 1),
    WITHDRAWAL("withdrawals", "withdrawn", -1),
    PAYOUT("payouts", "payout", -1);

    private final String scope;

    private final String eventType;

    private final int sign;

    Operation(String scope, String eventType, int sign) {
        this.scope = scope;
        this.eventType = eventType;
        this.sign = sign;
    }

    /** Returns the scope of its keys, which its events have, too. */
    String scope() {
        return scope;
    }

    String eventType() {
        return eventType;
    }

    /** What its event adds to the account. */
    long signed(long amountCents) {
        return sign * amountCents;
    }
}
