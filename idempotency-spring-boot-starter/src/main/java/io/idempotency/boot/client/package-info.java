/** Requests to other systems: their {@code Idempotency-Key}, and repeats of those that got no answer. */
@NullMarked
package io.idempotency.boot.client;

import org.jspecify.annotations.NullMarked;
