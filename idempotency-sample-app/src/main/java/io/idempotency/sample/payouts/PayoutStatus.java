package io.idempotency.sample.payouts;

/** What became of a payout. */
enum PayoutStatus {

    /** The money has left the account, and nobody knows yet whether the provider has sent it. */
    PENDING,

    /** The provider has sent the money. */
    PAID,

    /** The provider will not send it; the money is put back. */
    REFUSED
}
