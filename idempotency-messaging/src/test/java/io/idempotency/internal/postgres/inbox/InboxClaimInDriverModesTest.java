package io.idempotency.internal.postgres.inbox;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.internal.inbox.InboxClaim;
import io.idempotency.internal.inbox.InboxMessage;
import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.EachDriverMode;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Deliveries.event;
import static io.idempotency.internal.postgres.Deliveries.message;
import static io.idempotency.internal.postgres.Deliveries.messageWithPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/** Messages and batches meet the same, and leave the application's timeout alone, however the driver sends statements. */
@PostgresTest
@EachDriverMode
@Tag("full")
class InboxClaimInDriverModesTest {

    private static final InboxClaim ANY = new InboxClaim(Instant.EPOCH, null);

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    private static final Duration SHORT = Duration.ofMillis(150);

    @Parameter
    private String driverSetting;

    private final TestDatabase database;
    private Deliveries deliveries;

    InboxClaimInDriverModesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() throws SQLException {
        deliveries = new Deliveries(EachDriverMode.Connections.open(database, driverSetting));
        deliveries.execute("set statement_timeout = '7s'").commit();
    }

    @AfterEach
    void close() throws SQLException {
        deliveries.close();
        database.jdbc()
                .execute("truncate idempotency.processed_message, idempotency.message_failure,"
                        + " idempotency.stream_position");
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void messagesOfEveryKind(String isolation) throws SQLException {
        deliveries
                .execute("set session characteristics as transaction isolation level " + isolation)
                .commit();
        for (int i = 0; i < CALLS; i++) {
            String id = "m-" + i;
            deliveries.recordFailureAndCommit(messageWithPayload(id, "a"), "code", "message");
            assertMeets(InboxResult.taken(1, ANY), messageWithPayload(id, "a"));
            assertMeets(InboxResult.of(InboxResult.Kind.DUPLICATE), messageWithPayload(id, "a"));
            assertMeets(InboxResult.of(InboxResult.Kind.CONFLICT), messageWithPayload(id, "b"));
            assertMeets(InboxResult.gap(1), event("s-" + i, 2, DeliveryOrder.STRICT));
            assertMeets(InboxResult.taken(0, ANY), event("s-" + i, 1, DeliveryOrder.STRICT));
            assertMeets(InboxResult.taken(0, ANY), event("s-" + i, 5, DeliveryOrder.MONOTONIC));
            assertMeets(InboxResult.of(InboxResult.Kind.LATE), event("s-" + i, 4, DeliveryOrder.MONOTONIC));
        }
        assertThat(database.jdbc().queryForList("select 1 from idempotency.message_failure"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void batches(String isolation) throws SQLException {
        deliveries
                .execute("set session characteristics as transaction isolation level " + isolation)
                .commit();
        for (int i = 0; i < CALLS; i++) {
            int from = 50 * i;
            List<String> ids =
                    IntStream.range(from, from + 100).mapToObj(id -> "m-" + id).toList();
            deliveries.recordFailureAndCommit(message("m-" + (from + 99)), "code", "message");

            assertThat(deliveries.claimNew(ids)).hasSize(i == 0 ? 100 : 50);

            assertThat(setting()).isEqualTo("7s");
            deliveries.commit();
            assertThat(setting()).isEqualTo("7s");
            deliveries.commit();
        }
        assertThat(database.jdbc().queryForList("select 1 from idempotency.message_failure"))
                .isEmpty();
    }

    @Test
    void waitsAreBoundAndTheSettingIsBackAfterTheRollback() throws SQLException {
        try (Deliveries holder = new Deliveries(EachDriverMode.Connections.open(database, driverSetting))) {
            holder.claim(message("m-1"));
            holder.claim(event("s", 1, DeliveryOrder.MONOTONIC));

            for (int i = 0; i < 3; i++) {
                assertWaitEnds(
                        () -> assertThat(deliveries.claim(message("m-1"), SHORT).kind())
                                .isEqualTo(InboxResult.Kind.IN_PROGRESS));
                assertWaitEnds(() -> assertThat(deliveries
                                .claim(event("s", 2, DeliveryOrder.MONOTONIC), SHORT)
                                .kind())
                        .isEqualTo(InboxResult.Kind.IN_PROGRESS));
                assertWaitEnds(() -> assertThat((Throwable) deliveries
                                .claimBatch(List.of("m-0", "m-1"), SHORT)
                                .waitEnded())
                        .isNotNull());
            }
        }
    }

    /** Before the application's own timeout would end it. */
    private void assertWaitEnds(Executable waiting) throws SQLException {
        assertTimeout(Duration.ofSeconds(5), waiting);
        deliveries.rollback();
        assertThat(setting()).isEqualTo("7s");
    }

    private void assertMeets(InboxResult expected, InboxMessage receipt) throws SQLException {
        assertThat(deliveries.claim(receipt))
                .usingRecursiveComparison()
                .ignoringFields("claim")
                .isEqualTo(expected);
        assertThat(setting()).isEqualTo("7s");
        if (expected.kind() == InboxResult.Kind.GAP) {
            deliveries.rollback();
        } else {
            deliveries.commit();
        }
        assertThat(setting()).isEqualTo("7s");
        deliveries.rollback();
    }

    private String setting() throws SQLException {
        return deliveries.query("select current_setting('statement_timeout')");
    }
}
