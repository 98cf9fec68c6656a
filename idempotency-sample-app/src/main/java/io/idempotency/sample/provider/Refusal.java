package io.idempotency.sample.provider;

import java.util.Objects;

/** Why the provider has not done what it was asked for. */
record Refusal(String message) {

    /** What says less is no refusal. */
    Refusal {
        Objects.requireNonNull(message);
    }
}
