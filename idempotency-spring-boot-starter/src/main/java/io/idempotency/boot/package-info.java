/** The auto-configuration of idempotent methods and programmatic calls, with their settings. */
@NullMarked
package io.idempotency.boot;

import org.jspecify.annotations.NullMarked;
