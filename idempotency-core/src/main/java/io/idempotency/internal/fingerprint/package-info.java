/** Canonical JSON of payloads, and the fingerprints that are computed from it. */
@NullMarked
package io.idempotency.internal.fingerprint;

import org.jspecify.annotations.NullMarked;
