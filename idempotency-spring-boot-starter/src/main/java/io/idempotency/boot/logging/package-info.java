/** The library's events as lines of a log. */
@NullMarked
package io.idempotency.boot.logging;

import org.jspecify.annotations.NullMarked;
