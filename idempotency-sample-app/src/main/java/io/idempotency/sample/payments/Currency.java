package io.idempotency.sample.payments;

/** The currencies that accounts are kept in. */
public enum Currency {
    EUR
}
