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
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.test.Defaults;

import static org.assertj.core.api.Assertions.assertThat;

class CommittedRowsTest {

    private final DataSourceOfNoConnection dataSource = new DataSourceOfNoConnection();

    private final ClaimStore store = (ClaimStore) Proxy.newProxyInstance(
            ClaimStore.class.getClassLoader(), new Class<?>[] {ClaimStore.class}, (proxy, method, arguments) -> {
                throw new AssertionError("There is no connection to ask on");
            });

    private final CommittedRows rows = new CommittedRows(dataSource, RequiresNewTransaction.on(dataSource), store);

    @Test
    void onlyARequestThatThisInstanceHasAnsweredIsAskedFor() {
        IdempotentCall call = call(UUID.randomUUID(), false);
        assertThat(isAskedFor(call)).isFalse();

        rows.answered(call);

        assertThat(isAskedFor(call)).isTrue();
        assertThat(isAskedFor(call(UUID.randomUUID(), false))).isFalse();
    }

    @Test
    void aMessageIsNotAskedForBecauseItsResultIsNotStored() {
        IdempotentCall message = call(UUID.randomUUID(), true);

        rows.answered(message);

        assertThat(isAskedFor(message)).isFalse();
    }

    @Test
    void oneRequestIsForgottenForAnotherInTheSamePlace() {
        IdempotentCall first = call(new UUID(1, 7), false);
        IdempotentCall second = call(new UUID(2, 7), false);

        rows.answered(first);
        rows.answered(second);

        assertThat(isAskedFor(first)).isFalse();
        assertThat(isAskedFor(second)).isTrue();
    }

    @Test
    void mostOfAThousandRequestsAreRemembered() {
        List<IdempotentCall> thousand = Stream.generate(() -> call(UUID.randomUUID(), false))
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

    private IdempotentCall call(UUID id, boolean isMessage) {
        Intent intent = new Intent("payments", "", new IdempotencyKey("key"));
        return new IdempotentCall(
                new RequestKey(id, intent, new Fingerprint(1, new byte[32])),
                "database",
                Defaults.OPTIONS,
                String.class,
                null,
                isMessage,
                store,
                null,
                null);
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
