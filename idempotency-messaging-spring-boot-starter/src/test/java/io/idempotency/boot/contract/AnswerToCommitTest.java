package io.idempotency.boot.contract;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.boot.testing.RunTimeNames;
import io.idempotency.inbox.Inbox;
import io.idempotency.internal.postgres.jdbc.MultiStatement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What {@code Connection.commit()} throws, and what has become of the transaction by then, with each manager. */
@ContractTest
class AnswerToCommitTest {

    private final Map<TransactionKind, ContractApplication> applications;

    AnswerToCommitTest(ContractApplications applications) {
        this.applications = TransactionKind.startEach(
                List.of(TransactionKind.DATA_SOURCE, TransactionKind.JDBC, TransactionKind.JPA),
                applications.with(Breaking.class),
                Shop.class,
                "idempotency.retry.delay=5ms");
        this.applications.values().forEach(each -> RunTimeNames.record(each.context(), "consumer", "inbox"));
    }

    @AfterEach
    void clear() {
        for (ContractApplication each : applications.values()) {
            each.bean(Shop.class).reset();
            breaking(each).broken.set(0);
        }
    }

    /** The exception of the COMMIT, and the state of the connection after it. */
    enum Kind {
        /** As a driver does that fails over: what it had begun is unknown, and the connection is another one. */
        RECONNECTED(true) {
            @Override
            Throwable failure() {
                return new SQLException("Transaction resolution unknown", "08007");
            }
        },
        FATAL_OF_NO_KNOWN_STATE {
            @Override
            Throwable failure() {
                return answer("FATAL", "XX000");
            }
        },
        FATAL_AFTER_A_TIMEOUT {
            @Override
            Throwable failure() {
                return answer("FATAL", "25P04");
            }
        },
        PANIC_WITHOUT_DISK {
            @Override
            Throwable failure() {
                return answer("PANIC", "53100");
            }
        },
        FATAL_IN_ANOTHER_LANGUAGE {
            @Override
            Throwable failure() {
                return answer("ВАЖНО", "53100");
            }
        },
        RUNTIME_EXCEPTION {
            @Override
            Throwable failure() {
                return new IllegalStateException("on purpose");
            }
        },
        ERROR {
            @Override
            Throwable failure() {
                return new LinkageError("on purpose");
            }
        };

        private final boolean isReconnected;

        Kind() {
            this(false);
        }

        Kind(boolean isReconnected) {
            this.isReconnected = isReconnected;
        }

        abstract Throwable failure();

        private static SQLException answer(String severity, String sqlState) {
            return new PSQLException(
                    new ServerErrorMessage("S" + severity + "\0C" + sqlState + "\0Mthe session ends\0"));
        }

        private boolean closesConnection() {
            return failure() instanceof PSQLException;
        }
    }

    static Stream<Arguments> failures() {
        return Stream.of(TransactionKind.DATA_SOURCE, TransactionKind.JDBC, TransactionKind.JPA)
                .flatMap(manager -> Stream.of(Kind.values()).map(kind -> Arguments.of(manager, kind)));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whatWasCommittedIsFound(TransactionKind manager, Kind kind) {
        ContractApplication application = applications.get(manager);
        Shop shop = application.bean(Shop.class);

        breaking(application).next(kind, true);
        assertThat(shop.sell("repeated")).isEqualTo("sold in execution 1");
        breaking(application).next(kind, true);
        assertThat(shop.sellOnce("once")).isEqualTo("sold in execution 2");

        assertThat(breaking(application).broken).hasValue(2);
        assertThat(application.effects()).isEqualTo(2);
        assertThat(application.outcomes().all()).containsExactly(Outcome.REPLAYED, Outcome.REPLAYED);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whatWasNotCommittedIsRepeated(TransactionKind manager, Kind kind) {
        ContractApplication application = applications.get(manager);
        Shop shop = application.bean(Shop.class);

        breaking(application).next(kind, false);
        assertThat(shop.sell("repeated")).isEqualTo("sold in execution 2");
        breaking(application).next(kind, false);
        assertThatThrownBy(() -> shop.sellOnce("once")).isNotNull();

        assertThat(breaking(application).broken).hasValue(2);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.requests()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.FAILED);
    }

    /** A server that has refused the COMMIT has rolled back, and the session goes on. */
    @ParameterizedTest
    @EnumSource(names = {"DATA_SOURCE", "JDBC", "JPA"})
    void anErrorIsAnAnswer(TransactionKind manager) {
        ContractApplication application = applications.get(manager);
        application
                .database()
                .jdbc()
                .execute("create or replace function refuse() returns trigger language plpgsql as $$ begin"
                        + " raise 'no room' using errcode = '53100'; end $$;"
                        + " create constraint trigger refuse after insert on payment deferrable initially deferred"
                        + " for each row execute function refuse()");
        try {
            assertThatThrownBy(() -> application.bean(Shop.class).sell("key")).hasStackTraceContaining("no room");
        } finally {
            application.database().jdbc().execute("drop trigger refuse on payment");
        }

        assertThat(application.bean(Shop.class).executions()).isEqualTo(1);
        assertThat(application.outcomes().retries()).isEmpty();
        assertThat(application.requests()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void whatTheLibraryHasCommittedItselfIsFound(Kind kind) {
        ContractApplication application = applications.get(TransactionKind.JDBC);
        Shop shop = application.bean(Shop.class);
        for (boolean isCommitted : new boolean[] {true, false}) {
            String key = "key-" + isCommitted;
            shop.beforeReturnDo(() -> breaking(application).next(kind, isCommitted));

            int execution = shop.executions() + 1;
            assertThat(shop.sellOutside(key)).isEqualTo("sold in execution " + execution);

            assertThat(shop.sellOutside(key)).isEqualTo("sold in execution " + execution);
            assertThat(application.request(key)).containsEntry("status", "succeeded");
        }
        assertThat(breaking(application).broken).hasValue(2);
        assertThat(application.effects()).isEqualTo(2);
    }

    /** The claim is the first message with a COMMIT, and the completion the second one. */
    @ParameterizedTest
    @EnumSource
    void aLeaseThatWasCommittedIsFound(Kind kind) {
        ContractApplication application = applications.get(TransactionKind.JDBC);
        Shop shop = application.bean(Shop.class);
        for (boolean isCommitted : new boolean[] {true, false}) {
            breaking(application).next(kind, isCommitted);

            assertThat(shop.sellUnderALease("key-" + isCommitted)).isEqualTo("sold in execution " + shop.executions());
        }
        assertThat(breaking(application).broken).hasValue(2);
        assertThat(application.effects()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void aStepThatWasCommittedIsFound(Kind kind) {
        ContractApplication application = applications.get(TransactionKind.JDBC);
        Shop shop = application.bean(Shop.class);
        shop.beforeReturnDo(() -> breaking(application).next(kind, true));

        assertThat(shop.sellInAStep("key")).isEqualTo("sold in execution 1");

        assertThat(breaking(application).broken).hasValue(1);
        assertThat(application.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aMessageThatWasCommittedIsNoDuplicate(TransactionKind manager, Kind kind) {
        ContractApplication application = applications.get(manager);
        Inbox inbox = application.bean(Inbox.class);
        Shop shop = application.bean(Shop.class);
        breaking(application).next(kind, true);

        assertThat(inbox.handleOnce("inbox", "id", shop::makeEffect)).isTrue();

        assertThat(inbox.handleOnce("inbox", "id", shop::makeEffect)).isFalse();
        assertThat(breaking(application).broken).hasValue(1);
        assertThat(application.effects()).isEqualTo(1);
    }

    private static Breaking breaking(ContractApplication application) {
        return application.bean(Breaking.class);
    }

    /** Makes one commit fail. */
    static class Breaking implements BeanPostProcessor {

        private final AtomicInteger broken = new AtomicInteger();

        private final AtomicReference<@Nullable Kind> next = new AtomicReference<>();

        private volatile boolean isCommitted;

        void next(Kind kind, boolean commits) {
            isCommitted = commits;
            next.set(kind);
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource dataSource
                    ? new DelegatingDataSource(dataSource) {
                        @Override
                        public Connection getConnection() throws SQLException {
                            return breakable(dataSource, super.getConnection());
                        }
                    }
                    : bean;
        }

        private Connection breakable(DataSource dataSource, Connection first) {
            AtomicReference<Connection> connection = new AtomicReference<>(first);
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("commit")) {
                            breakNext(connection, dataSource, () -> {});
                        }
                        Object result = invoke(method, connection.get(), arguments);
                        return result instanceof PreparedStatement statement
                                        && arguments[0].toString().endsWith(MultiStatement.COMMIT)
                                ? breakable(dataSource, connection, statement)
                                : result;
                    });
        }

        /** A message that ends with its COMMIT. */
        private PreparedStatement breakable(
                DataSource dataSource, AtomicReference<Connection> connection, PreparedStatement statement) {
            return (PreparedStatement) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {PreparedStatement.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("execute")) {
                            breakNext(connection, dataSource, statement::execute);
                        }
                        return invoke(method, statement, arguments);
                    });
        }

        private static @Nullable Object invoke(Method method, Object target, @Nullable Object[] arguments)
                throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }

        private void breakNext(AtomicReference<Connection> connection, DataSource dataSource, Sending message)
                throws Throwable {
            Kind kind = next.getAndSet(null);
            if (kind != null) {
                broken.incrementAndGet();
                if (isCommitted) {
                    message.send();
                }
                end(connection, kind, dataSource);
                throw kind.failure();
            }
        }

        private void end(AtomicReference<Connection> connection, Kind kind, DataSource dataSource) throws SQLException {
            Connection before = connection.get();
            if (isCommitted) {
                before.commit();
            } else if (kind.isReconnected || kind.closesConnection()) {
                before.rollback();
            }
            if (kind.isReconnected) {
                connection.set(dataSource.getConnection());
                before.close();
            } else if (kind.closesConnection()) {
                before.unwrap(BaseConnection.class).close();
            }
        }
    }

    @FunctionalInterface
    private interface Sending {

        void send() throws SQLException;
    }

    static class Shop extends PayingBean {

        private volatile Runnable beforeReturn = () -> {};

        /** Does this in the next executions, before they return. */
        void beforeReturnDo(Runnable action) {
            beforeReturn = action;
        }

        @Override
        void reset() {
            beforeReturn = () -> {};
            super.reset();
        }

        @Transactional
        @Idempotent(scope = "shop", key = "#key")
        public String sell(String key) {
            return "sold in execution " + makeEffect();
        }

        @Transactional
        @Idempotent(scope = "shop-once", key = "#key", maxAttempts = 1)
        public String sellOnce(String key) {
            return "sold in execution " + makeEffect();
        }

        @Idempotent(scope = "shop-outside", key = "#key", mode = IdempotencyMode.LEASED)
        public String sellOutside(String key) {
            String answer = "sold in execution " + makeEffect();
            beforeReturn.run();
            return answer;
        }

        @Transactional
        @Idempotent(scope = "shop-leased", key = "#key", mode = IdempotencyMode.LEASED)
        public String sellUnderALease(String key) {
            return "sold in execution " + makeEffect();
        }

        @Idempotent(scope = "shop-steps", key = "#key", mode = IdempotencyMode.LEASED)
        public String sellInAStep(String key) {
            return IdempotencyContext.current().stepInTransaction("sell", String.class, () -> {
                String answer = "sold in execution " + makeEffect();
                beforeReturn.run();
                return answer;
            });
        }
    }
}
