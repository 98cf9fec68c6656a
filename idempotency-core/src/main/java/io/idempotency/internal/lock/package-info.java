/** The store of locks. */
@NullMarked
package io.idempotency.internal.lock;

import org.jspecify.annotations.NullMarked;
