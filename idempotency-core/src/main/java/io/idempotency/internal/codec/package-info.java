/** Canonical JSON, fingerprints of payloads, and the codec of responses. */
@NullMarked
package io.idempotency.internal.codec;

import org.jspecify.annotations.NullMarked;
