/** The library's events as Micrometer meters. */
@NullMarked
package io.idempotency.boot.metrics;

import org.jspecify.annotations.NullMarked;
