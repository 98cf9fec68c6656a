/** Deliveries over HTTP, such as webhooks: the problems that their senders get, and the check that their keys are used. */
@NullMarked
package io.idempotency.boot.messaging.web;

import org.jspecify.annotations.NullMarked;
