/** A pretend payment provider, which honours idempotency keys and loses answers, and the client that calls it. */
@NullMarked
package io.idempotency.sample.provider;

import org.jspecify.annotations.NullMarked;
