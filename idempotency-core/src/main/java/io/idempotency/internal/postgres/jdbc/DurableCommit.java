package io.idempotency.internal.postgres.jdbc;

/**
 * The commit of a transaction on which something outside of the database may rely: a provider that is called, a message that is sent
 * or acknowledged, a caller who gets an answer. A crash of the server must not undo it.
 */
public final class DurableCommit {

    /**
     * An expression that lets the open transaction be committed durably, whatever the default of the session is. It never weakens
     * {@code remote_apply}, and a transaction that wants less can still say so afterwards.
     */
    public static final String SET =
            "case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', true) end";

    private DurableCommit() {}
}
