/** Micrometer observations of calls, for traces. */
@NullMarked
package io.idempotency.boot.tracing;

import org.jspecify.annotations.NullMarked;
