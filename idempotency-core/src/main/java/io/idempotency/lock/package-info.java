/** Locks on what no row stands for, for as long as a transaction lasts. */
@NullMarked
package io.idempotency.lock;

import org.jspecify.annotations.NullMarked;
