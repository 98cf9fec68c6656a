/**
 * JDBC for all stores: connections, parameters, columns, bounded waits and failures.
 */
@NullMarked
package io.idempotency.internal.postgres.jdbc;

import org.jspecify.annotations.NullMarked;
