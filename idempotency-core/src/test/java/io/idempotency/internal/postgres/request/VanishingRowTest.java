package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.postgres.Interleaved;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A row that is purged between the claim that met it and the look at it. */
@PostgresTest
class VanishingRowTest {

    private static final String DELETE = "delete from idempotency.idempotency_request";

    private final TestDatabase database;
    private final ClaimRequest request = request("order-42");
    private final JdbcTemplate admin;

    VanishingRowTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void succeedOnce() throws SQLException {
        admin.execute(DELETE);
        try (Session session = new Session(database)) {
            session.call(request, "1");
        }
    }

    @Test
    void isClaimedAgain() throws SQLException {
        try (Session session =
                new Session(Interleaved.beforeTheQuery(database.connection(), () -> admin.execute(DELETE)))) {
            session.claimGranted(request).complete(request, "2").commit();
        }

        try (Session session = new Session(database)) {
            assertThat(session.claim(request)).isEqualTo(ClaimResult.succeeded("2"));
        }
    }

    @Test
    void thatVanishesEachTimeEndsInAnErrorAndNotInAnEndlessLoop() throws SQLException {
        AtomicInteger looks = new AtomicInteger();
        try (Session other = new Session(database);
                Session session =
                        new Session(Interleaved.before(database.connection(), () -> other.call(request, "1"), () -> {
                            looks.incrementAndGet();
                            admin.execute(DELETE);
                        }))) {
            assertThatThrownBy(() -> session.claim(request))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("order-42", "vanished 10 times");
        }
        assertThat(looks).hasValue(10);
    }
}
