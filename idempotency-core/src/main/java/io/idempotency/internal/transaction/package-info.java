/** Transactions of the library's own, beside those of the application. */
@NullMarked
package io.idempotency.internal.transaction;

import org.jspecify.annotations.NullMarked;
