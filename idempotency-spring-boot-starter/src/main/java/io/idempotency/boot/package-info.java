/** Auto-configuration of idempotent methods and the properties that an application sets. */
@NullMarked
package io.idempotency.boot;

import org.jspecify.annotations.NullMarked;
