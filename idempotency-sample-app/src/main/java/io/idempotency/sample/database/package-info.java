/** The PostgreSQL server that the sample brings along. */
@NullMarked
package io.idempotency.sample.database;

import org.jspecify.annotations.NullMarked;
