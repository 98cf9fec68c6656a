/** Calls whose claim is committed before their method runs, the leases that they hold, and their steps. */
@NullMarked
package io.idempotency.internal.lease;

import org.jspecify.annotations.NullMarked;
