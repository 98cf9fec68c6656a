package io.idempotency.sample.payouts;

import org.jspecify.annotations.Nullable;

/** The provider will not send the money, and it is back on the account. */
final class PayoutRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PayoutRefusedException(@Nullable String reason) {
        super(reason);
    }
}
