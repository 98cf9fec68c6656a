/** The API for applications: annotations, programmatic calls, outcomes and exceptions. */
@NullMarked
package io.idempotency;

import org.jspecify.annotations.NullMarked;
