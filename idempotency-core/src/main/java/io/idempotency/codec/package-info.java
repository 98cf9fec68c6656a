/** How responses become JSON text. */
@NullMarked
package io.idempotency.codec;

import org.jspecify.annotations.NullMarked;
