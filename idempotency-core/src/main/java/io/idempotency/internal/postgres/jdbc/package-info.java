/**
 * The means by which the statements reach PostgreSQL: connections, parameters, columns, bounded waits and failures.
 */
@NullMarked
package io.idempotency.internal.postgres.jdbc;

import org.jspecify.annotations.NullMarked;
