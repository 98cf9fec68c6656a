package io.idempotency.internal.transaction;

/**
 * The identity of the database of a connection, whatever name, address or pool leads to it.
 *
 * @param name the name of the database on its server
 * @param systemIdentifier the identifier of the server's data, which its standbys and copies share
 * @param oid the number of the database on its server
 * @param serverStart the start of the server, which tells copies apart
 */
public record DatabaseIdentity(String name, String systemIdentifier, long oid, String serverStart) {

    /**
     * Compares the data, so that a server that was started again, and a standby, are the same.
     *
     * @param other another database
     * @return whether both have, or had, the same data
     */
    public boolean hasDataOf(DatabaseIdentity other) {
        return oid == other.oid && systemIdentifier.equals(other.systemIdentifier);
    }
}
