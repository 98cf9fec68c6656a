package io.idempotency.boot.contract;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A call that fails leaves nothing, and a call that is acknowledged is durable. */
@ContractTest
class RollbackTest {

    private final ContractApplication application;

    private final Failing failing;

    RollbackTest(ContractApplications applications) {
        application = applications.start(List.of(Failing.class));
        failing = application.bean(Failing.class);
    }

    static List<Throwable> throwables() {
        return List.of(
                new IllegalStateException("thrown"), new IOException("thrown"), new StackOverflowError("thrown"));
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void whateverLeavesTheMethodRollsBack(Throwable thrown) {
        assertThatThrownBy(() -> failing.payAndThrow("key", thrown)).isSameAs(thrown);

        assertNothingIsLeft();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void whateverLeavesTheMethodRollsBackWithoutTransactional(Throwable thrown) {
        assertThatThrownBy(() -> failing.payAndThrowWithoutTransactional("key", thrown))
                .isSameAs(thrown);

        assertNothingIsLeft();
    }

    @Test
    void aCheckedExceptionOfAProgrammaticCallRollsBackAndArrivesUnchanged() {
        IOException thrown = new IOException("thrown");

        assertThatThrownBy(() -> application
                        .bean(IdempotencyOperations.class)
                        .call("programmatic", "key", "payload")
                        .run(() -> {
                            failing.makeEffect();
                            throw thrown;
                        }))
                .isSameAs(thrown);

        assertNothingIsLeft();
    }

    @Test
    void aFailedCallInsideAnOuterTransactionDoomsIt() {
        TransactionTemplate outer = application.transaction();

        assertThatThrownBy(() -> outer.executeWithoutResult(status -> {
                    failing.makeEffect();
                    assertThatThrownBy(() -> failing.payAndThrow("key", new IOException("thrown")))
                            .isInstanceOf(IOException.class);
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() {
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    static class Failing extends PayingBean {

        @Transactional
        @Idempotent(scope = "throwing", key = "#key", fingerprint = "''")
        public String payAndThrow(String key, Throwable thrown) throws Throwable {
            makeEffect();
            throw thrown;
        }

        @Idempotent(scope = "throwing-without-transactional", key = "#key", fingerprint = "''")
        public String payAndThrowWithoutTransactional(String key, Throwable thrown) throws Throwable {
            makeEffect();
            throw thrown;
        }
    }
}
