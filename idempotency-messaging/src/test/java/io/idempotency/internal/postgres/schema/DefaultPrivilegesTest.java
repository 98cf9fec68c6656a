package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.outbox.NewMessage;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.retention.PurgeLease;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where default privileges keep PUBLIC from executing what the owner of the tables creates, the application's role executes its
 * statements all the same. PostgreSQL asks for the right to each function in them, even in branches that are not taken.
 */
@PostgresTest(empty = true)
@Tag("full")
class DefaultPrivilegesTest {

    private static final String PASSWORD = "secret";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final String owner;

    private final String application;

    DefaultPrivilegesTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.owner = "owner_" + database.name();
        this.application = "plain_" + database.name();
    }

    @BeforeEach
    void migrate() {
        admin.execute("""
                create role %1$s login password '%3$s';
                create role %2$s login password '%3$s';
                grant create on database %4$s to %1$s;
                alter default privileges for role %1$s revoke execute on functions from public""".formatted(owner, application, PASSWORD, database.name()));
        storage().schema().migrate(as(owner), connection -> MigratedTables.migrate(connection, MigratedTables.SCHEMA));
    }

    @AfterEach
    void dropEverything() {
        admin.execute("""
                drop owned by %1$s cascade;
                drop owned by %2$s;
                drop role %1$s;
                drop role %2$s""".formatted(owner, application));
    }

    @Test
    void callsAreAnsweredAndArchived() throws SQLException {
        ClaimRequest request = Requests.request("order-42");
        try (Session session = new Session(as(application))) {
            assertThat(session.call(request, "7")).isEqualTo(Requests.GRANTED);
            assertThat(session.call(request, "8")).isEqualTo(ClaimResult.succeeded("7"));
        }
        admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");

        PurgeLease lease = storage().purgeStore("test", true).begin(Duration.ZERO);
        assertThat(lease.tables().stream()
                        .mapToInt(table -> table.deleteExpired(10).orElseThrow())
                        .sum())
                .isEqualTo(1);

        assertThat(admin.queryForList(
                        "select response_body::text from idempotency.idempotency_request_archive", String.class))
                .containsExactly("7");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void messagesAreReceivedOnce(boolean inPartitions) throws SQLException {
        if (inPartitions) {
            new JdbcTemplate(as(owner))
                    .execute("select idempotency.partition_processed_message(now() - interval '1 day',"
                            + " now() + interval '1 day')");
        }
        try (Deliveries deliveries = new Deliveries(as(application))) {
            assertThat(deliveries.claimAndCommit(Deliveries.message("m-1"))).isEqualTo(InboxResult.Kind.NEW);
            assertThat(deliveries.claimAndCommit(Deliveries.message("m-1"))).isEqualTo(InboxResult.Kind.DUPLICATE);
            assertThat(deliveries.claimNew(List.of("m-1", "m-2"))).containsExactly("m-2");
            deliveries.commit();
        }
    }

    @Test
    void messagesArePublishedOnce() throws SQLException {
        OutboxStore outbox = new PostgresMessageStorage(as(application), MigratedTables.SCHEMA)
                .outboxStore(Duration.ofDays(3), "shop");
        try (Session session = new Session(as(application))) {
            UUID first = outbox.record(session.connection(), message());
            assertThat(outbox.record(session.connection(), message())).isEqualTo(first);
            session.commit();
        }
    }

    private static NewMessage message() {
        OutboxMessage message = OutboxMessage.of("orders", "OrderPlaced")
                .withoutPayload()
                .deduplicationKey("order-42")
                .build();
        return new NewMessage(UUID.randomUUID(), message, 0, "1", Map.of(), null);
    }

    private PostgresStorage storage() {
        return MigratedTables.storage(as(application), MigratedTables.SCHEMA);
    }

    private DataSource as(String role) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(role);
        dataSource.setPassword(PASSWORD);
        return dataSource;
    }
}
