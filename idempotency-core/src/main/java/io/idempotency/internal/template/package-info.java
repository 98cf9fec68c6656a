/** Programmatic calls, on the same path as calls of annotated methods. */
@NullMarked
package io.idempotency.internal.template;

import org.jspecify.annotations.NullMarked;
