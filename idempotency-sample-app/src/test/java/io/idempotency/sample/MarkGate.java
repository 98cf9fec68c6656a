package io.idempotency.sample;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import io.idempotency.test.TestDatabase;

/**
 * Keeps one relay from saying which messages of payments it has sent for as long as it is closed, so that a kill surely finds
 * some that have arrived and are not marked. A batch of nothing but other messages passes: of that nobody would see anything.
 */
final class MarkGate {

    private static final String INSTALL = """
            create or replace function pass_mark_gate() returns trigger language plpgsql as $$
            begin
                perform pg_advisory_xact_lock_shared(hashtext(current_setting('application_name')));
                return new;
            end $$;
            create or replace trigger mark_gate after update on idempotency.outbox_event
                for each row when (new.status = 'sent' and new.topic = '%s') execute function pass_mark_gate()""".formatted(PaymentMessages.TOPIC);

    private final TestDatabase database;

    private MarkGate(TestDatabase database) {
        this.database = database;
    }

    static MarkGate install(TestDatabase database) {
        database.jdbc().execute(INSTALL);
        return new MarkGate(database);
    }

    /** @param relay by the name of its connections */
    void whileClosedFor(String relay, Action action) throws Exception {
        try (Connection connection = database.connection()) {
            close(connection, relay);
            action.run();
        }
    }

    /** It opens with the end of the connection. */
    private static void close(Connection connection, String relay) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement("select pg_advisory_lock(hashtext(?))")) {
            lock.setString(1, relay);
            lock.execute();
        }
    }

    interface Action {

        void run() throws Exception;
    }
}
