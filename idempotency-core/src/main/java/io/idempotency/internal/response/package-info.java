/** The stored form of responses and arguments, and the check that it reads back unchanged. */
@NullMarked
package io.idempotency.internal.response;

import org.jspecify.annotations.NullMarked;
