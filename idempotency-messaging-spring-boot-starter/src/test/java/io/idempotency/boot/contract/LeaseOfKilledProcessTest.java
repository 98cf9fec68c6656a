package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

import io.idempotency.IdempotencyContext;
import io.idempotency.Outcome;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.boot.contract.SecondJvm.Work;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that is killed, or stands still, cannot give its key back: the time of its lease does. */
@ContractTest
@Tag("full")
class LeaseOfKilledProcessTest {

    private final ContractApplications applications;

    private final ContractApplication application;

    LeaseOfKilledProcessTest(ContractApplications applications) {
        this.applications = applications;
        this.application = applications.start(List.of(LeasedPayments.class));
    }

    @Test
    @Tag("race")
    @Timeout(120)
    void isTakenOverWhenItsTimeIsUp() throws Exception {
        String downstreamKey;
        try (ChildJvm child = ChildJvm.start(applications.database(), "leased.lease=2s")) {
            child.awaitReady();
            child.send(Work.PAY_LEASED_AND_STAY.with(List.of("key")));
            downstreamKey = child.awaitRunning();
            await("clock_timestamp() > claimed_at + interval '4 s'");
            assertThat(is("locked_until > clock_timestamp()")).isTrue();
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

    /** As in a long garbage collection, or in a virtual machine that is moved. */
    @Test
    @Tag("race")
    @Timeout(120)
    @DisabledOnOs(OS.WINDOWS)
    void aProcessThatStandsStillForLongerThanItsLeaseDoesNotComplete() throws Exception {
        try (ChildJvm child = ChildJvm.start(applications.database(), "leased.lease=2s")) {
            child.awaitReady();
            child.send(Work.PAY_LEASED_UNTIL_TAKEN_OVER.with(List.of("key")));
            child.awaitRunning();
            child.signal("STOP");
            Booked booked = application.bean(LeasedPayments.class).pay("key");
            child.signal("CONT");

            assertThat(child.readAnswers()).containsExactly("key " + SecondJvm.LEASE_LOST);
            assertThat(booked.attempt()).isEqualTo(2);
            assertThat(application.bean(LeasedPayments.class).pay("key")).isEqualTo(booked);
            assertThat(application.effects()).isEqualTo(1);
        }
    }

    private void await(String condition) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> is(condition));
    }

    private boolean is(String condition) {
        return application
                .jdbc()
                .queryForObject("select " + condition + " from idempotency.idempotency_request", Boolean.class);
    }
}
