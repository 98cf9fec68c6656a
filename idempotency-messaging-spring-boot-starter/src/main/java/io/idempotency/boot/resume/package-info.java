/** Leased calls that an instance finishes without their callers. */
@NullMarked
package io.idempotency.boot.resume;

import org.jspecify.annotations.NullMarked;
