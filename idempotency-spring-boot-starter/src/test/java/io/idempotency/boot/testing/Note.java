package io.idempotency.boot.testing;

/**
 * One effect of a {@link Notebook}: no two executions give the same one.
 *
 * @param id of the row that was written
 * @param text what was to be written
 * @param xid the transaction that wrote it
 * @param backend the connection that wrote it, as PostgreSQL's process id
 */
public record Note(long id, String text, String xid, int backend) {}
