package io.idempotency.codec;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

import io.idempotency.PayloadNotFingerprintableException;

/**
 * Makes fingerprints: SHA-256 over the version of the algorithm and the canonical JSON of a payload, written by the
 * application's own mapper. Members that this mapper hides from JSON do not count.
 */
public final class Fingerprinter {

    /** The algorithm in use: a byte with this number, then the canonical JSON in UTF-8. */
    public static final int VERSION = 1;

    private final ObjectMapper mapper;

    private final VisibleProperties visibleProperties;

    /**
     * Creates the fingerprinter.
     *
     * @param mapper writes payloads as JSON
     */
    public Fingerprinter(ObjectMapper mapper) {
        this.mapper = mapper;
        this.visibleProperties = new VisibleProperties(mapper);
    }

    /**
     * The fingerprint of one payload.
     *
     * @param payload any value that can be written as JSON, or {@code null}
     * @return its fingerprint
     * @throws PayloadNotFingerprintableException if it cannot be written, or shows nothing to JSON
     */
    public Fingerprint of(@Nullable Object payload) {
        requireData(payload);
        return hash(payload);
    }

    /**
     * The fingerprint of a method's arguments. Trailing nulls do not count, so that a new optional argument changes
     * nothing for calls that do not use it.
     *
     * @param arguments the arguments in their order
     * @return their fingerprint
     * @throws PayloadNotFingerprintableException if one of them cannot be written, or shows nothing to JSON
     */
    public Fingerprint ofArguments(@Nullable Object[] arguments) {
        int length = arguments.length;
        while (length > 0 && arguments[length - 1] == null) {
            length--;
        }
        @Nullable Object[] significant = Arrays.copyOf(arguments, length);
        for (Object argument : significant) {
            requireData(argument);
        }
        return hash(significant);
    }

    private void requireData(@Nullable Object payload) {
        if (payload == null || payload instanceof Map<?, ?> || payload instanceof JsonNode) {
            return;
        }
        if (visibleProperties.noneOf(payload.getClass())) {
            throw new PayloadNotFingerprintableException(
                    "A payload of type " + payload.getClass().getName()
                            + " shows nothing to JSON, so all its values would have the same fingerprint: give its class"
                            + " readable properties, or name what counts with fingerprint = \"...\"",
                    null);
        }
    }

    private Fingerprint hash(@Nullable Object payload) {
        try {
            return new Fingerprint(VERSION, sha256(CanonicalJson.of(mapper.writeValueAsString(payload))));
        } catch (JacksonException notWritable) {
            throw new PayloadNotFingerprintableException(
                    "The payload cannot be written as JSON: name what counts with fingerprint = \"...\"", notWritable);
        }
    }

    private static byte[] sha256(String canonicalJson) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((byte) VERSION);
            return digest.digest(canonicalJson.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
