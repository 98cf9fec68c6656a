/** A small wallet: payments that are made once, however often they are asked for. */
@NullMarked
package io.idempotency.sample;

import org.jspecify.annotations.NullMarked;
