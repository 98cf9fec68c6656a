/** What the starter adds to the inbox. */
@NullMarked
package io.idempotency.boot.inbox;

import org.jspecify.annotations.NullMarked;
