/** The codec of responses. */
@NullMarked
package io.idempotency.codec;

import org.jspecify.annotations.NullMarked;
