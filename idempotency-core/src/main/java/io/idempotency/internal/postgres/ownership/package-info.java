/** The store of the applications that names belong to. */
@NullMarked
package io.idempotency.internal.postgres.ownership;

import org.jspecify.annotations.NullMarked;
