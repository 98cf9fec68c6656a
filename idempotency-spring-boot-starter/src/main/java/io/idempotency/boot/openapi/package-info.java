/** Keys in documents that springdoc makes. */
@NullMarked
package io.idempotency.boot.openapi;

import org.jspecify.annotations.NullMarked;
