/** One execution of a call and its attempts: the claim, the method and the completion in the transaction of the method. */
@NullMarked
package io.idempotency.internal.call.attempt;

import org.jspecify.annotations.NullMarked;
