/** Auto-configuration of what the features of messages have in common. */
@NullMarked
package io.idempotency.boot.messaging;

import org.jspecify.annotations.NullMarked;
