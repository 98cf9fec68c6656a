/** What the page at {@code /} needs: attempts made at once, faults on request, and a stream of what came of them. */
@NullMarked
package io.idempotency.sample.demo;

import org.jspecify.annotations.NullMarked;
