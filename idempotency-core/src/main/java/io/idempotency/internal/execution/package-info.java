/**
 * How a call runs: the boundary round its transaction and the claim inside it.
 */
@NullMarked
package io.idempotency.internal.execution;

import org.jspecify.annotations.NullMarked;
