/**
 * The factory of the storage. Every SQL statement on the tables of the library is in a package below this one.
 */
@NullMarked
package io.idempotency.internal.postgres;

import org.jspecify.annotations.NullMarked;
