package io.idempotency.boot.contract;

import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.contract.EveryFeature.Order;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** With {@code synchronous_commit = off} a crash of the server loses nothing that anybody acts on. */
@ContractTest
@NotOnCitus
class DurableCommitTest {

    private static final List<String> TABLES =
            List.of("idempotency_request", "processed_message", "message_failure", "stream_position", "outbox_event");

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final ContractApplication application;

    private final ContractApplication strict;

    private final EveryFeature features;

    private String key = "";

    DurableCommitTest(ContractApplications applications) {
        database = applications.database();
        admin = database.jdbc();
        admin.execute(EveryFeature.TABLES);
        admin.execute("create table if not exists commit_note (key text, what text, setting text)");
        admin.execute("""
                create or replace function note_commit() returns trigger language plpgsql as $$
                begin
                    insert into public.commit_note values (
                        to_jsonb(new) ->> tg_argv[0], tg_table_name, current_setting('synchronous_commit'));
                    return null;
                end
                $$""");
        TABLES.forEach(table -> admin.execute("""
                drop trigger if exists note_commit on idempotency.%1$s;
                create constraint trigger note_commit after insert or update on idempotency.%1$s
                    deferrable initially deferred for each row execute function public.note_commit('%2$s')""".formatted(table, columnOf(table))));
        application = start(applications, "off");
        strict = start(applications, "remote_apply");
        features = application.bean(EveryFeature.class);
    }

    @BeforeEach
    void newKey() {
        key = UUID.randomUUID().toString();
    }

    private static String columnOf(String table) {
        return switch (table) {
            case "idempotency_request" -> "idempotency_key";
            case "outbox_event" -> "ordering_key";
            case "stream_position" -> "stream_id";
            default -> "message_id";
        };
    }

    private static ContractApplication start(ContractApplications applications, String setting) {
        return applications.start(
                List.of(EveryFeature.class, EveryFeature.Configured.class),
                "spring.datasource.hikari.connection-init-sql=set synchronous_commit = " + setting,
                "idempotency.outbox.relay=false");
    }

    static Stream<Arguments> kinds() {
        return Stream.of(
                kind("call", (features, key) -> features.call(key, Order.example())),
                kind("call without a response", EveryFeature::callWithoutResponse),
                kind("optimistic call", EveryFeature::callOptimistically),
                kind("write", EveryFeature::writeAtOnce),
                kind("leased call with steps", (features, key) -> features.lease(key, Order.example())),
                kind("leased call in a transaction", EveryFeature::leaseInTransaction),
                kind(
                        "failure of a resumable call",
                        (features, key) -> assertThatThrownBy(() -> features.resume(key, Order.example()))
                                .hasMessage("provider down")),
                kind(
                        "final failure",
                        (features, key) -> assertThatThrownBy(() -> features.failFinally(key))
                                .hasMessage("no")),
                kind("message", (features, key) -> features.receive(key, Order.example())),
                kind("publishing", EveryFeature::publish));
    }

    private static Arguments kind(String name, BiConsumer<EveryFeature, String> use) {
        return arguments(name, use);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void eachIsCommittedDurably(String name, BiConsumer<EveryFeature, String> use) {
        use.accept(features, key);

        assertThat(settings()).isNotEmpty().containsOnly("on");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void noneIsCommittedLessDurablyThanItsSessionAsks(String name, BiConsumer<EveryFeature, String> use) {
        use.accept(strict.bean(EveryFeature.class), key);

        assertThat(settings()).isNotEmpty().containsOnly("remote_apply");
    }

    @Test
    void aTransactionThatWantsLessMaySaySo() {
        application.transaction().executeWithoutResult(transaction -> {
            features.call(key, Order.example());
            application.bean(JdbcTemplate.class).execute("set local synchronous_commit = off");
        });

        assertThat(settings()).containsOnly("off");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idempotency.idempotency_claim('sql', '%1$s', '\\x%2$s', 'me')",
                "idempotency.idempotency_claim('sql', '%1$s', '\\x%2$s', 'me', 60)",
                "idempotency.idempotency_consume('sql', '%1$s')",
                "idempotency.idempotency_advance('sql', '%1$s', 1)",
                "idempotency.idempotency_advance_strictly('sql', '%1$s', 1)",
                "idempotency.idempotency_publish('orders', 'Order', '{}', '%1$s')",
                "idempotency.idempotency_succeed('sql', '%1$s', (select claim_token from idempotency.idempotency_request"
                        + " where idempotency_key = '%1$s'))"
            })
    void soAreTransactionsInSql(String call) {
        if (call.contains("succeed")) {
            admin.execute(resolved("select idempotency.idempotency_claim('sql', '%1$s', '\\x%2$s', 'me', 60)"));
            admin.execute("truncate commit_note");
        }
        application.bean(JdbcTemplate.class).execute(resolved("select " + call));

        assertThat(settings()).isNotEmpty().containsOnly("on");
    }

    private String resolved(String sql) {
        return sql.replace("%1$s", key).replace("%2$s", "00".repeat(32));
    }

    private List<String> settings() {
        return admin.queryForList("select setting from commit_note where key = ?", String.class, key);
    }

    /** The server keeps for ten seconds in memory what is not committed synchronously, and loses it with a crash. */
    @Test
    @Tag("full")
    @Tag("race")
    void whatWasActedOnSurvivesACrash() {
        assumeThat(database.server().canRestart()).isTrue();
        admin.execute("alter system set wal_writer_delay = '10s'");
        admin.execute("select pg_reload_conf()");
        try {
            kinds().forEach(kind -> crashAfter(kind.get()));
        } finally {
            admin.execute("alter system reset wal_writer_delay");
            admin.execute("select pg_reload_conf()");
        }
    }

    @SuppressWarnings("unchecked")
    private void crashAfter(Object[] kind) {
        String used = UUID.randomUUID().toString();
        ((BiConsumer<EveryFeature, String>) kind[1]).accept(features, used);
        List<String> before = rowsOf(used);
        application.bean(JdbcTemplate.class).update("insert into feature values (?, 'a control')", used);
        database.crashServer();
        application.bean(HikariDataSource.class).getHikariPoolMXBean().softEvictConnections();

        List<String> after = Awaitility.await().ignoreExceptions().until(() -> rowsOf(used), rows -> true);
        assertThat(after).as("%s", kind[0]).isNotEmpty().isEqualTo(before);
    }

    private List<String> rowsOf(String used) {
        return admin.queryForList(
                "select 'request ' || status from idempotency.idempotency_request where idempotency_key = ?1 union all"
                                .replace("?1", "'" + used + "'")
                        + " select 'message ' || consumer from idempotency.processed_message where message_id = '"
                        + used
                        + "' union all select 'outbox ' || status from idempotency.outbox_event where '" + used
                        + "' in (ordering_key, idempotency_key) union all select effect from feature where key = '"
                        + used
                        + "' and effect <> 'a control' order by 1",
                String.class);
    }
}
