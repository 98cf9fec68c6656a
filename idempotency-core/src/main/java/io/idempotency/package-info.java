/**
 * What an application uses: the annotation, its programmatic twin, the outcome of a call and the exceptions.
 */
@NullMarked
package io.idempotency;

import org.jspecify.annotations.NullMarked;
