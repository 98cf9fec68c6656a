/** Measurements without a database, with JMH. */
@NullMarked
package io.idempotency.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
