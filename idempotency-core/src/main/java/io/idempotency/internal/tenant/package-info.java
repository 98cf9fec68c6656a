/** The databases of an application that has several, such as one for each tenant. */
@NullMarked
package io.idempotency.internal.tenant;

import org.jspecify.annotations.NullMarked;
