package io.idempotency.boot.documentation;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.KeyReusedException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.Inbox;
import io.idempotency.outbox.Outbox;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The ways into the library and out of it are gone as the page says, with its statements and its classes. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class MigratingPageTest {

    private static final UUID OLD = UUID.fromString("3f1c7a52-0000-4000-8000-000000000001");

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    private final MarkdownFile page = MarkdownFile.of("migrating.md");

    private JavaExamples examples;

    MigratingPageTest(TestDatabase database) throws IOException {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @BeforeEach
    void load(@TempDir Path classes) throws IOException {
        examples = new JavaExamples(page, classes);
    }

    @AfterEach
    void clear() throws IOException {
        examples.close();
        jdbc.execute("drop schema if exists idempotency cascade; drop schema public cascade; create schema public");
    }

    @Test
    void keysOfATableAreAnsweredBeforeAndAfterTheyAreImported() throws Exception {
        execute("From a table of your own", "-- what the application has");
        addOldKey("asked before the import", OLD, "1 day");
        addOldKey("asked after it", OLD, "1 day");
        addOldKey("expired", OLD, "-1 day");
        jdbc.update("insert into old_key (key) values ('never finished')");

        try (ConfigurableApplicationContext application = start("Payments")) {
            Object payments = application.getBean(examples.type("Payments"));

            assertThat(pay(payments, "asked before the import", 4200)).isEqualTo(receipt(OLD, 4200));
            Object first = pay(payments, "new", 100);
            assertThat(pay(payments, "new", 100)).isEqualTo(first);
            assertThat(jdbc.queryForObject("select response ->> 'cents' from old_key where key = 'new'", Long.class))
                    .as("an old instance answers a key of a new one")
                    .isEqualTo(100);
            assertThatThrownBy(() -> pay(payments, "new", 101)).isInstanceOf(KeyReusedException.class);

            assertThat(importKeys("From a table of your own")).isOne();
            assertThat(importKeys("From a table of your own")).isZero();
            jdbc.execute("drop table old_key");

            assertThat(pay(payments, "asked before the import", 4200)).isEqualTo(receipt(OLD, 4200));
            assertThat(pay(payments, "asked after it", 1)).as("another payload").isEqualTo(receipt(OLD, 4200));
            assertThat(pay(payments, "new", 100)).isEqualTo(first);
            assertThat(count("payment")).isOne();
            assertThat(jdbc.queryForList(
                            "select idempotency_key from idempotency.idempotency_request"
                                    + " where expires_at between now() + interval '23 hours' and now() + interval '1 day'",
                            String.class))
                    .as("an imported key has the time that it had left")
                    .containsExactly("asked after it");
        }
    }

    @Test
    void keysOfRedisAreImported() throws Exception {
        execute("From a table of your own", "-- what the application has");

        try (ConfigurableApplicationContext application = start("Payments")) {
            new NamedParameterJdbcTemplate(jdbc)
                    .update(
                            sql(
                                    "From keys in Redis",
                                    "-- for each key, its response and its time to live in milliseconds"),
                            Map.of(
                                    "key",
                                    "from Redis",
                                    "response",
                                    "{\"id\": \"%s\", \"cents\": 4200}".formatted(OLD),
                                    "ttl",
                                    90 * 60_000));
            assertThat(importKeys("From a table of your own")).isOne();
            jdbc.execute("drop table old_key");

            assertThat(pay(application.getBean(examples.type("Payments")), "from Redis", 4200))
                    .isEqualTo(receipt(OLD, 4200));
            assertThat(count("payment")).isZero();
            assertThat(jdbc.queryForObject(
                            "select expires_at - now() between interval '89 minutes' and interval '90 minutes'"
                                    + " from idempotency.idempotency_request",
                            Boolean.class))
                    .isTrue();
        }
    }

    @Test
    void anImportEndsAtAKeyWhoseResponseHasExpired() throws Exception {
        execute("From a table of your own", "-- what the application has");
        addOldKey("known", OLD, "1 day");

        try (ConfigurableApplicationContext application = start("Payments")) {
            assertThat(application.isRunning()).isTrue();
            assertThat(importKeys("From a table of your own")).isOne();
            jdbc.update("update idempotency.idempotency_request set response_body = null");
            addOldKey("another", OLD, "1 day");

            assertThatThrownBy(() -> importKeys("From a table of your own"))
                    .rootCause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(refused.getSQLState()).isEqualTo("P4011"));
            assertThat(jdbc.queryForList("select idempotency_key from idempotency.idempotency_request", String.class))
                    .containsExactly("known");
        }
    }

    @Test
    void aLibraryWithAFluentServiceIsCalledInside() throws Exception {
        Map<Object, Object> known = new HashMap<>(Map.of("known", OLD));

        try (ConfigurableApplicationContext application = start()) {
            Object refunds =
                    examples.create("Refunds", application.getBean(IdempotencyOperations.class), oldLibrary(known));

            assertThat(refund(refunds, "known")).isEqualTo(OLD);
            Object first = refund(refunds, "new");
            assertThat(known).as("an old instance answers a key of a new one").containsEntry("new", first);
            known.clear();
            assertThat(refund(refunds, "known")).isEqualTo(OLD);
            assertThat(refund(refunds, "new")).isEqualTo(first);
            assertThat(known).isEmpty();
        }
    }

    private Object oldLibrary(Map<Object, Object> known) throws ClassNotFoundException {
        Class<?> type = examples.type("Refunds$OldLibrary");
        Object[] key = new Object[1];
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getName().equals("key")) {
                key[0] = arguments[0];
                return proxy;
            }
            return known.computeIfAbsent(key[0], unknown -> ((Supplier<?>) arguments[1]).get());
        });
    }

    private static Object refund(Object refunds, String key) {
        return ReflectionTestUtils.invokeMethod(refunds, "refund", key, 100L);
    }

    @Test
    void keysOfAUniqueConstraintAreImported() throws Exception {
        execute("From a unique constraint", "-- what the application has");
        jdbc.update("insert into booking (id, request_id, cents) values (?, 'recent', 900)", OLD);
        jdbc.update(
                "insert into booking (request_id, cents, created_at) values ('old', 900, now() - interval '8 days')");

        try (ConfigurableApplicationContext application = start()) {
            assertThat(importKeys("From a unique constraint")).isOne();
            assertThat(importKeys("From a unique constraint")).isZero();

            assertThat(application
                            .getBean(IdempotencyOperations.class)
                            .call("bookings", "recent", "a payload")
                            .returning(Booking.class)
                            .execute(() -> {
                                throw new AssertionError("A known key runs nothing");
                            }))
                    .isEqualTo(new Booking(OLD, 900));
        }
    }

    record Booking(UUID id, long cents) {}

    @Test
    void whoLeavesIsUnprotectedAndMayDropTheTablesWhenNothingIsInThem(CapturedOutput output) {
        jdbc.execute("create table effect (id bigint generated always as identity)");
        try (ConfigurableApplicationContext application = start(Effects.class, "idempotency.enabled=true")) {
            application.getBean(Effects.class).make("key");
            application.getBean(Effects.class).make("key");
            assertThat(count("effect")).isOne();
        }
        jdbc.execute("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                values ('c', 'm', now(), now() + interval '1 day')""");
        assertThat(inTheWay()).containsExactly(1L, 1L, 0L);
        jdbc.update("update idempotency.idempotency_request set expires_at = now()");
        jdbc.update("update idempotency.processed_message set expires_at = now()");
        assertThat(inTheWay()).containsExactly(0L, 0L, 0L);

        try (ConfigurableApplicationContext application = start(Effects.class, "idempotency.enabled=false")) {
            assertThat(output).contains("run unprotected, and each repeat of their calls takes effect again: ");
            for (Class<?> missing : List.of(IdempotencyOperations.class, Inbox.class, Outbox.class)) {
                assertThat(application.getBeansOfType(missing)).isEmpty();
            }
            jdbc.execute("drop schema idempotency cascade");
            application.getBean(Effects.class).make("key");
            application.getBean(Effects.class).make("key");
            assertThat(count("effect")).isEqualTo(3);
        }

        try (ConfigurableApplicationContext application = start(Effects.class, "idempotency.enabled=true")) {
            application.getBean(Effects.class).make("key");
            application.getBean(Effects.class).make("key");
            assertThat(count("effect")).isEqualTo(4);
        }
    }

    private List<Long> inTheWay() {
        return page.section("Leaving").code("sql").stream()
                .map(question -> jdbc.queryForObject(question.code(), Long.class))
                .toList();
    }

    @Service
    static class Effects {

        private final JdbcTemplate jdbc;

        Effects(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "effects", key = "#key")
        public void make(String key) {
            jdbc.update("insert into effect default values");
        }
    }

    private ConfigurableApplicationContext start(String... classes) throws Exception {
        Class<?>[] beans = new Class<?>[classes.length];
        for (int i = 0; i < beans.length; i++) {
            beans[i] = examples.type(classes[i]);
        }
        return examples.start(() -> JdbcTestApplication.start(database, beans, "idempotency.sql-functions=true"));
    }

    private ConfigurableApplicationContext start(Class<?> bean, String property) {
        return JdbcTestApplication.start(database, new Class<?>[] {bean}, property);
    }

    private void execute(String section, String kind) {
        jdbc.execute(sql(section, kind));
    }

    private long importKeys(String section) {
        return jdbc.queryForObject(sql(section, "-- step 2"), Long.class);
    }

    private String sql(String section, String kind) {
        return page.section(section).code("sql").stream()
                .map(MarkdownFile.CodeBlock::code)
                .filter(code -> code.startsWith(kind + "\n"))
                .findFirst()
                .orElseThrow();
    }

    private void addOldKey(String key, UUID id, String timeToLive) {
        jdbc.update(
                "insert into old_key values (?, json_build_object('id', ?, 'cents', 4200), now() + ?::interval)",
                key,
                id,
                timeToLive);
    }

    private static Object pay(Object payments, String key, long cents) {
        return ReflectionTestUtils.invokeMethod(payments, "pay", key, cents);
    }

    private Object receipt(UUID id, long cents) throws ReflectiveOperationException {
        return examples.create("Payments$Receipt", id, cents);
    }

    private long count(String table) {
        return jdbc.queryForObject("select count(*) from " + table, Long.class);
    }
}
