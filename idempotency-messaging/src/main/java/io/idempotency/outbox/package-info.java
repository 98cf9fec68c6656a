/**
 * The transactional outbox: a message commits with its effect and is sent afterwards.
 *
 * @see <a href="https://microservices.io/patterns/data/transactional-outbox.html">Transactional outbox</a>
 */
@NullMarked
package io.idempotency.outbox;

import org.jspecify.annotations.NullMarked;
