/** The library's events of calls and tables, the listener that receives them, and the observer of calls. */
@NullMarked
package io.idempotency.observation;

import org.jspecify.annotations.NullMarked;
