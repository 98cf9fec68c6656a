/**
 * The claim of a key: the interface of the store, with its requests and results.
 */
@NullMarked
package io.idempotency.internal.claim;

import org.jspecify.annotations.NullMarked;
