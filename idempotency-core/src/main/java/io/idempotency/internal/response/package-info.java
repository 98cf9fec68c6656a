/** What is stored of a response, and how it is read back unchanged. */
@NullMarked
package io.idempotency.internal.response;

import org.jspecify.annotations.NullMarked;
