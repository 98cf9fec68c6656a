/** Support of springdoc. */
@NullMarked
package io.idempotency.boot.openapi;

import org.jspecify.annotations.NullMarked;
