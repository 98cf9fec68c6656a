/** The warning about open-in-view in applications with JPA. */
@NullMarked
package io.idempotency.boot.jpa;

import org.jspecify.annotations.NullMarked;
