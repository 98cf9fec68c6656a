/**
 * Annotated methods read once into immutable operations, and the rules they must keep.
 */
@NullMarked
package io.idempotency.internal.operation;

import org.jspecify.annotations.NullMarked;
