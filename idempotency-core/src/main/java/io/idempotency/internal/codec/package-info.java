/** Canonical JSON, fingerprints of payloads, and responses as JSON. */
@NullMarked
package io.idempotency.internal.codec;

import org.jspecify.annotations.NullMarked;
