package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.IdempotencyContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** A lease has the same bounds when it is extended as when it is taken. */
@ContractTest
class LeaseExtensionTest {

    private final ContractApplication application;

    LeaseExtensionTest(ContractApplications applications) {
        application = applications.start(List.of(LeasedPayments.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "P365000D", "PT9223372036854775807S"})
    void anEndThatIsNowOrThatNobodyWillSeeIsRefused(String duration) {
        application
                .interruption()
                .beforeEffectDo(() -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> IdempotencyContext.current().extendLease(Duration.parse(duration))));

        application.bean(LeasedPayments.class).pay("key");
    }

    @Test
    void aLongerLeaseIsNotShortened() {
        application.interruption().beforeEffectDo(() -> {
            Object end = application.request("key").get("locked_until");
            IdempotencyContext.current().extendLease(Duration.ofMillis(1));
            assertThat(application.request("key")).containsEntry("locked_until", end);
        });

        application.bean(LeasedPayments.class).pay("key");
    }

    @Test
    void theResponseIsKeptForAsMuchLonger() {
        application.interruption().beforeEffectDo(() -> {
            Duration before = retention();
            IdempotencyContext.current().extendLease(Duration.ofDays(10));
            assertThat(retention()).isGreaterThan(before.plusDays(9));
        });

        application.bean(LeasedPayments.class).pay("key");
    }

    private Duration retention() {
        return Duration.ofSeconds(application
                .database()
                .jdbc()
                .queryForObject(
                        "select extract(epoch from expires_at - claimed_at)::bigint from"
                                + " idempotency.idempotency_request",
                        Long.class));
    }
}
