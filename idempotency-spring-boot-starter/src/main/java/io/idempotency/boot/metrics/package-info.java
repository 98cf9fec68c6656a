/** Micrometer meters for the library's events. */
@NullMarked
package io.idempotency.boot.metrics;

import org.jspecify.annotations.NullMarked;
