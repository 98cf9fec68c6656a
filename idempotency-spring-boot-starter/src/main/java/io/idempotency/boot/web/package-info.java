/**
 * The {@code Idempotency-Key} header over Spring MVC: keys from requests, faithful replays, problem details and
 * required callers.
 */
@NullMarked
package io.idempotency.boot.web;

import org.jspecify.annotations.NullMarked;
