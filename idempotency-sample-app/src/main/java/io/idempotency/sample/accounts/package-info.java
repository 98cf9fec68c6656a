/** Accounts as what happened to them: commands, and the events that they make. */
@NullMarked
package io.idempotency.sample.accounts;

import org.jspecify.annotations.NullMarked;
