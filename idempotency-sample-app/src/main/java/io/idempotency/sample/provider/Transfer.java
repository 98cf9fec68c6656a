package io.idempotency.sample.provider;

import java.util.Objects;
import java.util.UUID;

/** Money that the provider has sent. */
public record Transfer(UUID transferId, String account, long amountCents) {

    /** What says less is no transfer. */
    public Transfer {
        Objects.requireNonNull(transferId);
        Objects.requireNonNull(account);
    }
}
