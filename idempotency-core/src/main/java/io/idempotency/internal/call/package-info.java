/**
 * The path of a call, from the outside to the inside: {@link IdempotentCallExecutor} binds it, lets duplicates wait and hands it to
 * {@link TransactionalCalls} or to {@link LeasedExecutor}. They make an {@link Attempt}, and another one after a transient failure.
 * Inside the transaction a {@link TransactionalAttempt} claims the key, {@link ClaimResultHandler} acts on the result, and the
 * method runs or its response is replayed. What an attempt leaves to the next one is in the {@link CallExecution}.
 */
@NullMarked
package io.idempotency.internal.call;

import org.jspecify.annotations.NullMarked;
