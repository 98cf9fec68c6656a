/** The SQL that runs, for whoever wants to see it. */
@NullMarked
package io.idempotency.sample.sql;

import org.jspecify.annotations.NullMarked;
