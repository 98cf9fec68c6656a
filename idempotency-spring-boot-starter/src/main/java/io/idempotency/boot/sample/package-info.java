/** The parts of the library that are sampled, as the endpoint, health and gauges show them. */
@NullMarked
package io.idempotency.boot.sample;

import org.jspecify.annotations.NullMarked;
