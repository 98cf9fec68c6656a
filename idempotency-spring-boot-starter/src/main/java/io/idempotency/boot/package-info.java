/** The auto-configuration of idempotent methods, with the settings of calls and received messages. */
@NullMarked
package io.idempotency.boot;

import org.jspecify.annotations.NullMarked;
