package io.idempotency.boot.contract;

import java.util.Map;
import java.util.UUID;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.LeaseLostException;
import io.idempotency.boot.JdbcTestApplication;

/**
 * The main class of an instance that begins calls as fast as it can, each with a new key and never twice, and resumes what others have
 * begun. It ends when it is killed.
 */
final class ResumingJvm {

    private static final int CLIENTS = 6;

    private ResumingJvm() {}

    public static void main(String[] properties) {
        ConfigurableApplicationContext context =
                JdbcTestApplication.start(Map.of(), new Class<?>[] {Trips.class}, properties);
        Trips trips = context.getBean(Trips.class);
        for (int client = 0; client < CLIENTS; client++) {
            new Thread(() -> bookForEver(trips), "client-" + client).start();
        }
    }

    private static void bookForEver(Trips trips) {
        while (true) {
            try {
                trips.book("trip-" + UUID.randomUUID());
            } catch (LeaseLostException slow) {
                // Another instance finishes this one.
            }
        }
    }

    static class Trips {

        static final String TABLES = """
                create table provider_call (trip text, step text, downstream_key text);
                create table trip_effect (trip text, step text)""";

        private final JdbcTemplate jdbc;

        Trips(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(scope = "trips", key = "#key", mode = IdempotencyMode.LEASED, lease = "3s", resume = true)
        public String book(String key) {
            IdempotencyContext call = IdempotencyContext.current();
            String room = call.step("reserve", String.class, () -> callProvider(key, "reserve"));
            call.stepInTransaction("charge", () -> write(key, "charge"));
            call.step("ship", () -> callProvider(key, "ship"));
            call.stepInTransaction("book", () -> write(key, "book"));
            return room;
        }

        /** Returns another answer for each call. */
        private String callProvider(String trip, String step) {
            jdbc.update(
                    "insert into provider_call values (?, ?, ?)",
                    trip,
                    step,
                    IdempotencyContext.current().downstreamKey());
            return UUID.randomUUID().toString();
        }

        private void write(String trip, String step) {
            jdbc.update("insert into trip_effect values (?, ?)", trip, step);
        }
    }
}
