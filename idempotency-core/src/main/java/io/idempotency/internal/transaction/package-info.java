/**
 * The transactions of a call: the one that it joins or opens, the library's own, the checks before a COMMIT, and its result.
 */
@NullMarked
package io.idempotency.internal.transaction;

import org.jspecify.annotations.NullMarked;
