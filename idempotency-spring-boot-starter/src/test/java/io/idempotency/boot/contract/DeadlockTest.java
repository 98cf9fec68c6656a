package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** Two calls, each of which waits for what the other has locked. */
@ContractTest
class DeadlockTest {

    private final ContractApplication application;

    private final Accounts accounts;

    DeadlockTest(ContractApplications applications) {
        application = applications.start(List.of(Accounts.class), "idempotency.retry.delay=5ms");
        accounts = application.bean(Accounts.class);
    }

    @Test
    @Tag("race")
    void isRepeatedByTheOneThatPostgresHasRolledBack() {
        CountDownLatch bothHoldTheirFirst = new CountDownLatch(2);
        application.interruption().beforeEffectDo(() -> {
            bothHoldTheirFirst.countDown();
            Latches.await(bothHoldTheirFirst);
        });

        ConcurrentCalls.run(List.of(
                        () -> accounts.moveBetween("one", "a1", "a2", application.interruption()),
                        () -> accounts.moveBetween("two", "a2", "a1", application.interruption())))
                .requireAllSucceeded();

        assertThat(application.spent("a1")).isZero();
        assertThat(application.outcomes().retries())
                .isNotEmpty()
                .allSatisfy(retry -> assertThat(retry.sqlState()).isEqualTo("40P01"));
    }

    static class Accounts {

        private final JdbcTemplate jdbc;

        Accounts(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "moving", key = "#key", fingerprint = "{#from, #to}")
        public String moveBetween(String key, String from, String to, Interruption interruption) {
            jdbc.update("update account set cents = cents - 1 where name = ?", from);
            interruption.beforeEffect();
            jdbc.update("update account set cents = cents + 1 where name = ?", to);
            return key;
        }
    }
}
