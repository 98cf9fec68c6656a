/** Migrates or validates the library's tables when the application starts. */
@NullMarked
package io.idempotency.boot.flyway;

import org.jspecify.annotations.NullMarked;
