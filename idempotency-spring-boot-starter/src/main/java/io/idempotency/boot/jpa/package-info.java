/** A warning for applications with JPA. */
@NullMarked
package io.idempotency.boot.jpa;

import org.jspecify.annotations.NullMarked;
