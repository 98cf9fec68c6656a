package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.PlatformTransactionManager;

import io.idempotency.observation.MessageOutcome;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The connection is cut at one point of a delivery: it succeeds all the same, and there is one effect. A subclass names
 * the transaction manager.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReceiverLostConnectionTests {

    private final TestDatabase database;

    private final Class<? extends PlatformTransactionManager> transactionManager;

    private final List<Class<?>> beans;

    private CuttingProxy proxy;

    private ContractApplication application;

    ReceiverLostConnectionTests(
            TestDatabase database,
            Class<? extends PlatformTransactionManager> transactionManager,
            List<Class<?>> beans) {
        this.database = database;
        this.transactionManager = transactionManager;
        this.beans = beans;
    }

    enum Cut {
        CLAIM_NOT_SENT("insert into \"idempotency\"", Point.BEFORE_IT_IS_SENT),
        CLAIM_NOT_ANSWERED("insert into \"idempotency\"", Point.BEFORE_ITS_ANSWER_IS_DELIVERED),
        EFFECT_NOT_ANSWERED("update account", Point.BEFORE_ITS_ANSWER_IS_DELIVERED),
        COMMIT_NOT_SENT("COMMIT", Point.BEFORE_IT_IS_SENT),
        COMMIT_NOT_ANSWERED("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);

        private final String statement;

        private final Point point;

        Cut(String statement, Point point) {
            this.statement = statement;
            this.point = point;
        }

        /** What was committed without a word is found to be handled. */
        private boolean isFoundHandled() {
            return this == COMMIT_NOT_ANSWERED;
        }
    }

    @BeforeAll
    void start() {
        proxy = CuttingProxy.of(database);
        List<Class<?>> all = new ArrayList<>(beans);
        all.add(Bookings.class);
        application = ContractApplication.start(
                database,
                all,
                "spring.datasource.url=" + proxy.jdbcUrl(),
                "idempotency.retry.delay=5ms",
                "logging.level.com.zaxxer.hikari=error",
                "logging.level.org.hibernate=off",
                "logging.level.org.springframework=off");
        assertThat(application.bean(PlatformTransactionManager.class)).isExactlyInstanceOf(transactionManager);
    }

    @AfterAll
    void stop() {
        application.close();
        proxy.close();
    }

    @AfterEach
    void clear() {
        application.clear();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("race")
    void theDeliverySucceedsAndThereIsOneEffect(Cut cut) {
        Bookings bookings = application.bean(Bookings.class);
        int rounds = TestSize.pick(10, 200);
        int cutsBefore = proxy.cuts();
        for (int round = 0; round < rounds; round++) {
            String id = "round-" + round;
            proxy.cutNext(cut.statement, cut.point);

            assertThat(bookings.book(id, 5)).isEqualTo(cut.isFoundHandled() ? null : 1);
            assertThat(bookings.book(id, 5)).isNull();
        }
        assertThat(proxy.cuts() - cutsBefore).isEqualTo(rounds);
        assertThat(application.effects()).isEqualTo(rounds);
        assertThat(application.spent()).isEqualTo(5L * rounds);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(application.outcomes().retries()).hasSize(rounds);
        assertThat(application.outcomes().ofMessages())
                .hasSize(2 * rounds)
                .filteredOn(MessageOutcome.HANDLED::equals)
                .hasSize(cut.isFoundHandled() ? 0 : rounds);
    }
}
