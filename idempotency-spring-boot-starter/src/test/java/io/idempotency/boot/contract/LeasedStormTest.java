package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;

import io.idempotency.RequestInProgressException;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** Duplicates of a leased call that have waited in vain in this JVM must not take the pool after all. */
@ContractTest
class LeasedStormTest {

    private static final int POOL = 5;

    private final ContractApplication application;

    LeasedStormTest(ContractApplications applications) {
        application = applications.start(
                List.of(LeasedPayments.class),
                "spring.datasource.hikari.maximum-pool-size=" + POOL,
                "spring.datasource.hikari.connection-timeout=1000");
    }

    @Test
    void theyNeedNoConnectionToSaySo() throws SQLException {
        LeasedPayments payments = application.bean(LeasedPayments.class);
        Halt halt = new Halt();
        application.interruption().beforeEffectDo(halt);
        ConcurrentCalls<Booked> holder = ConcurrentCalls.start(1, () -> payments.payImpatiently("key"));
        halt.awaitReached();
        List<Connection> busy = new ArrayList<>();
        try {
            while (busy.size() < POOL - 1) {
                busy.add(application.bean(HikariDataSource.class).getConnection());
            }

            assertThat(ConcurrentCalls.start(20, () -> payments.payImpatiently("key"))
                            .await()
                            .failures())
                    .hasSize(20)
                    .hasOnlyElementsOfType(RequestInProgressException.class);
        } finally {
            for (Connection connection : busy) {
                connection.close();
            }
            halt.release();
        }
        holder.await();
    }
}
