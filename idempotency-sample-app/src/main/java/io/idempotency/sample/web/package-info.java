/** Errors as problem details (RFC 9457). */
@NullMarked
package io.idempotency.sample.web;

import org.jspecify.annotations.NullMarked;
