/** What is made of the events of accounts, as their messages come; each projection can be built anew from the start. */
@NullMarked
package io.idempotency.sample.projections;

import org.jspecify.annotations.NullMarked;
