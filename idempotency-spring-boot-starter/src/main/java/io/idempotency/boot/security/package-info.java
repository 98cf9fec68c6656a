/** Callers by Spring Security, in applications of every kind: no user meets another's keys. */
@NullMarked
package io.idempotency.boot.security;

import org.jspecify.annotations.NullMarked;
