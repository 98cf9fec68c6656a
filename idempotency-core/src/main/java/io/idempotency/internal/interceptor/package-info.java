/** The adapters to Spring AOP: two interceptors and the two post-processors that place them. */
@NullMarked
package io.idempotency.internal.interceptor;

import org.jspecify.annotations.NullMarked;
