/** The loop of each thread that works while the application runs. */
@NullMarked
package io.idempotency.boot.background;

import org.jspecify.annotations.NullMarked;
