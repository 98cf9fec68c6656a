package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.idempotency.IdempotencyContext;
import io.idempotency.Outcome;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.boot.contract.SecondJvm.Work;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that is killed cannot give its key back: the time of its lease does. */
@ContractTest
@Tag("full")
class LeaseOfKilledProcessTest {

    @Test
    @Tag("race")
    @Timeout(120)
    void isTakenOverWhenItsTimeIsUp(ContractApplications applications) throws Exception {
        ContractApplication application = applications.start(List.of(LeasedPayments.class));
        String downstreamKey;
        try (ChildJvm child = ChildJvm.start(applications.database(), "leased.lease=2s")) {
            child.awaitReady();
            child.send(Work.PAY_LEASED_AND_STAY.with(List.of("key")));
            downstreamKey = child.awaitRunning();
        }
        assertThat(application.request("key")).containsEntry("status", "processing");
        List<String> downstreamKeys = new ArrayList<>();
        application
                .interruption()
                .beforeEffectDo(
                        () -> downstreamKeys.add(IdempotencyContext.current().downstreamKey("stripe")));

        Booked booked = application.bean(LeasedPayments.class).pay("key");

        assertThat(booked.attempt()).isEqualTo(2);
        assertThat(application.outcomes().all()).containsExactly(Outcome.RECOVERED);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(downstreamKeys).containsExactly(downstreamKey);
    }
}
