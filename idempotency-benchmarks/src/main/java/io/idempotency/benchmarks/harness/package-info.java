/** Runs contenders in turns, each in an application and on a database of its own, and compares their throughput. */
@NullMarked
package io.idempotency.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
