/**
 * The {@code Idempotency-Key} header over Spring MVC: keys from requests, faithful replays, problem details, and callers
 * that never meet each other's keys.
 */
@NullMarked
package io.idempotency.boot.web;

import org.jspecify.annotations.NullMarked;
