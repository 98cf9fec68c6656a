/**
 * Every SQL statement of the library, a class a table, with the migrations beside it.
 */
@NullMarked
package io.idempotency.internal.postgres;

import org.jspecify.annotations.NullMarked;
