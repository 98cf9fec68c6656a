package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;

import static org.assertj.core.api.Assertions.assertThat;

/** Where the library opens the transaction, an unanswered COMMIT must be resolved too. */
@ContractTest
class LostCommitOfOwnTransactionTest {

    private final CuttingProxy proxy;

    private final ContractApplication application;

    LostCommitOfOwnTransactionTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of());
    }

    @ParameterizedTest
    @EnumSource
    void anAnnotatedMethodWithoutTransactional(Point point) {
        PayCommand command = new PayCommand("a1", 5);
        proxy.cutNext("COMMIT", point);

        Receipt answer = application.payments().payWithoutTransactional("key", command);

        assertThat(application.payments().payWithoutTransactional("key", command))
                .isEqualTo(answer);
        assertThat(application.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aProgrammaticCall(Point point) {
        proxy.cutNext("COMMIT", point);

        assertThat(payOut()).isEqualTo(payOut());

        assertThat(application.effects()).isEqualTo(1);
    }

    private String payOut() {
        return application
                .bean(IdempotencyOperations.class)
                .call("payouts", "key", "same")
                .returning(String.class)
                .execute(() -> application
                        .bean(JdbcTemplate.class)
                        .queryForObject(
                                "insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5) returning id",
                                String.class));
    }
}
