/** What documents made by springdoc say of keys. */
@NullMarked
package io.idempotency.boot.openapi;

import org.jspecify.annotations.NullMarked;
