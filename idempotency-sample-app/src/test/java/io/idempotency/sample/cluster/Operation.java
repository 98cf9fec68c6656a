package io.idempotency.sample.cluster;

/** What clients of the cluster ask for. */
enum Operation {
    OPENING("account-openings", "account-openings", "opened", 1),
    PAYMENT("payments", "payments", "paid", -1),
    DEPOSIT("deposits", "deposits", "deposited", 1),
    WITHDRAWAL("withdrawals", "withdrawals", "withdrawn", -1),
    PAYOUT("payouts", "payout-withdrawals", "payout", -1);

    /** Of the returns of payouts. */
    static final String RETURN_SCOPE = "payout-returns";

    private final String scope;

    private final String eventScope;

    private final String eventType;

    private final int sign;

    Operation(String scope, String eventScope, String eventType, int sign) {
        this.scope = scope;
        this.eventScope = eventScope;
        this.eventType = eventType;
        this.sign = sign;
    }

    /** Of its keys. */
    String scope() {
        return scope;
    }

    /** Under which its event is recorded: that of a payout has a key of its own. */
    String eventScope() {
        return eventScope;
    }

    String eventType() {
        return eventType;
    }

    /** What its event adds to the account. */
    long signed(long amountCents) {
        return sign * amountCents;
    }
}
