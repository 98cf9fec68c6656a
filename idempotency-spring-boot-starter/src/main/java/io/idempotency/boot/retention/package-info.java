/** The purge of expired rows and the samples of the tables, each on its own thread. */
@NullMarked
package io.idempotency.boot.retention;

import org.jspecify.annotations.NullMarked;
