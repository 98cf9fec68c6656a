package io.idempotency.boot.security;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A caller who may not call a method learns nothing from its key and leaves nothing at it, in any mode. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MethodSecurityTest {

    private final TestDatabase database;

    @AutoClose
    private final ConfigurableApplicationContext application;

    private final Vault vault;

    private final Events events;

    MethodSecurityTest(TestDatabase database) {
        this.database = database;
        database.jdbc().execute("create table withdrawal (id uuid primary key)");
        this.application = JdbcTestApplication.start(
                database,
                new Class<?>[] {MethodSecurity.class, Vault.class, Events.class},
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=2000");
        this.vault = application.getBean(Vault.class);
        this.events = application.getBean(Events.class);
    }

    @AfterEach
    void clear() {
        SecurityContextHolder.clearContext();
        events.clear();
        vault.whileWithdrawing(() -> {});
        database.jdbc().execute("truncate withdrawal, idempotency.idempotency_request");
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedCallerClaimsNothingAndTakesNoConnection(IdempotencyMode mode) throws SQLException {
        callAs("GUEST");

        try (Connection theOnlyOne = application.getBean(HikariDataSource.class).getConnection()) {
            assertThat(theOnlyOne.isClosed()).isFalse();
            assertRefused(mode);
        }

        assertThat(requests()).isEmpty();
        assertThat(withdrawals()).isZero();
        assertThat(events.outcomes()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedCallerIsShownNoStoredResponse(IdempotencyMode mode) {
        callAs("OWNER");
        String stored = withdraw(mode);
        List<Map<String, Object>> before = requests();
        events.clear();

        callAs("GUEST");
        assertRefused(mode);

        assertThat(requests()).isEqualTo(before);
        assertThat(events.outcomes()).isEmpty();
        callAs("OWNER");
        assertThat(withdraw(mode)).isEqualTo(stored);
        assertThat(withdrawals()).isOne();
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedCallerDoesNotWaitForTheOneThatHoldsTheKey(IdempotencyMode mode) {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        vault.whileWithdrawing(() -> {
            held.countDown();
            await(mayEnd);
        });
        ConcurrentCalls<String> holder = ConcurrentCalls.start(1, () -> {
            callAs("OWNER");
            return withdraw(mode);
        });
        await(held);
        try {
            callAs("GUEST");
            assertRefused(mode);
            assertThat(holder.isDone()).isFalse();
            assertThat(events.outcomes()).isEmpty();
        } finally {
            mayEnd.countDown();
        }

        holder.await().requireAllSucceeded();
        assertThat(events.outcomes()).containsExactly(Outcome.EXECUTED);
        assertThat(withdrawals()).isOne();
    }

    private void assertRefused(IdempotencyMode mode) {
        assertThatThrownBy(() -> withdraw(mode)).isInstanceOf(AccessDeniedException.class);
    }

    private String withdraw(IdempotencyMode mode) {
        return switch (mode) {
            case TRANSACTIONAL -> vault.withdraw("key");
            case OPTIMISTIC -> vault.withdrawOptimistically("key");
            case LEASED -> vault.withdrawLeased("key");
        };
    }

    private static void callAs(String role) {
        SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken("somebody", "password", "ROLE_" + role));
    }

    private List<Map<String, Object>> requests() {
        return database.jdbc().queryForList("select r::text, attempt_count from idempotency.idempotency_request r");
    }

    private long withdrawals() {
        return database.jdbc().queryForObject("select count(*) from withdrawal", Long.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class MethodSecurity {}

    static class Vault {

        private final JdbcTemplate jdbc;

        private volatile Runnable whileWithdrawing = () -> {};

        Vault(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        void whileWithdrawing(Runnable action) {
            whileWithdrawing = action;
        }

        @PreAuthorize("hasRole('OWNER')")
        @Transactional
        @Idempotent(scope = "withdrawals", key = "#key")
        public String withdraw(String key) {
            return makeEffect();
        }

        @PreAuthorize("hasRole('OWNER')")
        @Transactional
        @Idempotent(scope = "optimistic-withdrawals", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String withdrawOptimistically(String key) {
            return makeEffect();
        }

        @PreAuthorize("hasRole('OWNER')")
        @Transactional
        @Idempotent(scope = "leased-withdrawals", key = "#key", mode = IdempotencyMode.LEASED)
        public String withdrawLeased(String key) {
            return makeEffect();
        }

        private String makeEffect() {
            String id = jdbc.queryForObject(
                    "insert into withdrawal values (gen_random_uuid()) returning id::text", String.class);
            whileWithdrawing.run();
            return id;
        }
    }

    static class Events implements IdempotencyListener {

        private final List<Outcome> outcomes = new CopyOnWriteArrayList<>();

        @Override
        public void callCompleted(CallCompleted event) {
            outcomes.add(event.outcome());
        }

        List<Outcome> outcomes() {
            return List.copyOf(outcomes);
        }

        void clear() {
            outcomes.clear();
        }
    }
}
