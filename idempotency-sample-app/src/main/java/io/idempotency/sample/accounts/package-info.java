/** Accounts and their balances. */
@NullMarked
package io.idempotency.sample.accounts;

import org.jspecify.annotations.NullMarked;
