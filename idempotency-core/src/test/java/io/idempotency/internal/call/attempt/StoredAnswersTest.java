package io.idempotency.internal.call.attempt;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.call.wait.WaitBudget;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.test.Defaults;

import static org.assertj.core.api.Assertions.assertThat;

class StoredAnswersTest {

    private final DataSourceOfNoConnection dataSource = new DataSourceOfNoConnection();

    private final ClaimStore store = proxy(ClaimStore.class);

    private final StoredAnswers answers = new StoredAnswers(dataSource, RequiresNewTransaction.on(dataSource), store);

    @Test
    void onlyARequestThatThisInstanceHasAnsweredIsAskedFor() {
        IdempotentCall call = call(UUID.randomUUID());
        assertThat(isAskedFor(call)).isFalse();

        answers.answered(call);

        assertThat(isAskedFor(call)).isTrue();
        assertThat(isAskedFor(call(UUID.randomUUID()))).isFalse();
    }

    @Test
    void aRequestIsForgottenForTheLatestFourInTheSamePlace() {
        List<IdempotentCall> five = inOnePlace(5);

        five.forEach(answers::answered);

        assertThat(five.subList(1, 5)).allMatch(this::isAskedFor);
        assertThat(isAskedFor(five.get(0))).isFalse();
    }

    @Test
    void aRepeatedRequestOutlivesOthersInTheSamePlace() {
        List<IdempotentCall> six = inOnePlace(6);
        IdempotentCall repeated = six.get(0);

        six.subList(0, 4).forEach(answers::answered);
        assertThat(isAskedFor(repeated)).isTrue();
        six.subList(4, 6).forEach(answers::answered);

        assertThat(isAskedFor(repeated)).isTrue();
        assertThat(six.subList(1, 3)).noneMatch(this::isAskedFor);
    }

    @Test
    void repeatsOfTwoThousandHotRequestsAreAskedFor() {
        List<IdempotentCall> hot = IntStream.range(0, 2_000)
                .mapToObj(number -> call(RequestKey.idOf(intent("hot " + number))))
                .toList();
        hot.forEach(answers::answered);
        Random random = new Random(1);

        long forgotten = random.ints(20_000, 0, hot.size())
                .mapToObj(hot::get)
                .filter(repeat -> {
                    boolean isForgotten = !isAskedFor(repeat);
                    answers.answered(repeat);
                    return isForgotten;
                })
                .count();

        assertThat(forgotten).isLessThan(20);
    }

    private List<IdempotentCall> inOnePlace(int number) {
        return LongStream.rangeClosed(1, number)
                .mapToObj(half -> call(new UUID(7, half)))
                .toList();
    }

    private boolean isAskedFor(IdempotentCall call) {
        dataSource.isAsked = false;
        assertThat(answers.findRecent(call, new WaitBudget(Duration.ofSeconds(1), new Semaphore(1))))
                .isEmpty();
        return dataSource.isAsked;
    }

    private static IdempotentCall call(UUID id) {
        return new IdempotentCall(
                new RequestKey(id, intent("key"), new Fingerprint(1, new byte[32]), null),
                "database",
                Defaults.OPTIONS,
                String.class);
    }

    private static Intent intent(String key) {
        return new Intent("payments", "", new IdempotencyKey(key));
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
