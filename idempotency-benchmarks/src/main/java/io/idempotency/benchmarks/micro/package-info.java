/** What needs no database, measured with JMH. */
@NullMarked
package io.idempotency.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
