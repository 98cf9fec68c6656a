/** Reports of failures at start-up, with what to change. */
@NullMarked
package io.idempotency.boot.diagnostics;

import org.jspecify.annotations.NullMarked;
