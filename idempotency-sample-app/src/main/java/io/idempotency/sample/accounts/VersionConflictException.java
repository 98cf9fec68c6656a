package io.idempotency.sample.accounts;

/** Something has happened to the account since whoever asks has looked at it. Whether to ask again is for them to decide. */
public final class VersionConflictException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long expectedVersion;

    private final long currentVersion;

    VersionConflictException(String accountId, long expectedVersion, long currentVersion) {
        super("Account '" + accountId + "' has version " + currentVersion + ", not " + expectedVersion + ".");
        this.expectedVersion = expectedVersion;
        this.currentVersion = currentVersion;
    }

    /**
     * What was expected.
     *
     * @return the version that the command named
     */
    public long expectedVersion() {
        return expectedVersion;
    }

    /**
     * What is.
     *
     * @return the account's newest version
     */
    public long currentVersion() {
        return currentVersion;
    }
}
