package io.idempotency.internal.codec;

import java.util.Arrays;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/** Tells one payload from another. Immutable. */
public final class Fingerprint {

    private final int version;

    private final byte[] hash;

    /**
     * A fingerprint that was made or stored before.
     *
     * @param version the algorithm that made the hash
     * @param hash SHA-256, 32 bytes
     */
    public Fingerprint(int version, byte[] hash) {
        this.version = version;
        this.hash = hash.clone();
    }

    /**
     * The algorithm that made the hash.
     *
     * @return its number
     */
    public int version() {
        return version;
    }

    /**
     * The hash.
     *
     * @return a copy
     */
    public byte[] hash() {
        return hash.clone();
    }

    /**
     * Whether two fingerprints are known to be of different payloads. Hashes of different algorithms say nothing about
     * each other, so they never contradict.
     *
     * @param other the fingerprint of another payload
     * @return {@code true} only if both were made by the same algorithm and differ
     */
    public boolean contradicts(Fingerprint other) {
        return version == other.version && !Arrays.equals(hash, other.hash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Fingerprint that && version == that.version && Arrays.equals(hash, that.hash);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(hash);
    }

    @Override
    public String toString() {
        return "v" + version + ":" + HexFormat.of().formatHex(hash);
    }
}
