/** The transaction manager that sends the completion of a call together with the COMMIT. */
@NullMarked
package io.idempotency.boot.transaction;

import org.jspecify.annotations.NullMarked;
