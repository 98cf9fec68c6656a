/** Hints for native images. */
@NullMarked
package io.idempotency.boot.aot;

import org.jspecify.annotations.NullMarked;
