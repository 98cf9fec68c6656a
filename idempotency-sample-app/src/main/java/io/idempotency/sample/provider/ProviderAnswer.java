package io.idempotency.sample.provider;

/** What the provider answers, the same each time that it is asked with the same key. */
record ProviderAnswer(int status, Object body) {

    static final int CREATED = 201;

    static final int REFUSED = 402;

    static final int KEY_REUSED = 422;

    static ProviderAnswer of(Transfer transfer) {
        return new ProviderAnswer(CREATED, transfer);
    }

    static ProviderAnswer of(int status, String message) {
        return new ProviderAnswer(status, new Refusal(message));
    }
}
