/** The renewal of leases while their calls run. */
@NullMarked
package io.idempotency.boot.lease;

import org.jspecify.annotations.NullMarked;
