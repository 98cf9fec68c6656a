/** Leased calls that are run again without their callers, after their processes have ended. */
@NullMarked
package io.idempotency.internal.resume;

import org.jspecify.annotations.NullMarked;
