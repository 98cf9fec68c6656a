package io.idempotency.sample.provider;

import org.jspecify.annotations.Nullable;

/** Nobody knows whether the provider has sent the money: ask it again with the same key, and take nothing back. */
public final class ProviderUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ProviderUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
