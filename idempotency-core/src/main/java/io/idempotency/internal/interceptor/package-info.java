/** The interceptor of idempotent methods, and the start-up checks of the proxies that have it. */
@NullMarked
package io.idempotency.internal.interceptor;

import org.jspecify.annotations.NullMarked;
