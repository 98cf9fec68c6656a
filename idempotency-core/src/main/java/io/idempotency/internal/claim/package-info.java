/**
 * The claim of a key: what is asked of the store and what it answers.
 */
@NullMarked
package io.idempotency.internal.claim;

import org.jspecify.annotations.NullMarked;
