package io.idempotency.boot.rabbit;

import com.rabbitmq.client.BlockedListener;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionListener;

/**
 * The state of the connection that a factory has opened last. A broker that is out of memory or disk says that it blocks a
 * connection, and reads nothing more from it until it is unblocked or lost.
 *
 * @see <a href="https://www.rabbitmq.com/docs/connection-blocked">Blocked connections</a>
 */
final class PublisherConnection implements ConnectionListener {

    private volatile State state = new State(null);

    @Override
    public void onCreate(@Nullable Connection connection) {
        State created = new State(connection);
        state = created;
        if (connection != null) {
            connection.addBlockedListener(created);
        }
    }

    State state() {
        return state;
    }

    /** Returns why the broker takes no messages; null if it does, or if another connection has to be opened anyway. */
    @Nullable String blockedBecause() {
        State current = state;
        return current.isOpen() ? current.reason : null;
    }

    /** The state of one connection. */
    static final class State implements BlockedListener {

        private final @Nullable Connection connection;

        private volatile @Nullable String reason;

        private State(@Nullable Connection connection) {
            this.connection = connection;
        }

        boolean isOpen() {
            return connection != null && connection.isOpen();
        }

        @Override
        public void handleBlocked(String reason) {
            this.reason = reason;
        }

        @Override
        public void handleUnblocked() {
            reason = null;
        }
    }
}
