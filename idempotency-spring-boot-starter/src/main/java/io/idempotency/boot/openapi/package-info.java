/** The header, the problems and the replays of operations with a key, as springdoc publishes them. */
@NullMarked
package io.idempotency.boot.openapi;

import org.jspecify.annotations.NullMarked;
