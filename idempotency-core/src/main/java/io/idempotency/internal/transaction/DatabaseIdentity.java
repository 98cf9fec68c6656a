package io.idempotency.internal.transaction;

/**
 * The identity of the database of a connection, whatever name, address or pool leads to it.
 *
 * @param systemIdentifier the identifier of the server's data, which its standbys and copies share
 * @param oid the number of the database on its server
 * @param serverStart the start of the server, which tells standbys and copies apart
 * @param role the role of the connection
 * @param schemas the schemas that its statements find tables in
 */
public record DatabaseIdentity(
        String name, String systemIdentifier, long oid, String serverStart, String role, String schemas) {

    /**
     * Compares the data, so that a server that was started again, and a standby, are the same.
     *
     * @return whether both have, or had, the same data
     */
    public boolean hasDataOf(DatabaseIdentity other) {
        return oid == other.oid && systemIdentifier.equals(other.systemIdentifier);
    }

    /** Compares the database. */
    public boolean isDatabaseOf(DatabaseIdentity other) {
        return hasDataOf(other) && serverStart.equals(other.serverStart);
    }
}
