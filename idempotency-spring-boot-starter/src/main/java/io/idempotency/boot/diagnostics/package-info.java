/** Reports what keeps an application from starting, and what to change. */
@NullMarked
package io.idempotency.boot.diagnostics;

import org.jspecify.annotations.NullMarked;
