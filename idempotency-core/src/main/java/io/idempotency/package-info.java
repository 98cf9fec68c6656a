/** The API for applications: the annotation, programmatic calls, outcomes, exceptions and the administration of calls. */
@NullMarked
package io.idempotency;

import org.jspecify.annotations.NullMarked;
