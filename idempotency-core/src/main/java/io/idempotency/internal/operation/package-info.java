/** Immutable operations, which are parsed once from annotated methods, and the rules for them. */
@NullMarked
package io.idempotency.internal.operation;

import org.jspecify.annotations.NullMarked;
