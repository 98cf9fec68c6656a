/**
 * The idempotent receiver: messages that are delivered at least once are handled once, in order where order matters.
 *
 * @see <a href="https://www.enterpriseintegrationpatterns.com/patterns/messaging/IdempotentReceiver.html">Idempotent
 *     Receiver</a>
 */
@NullMarked
package io.idempotency.inbox;

import org.jspecify.annotations.NullMarked;
