package io.idempotency.boot.contract;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.testing.Callbacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Something in this JVM fails while a row is sent together with its COMMIT, or right behind it. What is left open then would be
 * committed by the clean-up that switches auto-commit on again, and what is committed be without a holder.
 */
@ContractTest
class BrokenCommitTest {

    private final ContractApplications applications;

    private final ContractApplication application;

    private final ContractApplication withoutRetries;

    BrokenCommitTest(ContractApplications applications) {
        this.applications = applications;
        List<Class<?>> beans = List.of(Breaking.class, Shop.class);
        String[] properties = {
            "idempotency.retry.delay=5ms",
            "idempotency.purge.enabled=false",
            "spring.datasource.hikari.maximum-pool-size=2",
            "logging.level.com.zaxxer.hikari=error",
            "logging.level.org.springframework.transaction=off"
        };
        application = applications.start(beans, properties);
        withoutRetries = applications.start(
                beans,
                Stream.concat(Stream.of(properties), Stream.of("idempotency.retry.max-attempts=1"))
                        .toArray(String[]::new));
    }

    @AfterEach
    void clear() {
        for (ContractApplication each : List.of(application, withoutRetries)) {
            each.bean(Shop.class).reset();
        }
        applications.clear();
    }

    enum Kind {
        SQL_EXCEPTION,
        SQL_EXCEPTION_OF_A_LOST_CONNECTION,
        SQL_TIMEOUT,
        RUNTIME_EXCEPTION,
        ERROR;

        private Throwable failure() {
            return switch (this) {
                case SQL_EXCEPTION -> new SQLException("on purpose");
                case SQL_EXCEPTION_OF_A_LOST_CONNECTION -> new SQLException("on purpose", "08006");
                case SQL_TIMEOUT -> new SQLTimeoutException("on purpose");
                case RUNTIME_EXCEPTION -> new IllegalStateException("on purpose");
                case ERROR -> new LinkageError("on purpose");
            };
        }
    }

    enum Place {
        BEFORE_IT_IS_SENT,
        AFTER_IT_WAS_COMMITTED,
        COMMIT,
        BEHIND_A_RECLAIM
    }

    static Stream<Arguments> failures() {
        return Stream.of(Kind.values())
                .flatMap(kind -> Stream.of(false, true).map(rollbackFails -> Arguments.of(kind, rollbackFails)));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whatFailsBeforeItIsSentLeavesNoEffect(Kind kind, boolean rollbackFails) {
        Shop shop = withoutRetries.bean(Shop.class);
        breaking(withoutRetries).at(Place.BEFORE_IT_IS_SENT, kind, rollbackFails);

        assertThatThrownBy(() -> shop.sell("key")).isInstanceOf(RuntimeException.class);

        assertThat(breaking(withoutRetries).broken).hasValue(1);
        assertThat(withoutRetries.effects()).isZero();
        assertThat(withoutRetries.request("key"))
                .as("refuses a message that the server gets later")
                .containsEntry("status", "failed_retryable");
        assertNothingIsOpen(withoutRetries);
        assertThat(shop.sell("key")).as("undone once more, because of that row").isEqualTo("sold in execution 3");
        assertThat(withoutRetries.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whatFailsBeforeItIsSentIsRepeated(Kind kind, boolean rollbackFails) {
        Shop shop = application.bean(Shop.class);
        breaking(application).at(Place.BEFORE_IT_IS_SENT, kind, rollbackFails);

        assertThat(shop.sell("key")).isEqualTo("sold in execution 2");

        assertThat(breaking(application).broken).hasValue(1);
        assertThat(application.effects()).isEqualTo(1);
        assertNothingIsOpen(application);
    }

    @ParameterizedTest
    @EnumSource
    void whatFailsAfterItWasCommittedIsFound(Kind kind) {
        for (ContractApplication each : List.of(application, withoutRetries)) {
            Shop shop = each.bean(Shop.class);
            breaking(each).at(Place.AFTER_IT_WAS_COMMITTED, kind, false);

            assertThat(shop.sell("key")).isEqualTo("sold in execution 1");

            assertThat(breaking(each).broken).hasValue(1);
            assertThat(each.effects()).isEqualTo(1);
            assertThat(shop.ends())
                    .containsOnlyOnce(TransactionSynchronization.STATUS_UNKNOWN)
                    .doesNotContain(TransactionSynchronization.STATUS_ROLLED_BACK);
            assertNothingIsOpen(each);
            clear();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SQL_EXCEPTION", "RUNTIME_EXCEPTION"})
    void aCommitThatFollowsInVainChangesNothing(Kind kind) {
        Shop shop = withoutRetries.bean(Shop.class);
        breaking(withoutRetries).at(Place.COMMIT, kind, false);

        assertThat(shop.sell("key")).isEqualTo("sold in execution 1");

        assertThat(breaking(withoutRetries).broken).hasValue(1);
        assertThat(withoutRetries.effects()).isEqualTo(1);
        assertThat(withoutRetries.outcomes().retries()).isEmpty();
    }

    /** The reclaim is committed, so that the lease would have no holder. */
    @ParameterizedTest
    @EnumSource
    void whatFailsBehindAReclaimIsRepeated(Kind kind) {
        Shop shop = application.bean(Shop.class);
        shop.failOnce();
        assertThatThrownBy(() -> shop.sellUnderALease("key")).isInstanceOf(IllegalStateException.class);
        breaking(application).at(Place.BEHIND_A_RECLAIM, kind, false);

        assertThat(shop.sellUnderALease("key")).isEqualTo("sold in execution 1");

        assertThat(breaking(application).broken).hasValue(1);
        assertThat(application.request("key"))
                .containsEntry("status", "succeeded")
                .containsEntry("attempt_count", 2);
        assertThat(application.effects()).isEqualTo(1);
    }

    private static Breaking breaking(ContractApplication application) {
        return application.bean(Breaking.class);
    }

    private static void assertNothingIsOpen(ContractApplication application) {
        await().untilAsserted(() -> assertThat(application.database().backends().activity())
                .noneMatch(backend -> String.valueOf(backend.state()).startsWith("idle in transaction")));
    }

    /** Makes one commit fail. */
    static class Breaking implements BeanPostProcessor {

        private final AtomicInteger broken = new AtomicInteger();

        private final AtomicReference<@Nullable Place> place = new AtomicReference<>();

        private volatile Kind kind = Kind.ERROR;

        private volatile boolean rollbackFails;

        void at(Place newPlace, Kind newKind, boolean withRollback) {
            broken.set(0);
            kind = newKind;
            rollbackFails = withRollback;
            place.set(newPlace);
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource dataSource
                    ? new DelegatingDataSource(dataSource) {
                        @Override
                        public Connection getConnection() throws SQLException {
                            return breakable(super.getConnection());
                        }
                    }
                    : bean;
        }

        private Connection breakable(Connection connection) {
            AtomicBoolean isBroken = new AtomicBoolean();
            return proxy(Connection.class, connection, (name, argument, call) -> {
                if (name.equals("prepareStatement") && String.valueOf(argument).endsWith("COMMIT")) {
                    return breakable((PreparedStatement) call.proceed(), isBroken);
                }
                if (name.equals("prepareStatement") && isOfSteps(String.valueOf(argument))) {
                    failAt(Place.BEHIND_A_RECLAIM);
                }
                if (name.equals("commit")) {
                    failAt(Place.COMMIT);
                }
                if (name.equals("rollback") && isBroken.get() && rollbackFails) {
                    throw new SQLException("no rollback, on purpose");
                }
                return call.proceed();
            });
        }

        private static boolean isOfSteps(String sql) {
            return sql.startsWith("select") && sql.contains("(steps)");
        }

        private PreparedStatement breakable(PreparedStatement statement, AtomicBoolean isBroken) {
            return proxy(PreparedStatement.class, statement, (name, argument, call) -> {
                if (!name.equals("execute")) {
                    return call.proceed();
                }
                isBroken.set(place.get() == Place.BEFORE_IT_IS_SENT);
                failAt(Place.BEFORE_IT_IS_SENT);
                Object result = call.proceed();
                failAt(Place.AFTER_IT_WAS_COMMITTED);
                return result;
            });
        }

        private void failAt(Place reached) throws Throwable {
            if (place.compareAndSet(reached, null)) {
                broken.incrementAndGet();
                throw kind.failure();
            }
        }

        private static <T> T proxy(Class<T> type, T target, Interception interception) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(),
                    new Class<?>[] {type},
                    (proxy, method, arguments) ->
                            interception.of(method.getName(), arguments == null ? null : arguments[0], () -> {
                                try {
                                    return method.invoke(target, arguments);
                                } catch (InvocationTargetException thrown) {
                                    throw thrown.getCause();
                                }
                            })));
        }

        private interface Call {

            @Nullable Object proceed() throws Throwable;
        }

        private interface Interception {

            @Nullable Object of(String method, @Nullable Object argument, Call call) throws Throwable;
        }
    }

    static class Shop extends PayingBean {

        /** What callbacks were told of the transactions. */
        private final List<Integer> ends = new CopyOnWriteArrayList<>();

        private final AtomicBoolean fails = new AtomicBoolean();

        @Transactional
        @Idempotent(scope = "shop", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String sell(String key) {
            Callbacks.afterCompletion(ends::add);
            return "sold in execution " + makeEffect();
        }

        @Transactional
        @Idempotent(scope = "shop-leased", key = "#key", mode = IdempotencyMode.LEASED)
        public String sellUnderALease(String key) {
            if (fails.getAndSet(false)) {
                throw new IllegalStateException("on purpose");
            }
            return "sold in execution " + makeEffect();
        }

        void failOnce() {
            fails.set(true);
        }

        List<Integer> ends() {
            return ends;
        }

        @Override
        void reset() {
            ends.clear();
            super.reset();
        }
    }
}
