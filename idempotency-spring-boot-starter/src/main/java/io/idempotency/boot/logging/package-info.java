/** Log lines for the library's events. */
@NullMarked
package io.idempotency.boot.logging;

import org.jspecify.annotations.NullMarked;
