/** Transaction-scoped advisory locks. */
@NullMarked
package io.idempotency.lock;

import org.jspecify.annotations.NullMarked;
