/**
 * The path of a call: {@link IdempotentCallExecutor} binds it, lets duplicates wait and hands it to {@link TransactionalCalls} or to
 * {@link LeasedExecutor}. They make an attempt, and another one after a transient failure. An attempt in a transaction claims the key
 * there, and acts on the result: the method runs, or its response is replayed.
 */
@NullMarked
package io.idempotency.internal.call;

import org.jspecify.annotations.NullMarked;
