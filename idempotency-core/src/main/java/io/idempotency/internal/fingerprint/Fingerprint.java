package io.idempotency.internal.fingerprint;

import java.util.Arrays;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/** The fingerprint of a payload: its hash and the version of the algorithm. Immutable. */
public final class Fingerprint {

    private final int version;

    private final byte[] hash;

    /**
     * Creates a fingerprint.
     *
     * @param hash SHA-256, 32 bytes
     */
    public Fingerprint(int version, byte[] hash) {
        this.version = version;
        this.hash = hash.clone();
    }

    /** {@return the version of the algorithm} */
    public int version() {
        return version;
    }

    /** {@return a copy of the hash} */
    public byte[] hash() {
        return hash.clone();
    }

    /**
     * Returns whether two fingerprints certainly belong to different payloads. Fingerprints of different algorithms
     * cannot be compared, so they never contradict.
     *
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
