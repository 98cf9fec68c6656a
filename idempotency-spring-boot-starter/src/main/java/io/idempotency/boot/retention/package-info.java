/** Runs the purge on a thread of its own. */
@NullMarked
package io.idempotency.boot.retention;

import org.jspecify.annotations.NullMarked;
