/** Reports of failures at start-up, with the action to take. */
@NullMarked
package io.idempotency.boot.diagnostics;

import org.jspecify.annotations.NullMarked;
