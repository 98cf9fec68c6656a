/**
 * A test kit that proves methods of an application idempotent. It repeats, races and breaks them, and compares what the database
 * committed and what callers were answered.
 */
@NullMarked
package io.idempotency.proof;

import org.jspecify.annotations.NullMarked;
