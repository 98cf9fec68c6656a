package io.idempotency.sample.provider;

/** The provider has decided: no money was sent for this key, and none will be. */
public final class TransferRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TransferRefusedException(String reason) {
        super(reason);
    }
}
