/** Checks of the properties as they are written, before and beside their binding. */
@NullMarked
package io.idempotency.boot.properties;

import org.jspecify.annotations.NullMarked;
