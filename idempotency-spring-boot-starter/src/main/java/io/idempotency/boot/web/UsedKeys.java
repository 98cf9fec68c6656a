package io.idempotency.boot.web;

/** Learns which keys were used, so that it can warn of a request whose key nothing has used. */
public interface UsedKeys {

    /**
     * Takes note of a use.
     *
     * @param key the key that was used, which may contain that of a request
     */
    void used(String key);
}
