/** The tables of messages, and the maintenance of their partitions on a thread of its own. */
@NullMarked
package io.idempotency.boot.messaging.storage;

import org.jspecify.annotations.NullMarked;
