/**
 * Responses as JSON text and payloads as fingerprints.
 */
@NullMarked
package io.idempotency.codec;

import org.jspecify.annotations.NullMarked;
