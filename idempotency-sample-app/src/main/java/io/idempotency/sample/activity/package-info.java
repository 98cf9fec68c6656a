/** How much is paid from each account, counted from messages. */
@NullMarked
package io.idempotency.sample.activity;

import org.jspecify.annotations.NullMarked;
