/** What applications with JPA ought to know. */
@NullMarked
package io.idempotency.boot.jpa;

import org.jspecify.annotations.NullMarked;
