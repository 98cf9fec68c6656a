/**
 * The path of a call, from the outside to the inside: {@link IdempotentCallExecutor} binds it, lets duplicates wait and hands it to
 * {@link TransactionalCallStrategy} or {@link LeasedCallStrategy}; inside the transaction {@link ClaimInTransaction} claims the
 * key, {@link ClaimResultHandler} acts on the result, and the method runs or its response is replayed. Its state is one
 * {@link CallExecution}.
 */
@NullMarked
package io.idempotency.internal.execution;

import org.jspecify.annotations.NullMarked;
