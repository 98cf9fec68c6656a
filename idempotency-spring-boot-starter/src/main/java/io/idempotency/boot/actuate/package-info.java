/** The Actuator endpoint for operators, and the health of the library's tables. */
@NullMarked
package io.idempotency.boot.actuate;

import org.jspecify.annotations.NullMarked;
