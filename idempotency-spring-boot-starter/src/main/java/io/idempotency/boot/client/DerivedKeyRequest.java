package io.idempotency.boot.client;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

import io.idempotency.internal.fingerprint.Digests;

/**
 * A request whose key was derived.
 *
 * @param content digest of query and body, on which the key does not depend
 * @param succeeded whether it had an answer that is no error
 */
record DerivedKeyRequest(String content, boolean succeeded) {

    static String digest(URI uri, byte[] body) {
        MessageDigest digest = Digests.create("SHA-256");
        digest.update(String.valueOf(uri.getRawQuery()).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest.digest(body));
    }

    /** A request that is sent again after it succeeded is another one that happens to be equal. */
    boolean mayBeSentAgain(String otherContent) {
        return !succeeded && content.equals(otherContent);
    }
}
