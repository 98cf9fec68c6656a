/** The threads that work while the application runs. */
@NullMarked
package io.idempotency.boot.background;

import org.jspecify.annotations.NullMarked;
