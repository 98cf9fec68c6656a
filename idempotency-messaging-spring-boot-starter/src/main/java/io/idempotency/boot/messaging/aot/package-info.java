/** Ahead-of-time processing of receivers and handlers. */
@NullMarked
package io.idempotency.boot.messaging.aot;

import org.jspecify.annotations.NullMarked;
