/** The claims of keys: the interfaces of their stores, with requests and results, and the decision about a stored request. */
@NullMarked
package io.idempotency.internal.claim;

import org.jspecify.annotations.NullMarked;
