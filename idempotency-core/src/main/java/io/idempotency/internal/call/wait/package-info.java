/** The waits of a call: for duplicates in this JVM, and within the time that its caller allows. */
@NullMarked
package io.idempotency.internal.call.wait;

import org.jspecify.annotations.NullMarked;
