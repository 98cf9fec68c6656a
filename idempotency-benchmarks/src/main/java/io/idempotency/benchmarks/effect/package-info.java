/** The effect that all contenders have in common. */
@NullMarked
package io.idempotency.benchmarks.effect;

import org.jspecify.annotations.NullMarked;
