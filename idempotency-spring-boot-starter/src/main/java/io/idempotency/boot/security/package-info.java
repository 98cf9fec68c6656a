/** Callers by Spring Security, so that users do not share keys. */
@NullMarked
package io.idempotency.boot.security;

import org.jspecify.annotations.NullMarked;
