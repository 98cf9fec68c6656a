/**
 * Events of the library and the listener that receives them.
 */
@NullMarked
package io.idempotency.observation;

import org.jspecify.annotations.NullMarked;
