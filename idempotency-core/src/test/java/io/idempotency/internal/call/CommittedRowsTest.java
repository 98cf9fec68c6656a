package io.idempotency.internal.call;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.KeyClaimer;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.test.Defaults;

import static org.assertj.core.api.Assertions.assertThat;

class CommittedRowsTest {

    private final DataSourceOfNoConnection dataSource = new DataSourceOfNoConnection();

    private final ClaimStore store = proxy(ClaimStore.class);

    private final CommittedRows rows = new CommittedRows(dataSource, RequiresNewTransaction.on(dataSource), store);

    @Test
    void onlyARequestThatThisInstanceHasAnsweredIsAskedFor() {
        IdempotentCall call = call(UUID.randomUUID(), store);
        assertThat(isAskedFor(call)).isFalse();

        rows.answered(call);

        assertThat(isAskedFor(call)).isTrue();
        assertThat(isAskedFor(call(UUID.randomUUID(), store))).isFalse();
    }

    @Test
    void aMessageIsNotAskedForBecauseItsResultIsNotStored() {
        IdempotentCall message = call(UUID.randomUUID(), proxy(KeyClaimer.class));

        rows.answered(message);

        assertThat(isAskedFor(message)).isFalse();
    }

    @Test
    void oneRequestIsForgottenForAnotherInTheSamePlace() {
        IdempotentCall first = call(new UUID(1, 7), store);
        IdempotentCall second = call(new UUID(2, 7), store);

        rows.answered(first);
        rows.answered(second);

        assertThat(isAskedFor(first)).isFalse();
        assertThat(isAskedFor(second)).isTrue();
    }

    @Test
    void mostOfAThousandRequestsAreRemembered() {
        List<IdempotentCall> thousand = Stream.generate(() -> call(UUID.randomUUID(), store))
                .limit(1_000)
                .toList();

        thousand.forEach(rows::answered);

        assertThat(thousand.stream().filter(this::isAskedFor)).hasSizeGreaterThan(800);
    }

    private boolean isAskedFor(IdempotentCall call) {
        dataSource.isAsked = false;
        assertThat(rows.findRecent(call, new WaitBudget(Duration.ofSeconds(1)))).isEmpty();
        return dataSource.isAsked;
    }

    private IdempotentCall call(UUID id, KeyClaimer keyClaimer) {
        Intent intent = new Intent("payments", "", new IdempotencyKey("key"));
        return new IdempotentCall(
                new RequestKey(id, intent, new Fingerprint(1, new byte[32]), null),
                "database",
                Defaults.OPTIONS,
                String.class,
                null,
                keyClaimer,
                null,
                null);
    }

    private static <T> T proxy(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    throw new AssertionError("There is no connection to ask on");
                }));
    }

    private static final class DataSourceOfNoConnection extends AbstractDataSource {

        private boolean isAsked;

        @Override
        public Connection getConnection() throws SQLException {
            isAsked = true;
            throw new SQLException("There is none");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }
}
